/* SPDX-License-Identifier: BSD-2-Clause */
/* Instruction traces in a recording (Intel PT, CoreSight, SPE etc.). tally does not decode traces
 * but reports their presence, so that a missing profile is not mistaken for an idle program. */
#ifndef TALLY_SESSION_TRACES_H
#define TALLY_SESSION_TRACES_H

#include <stdint.h>

#include "base/map.h"
#include "base/str.h"
#include "tally/perfdata.h"

/* Trace summary, initially all zero. */
struct tally_traces {
	uint32_t kind;           /* type from AUXTRACE_INFO, or 0 if unknown */
	uint64_t infos, buffers; /* number of records of each type */
	uint64_t bytes;          /* total size of the trace data */
	struct tally_map cpus, tids;
	uint32_t nr_cpus, nr_tids; /* number of distinct CPUs and threads */
};

/* Count a record if it belongs to a trace. Returns 0 or -ENOMEM. */
int tally_traces_add(struct tally_traces *traces, const struct tally_perfdata_record *record);
void tally_traces_free(struct tally_traces *traces);

/* Append "Intel PT trace (4096 bytes of 2 CPUs): not decoded by tally; use ...", or nothing if
 * there are no traces. */
void tally_traces_text(const struct tally_traces *traces, struct tally_str *out);

/* Append the same data as a JSON array named "traces". */
void tally_traces_json(const struct tally_traces *traces, struct tally_str *out);

#endif
