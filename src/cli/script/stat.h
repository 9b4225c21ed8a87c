/* SPDX-License-Identifier: BSD-2-Clause */
/* The counts of a recording of `perf stat record`, as perf script writes them. */
#ifndef TALLY_CLI_SCRIPT_STAT_H
#define TALLY_CLI_SCRIPT_STAT_H

#include "base/str.h"
#include "base/vec.h"
#include "cli/recording/session.h"

/* A count that came since the last round. */
struct script_count {
	const struct tally_perfdata_event *event;
	uint32_t thread, cpu; /* of the thread map; as recorded */
	uint32_t order;       /* of two of the same the later one counts */
	uint64_t value, enabled, running;
};

/* All zero: nothing was seen. */
struct script_stat {
	TALLY_VEC(struct script_count) counts;
	TALLY_VEC(int32_t) threads;
	bool has_heading;
	uint64_t nr_nameless, nr_short; /* counts of no event; records shorter than their fields */
};

/* Take in a record of any type; a STAT_ROUND appends the lines of its counts to `out`, and
 * writes that to standard output as it grows long. 0; -ENOMEM; the error of write(2). */
int script_stat_record(struct script_stat *stat, const struct tally_session *session,
		       const struct tally_perfdata_record *record, struct tally_str *out);

/* Append the counts of a round that did not end, and tell of them and of what was passed over. As
 * script_stat_record(). */
int script_stat_finish(struct script_stat *stat, const struct tally_session *session,
		       struct tally_str *out);

void script_stat_free(struct script_stat *stat);

#endif
