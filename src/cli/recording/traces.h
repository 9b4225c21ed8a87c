/* SPDX-License-Identifier: BSD-2-Clause */
/* Traces of instructions inside a recording (Intel PT, CoreSight, SPE ...), which tally does not
 * decode: what there is of them is said, so that nobody takes their absence for an idle program. */
#ifndef TALLY_CLI_RECORDING_TRACES_H
#define TALLY_CLI_RECORDING_TRACES_H

#include <stdint.h>

#include "base/map.h"
#include "base/str.h"
#include "tally/perfdata.h"

/* All zero: none was met. */
struct tally_traces {
	uint32_t kind;           /* as AUXTRACE_INFO names it; 0: it does not */
	uint64_t infos, buffers; /* records of each type */
	uint64_t bytes;          /* of trace */
	struct tally_map cpus, tids;
	uint32_t nr_cpus, nr_tids; /* different ones that it is of */
};

/* Take note of a record, if it is of a trace. 0 or -ENOMEM. */
int tally_traces_take(struct tally_traces *traces, const struct tally_perfdata_record *record);
void tally_traces_free(struct tally_traces *traces);

/* "Intel PT trace (4096 bytes of 2 CPUs): not decoded by tally; use ..."; nothing if there is none.
 */
void tally_traces_text(const struct tally_traces *traces, struct tally_str *out);

/* The same as the array "traces". */
void tally_traces_json(const struct tally_traces *traces, struct tally_str *out);

#endif
