/* SPDX-License-Identifier: BSD-2-Clause */
/* Print the counts recorded by `perf stat record`, in perf script's format. */
#ifndef TALLY_CLI_SCRIPT_STAT_H
#define TALLY_CLI_SCRIPT_STAT_H

#include "base/str.h"
#include "base/vec.h"
#include "session/session.h"

/* A count received since the last round. */
struct script_count {
	const struct tally_perfdata_event *event;
	uint32_t thread, cpu; /* index in the thread map; CPU as recorded */
	uint32_t order;       /* order of arrival; the last of several duplicates is used */
	uint64_t value, enabled, running;
};

/* Counts from a recording, initially all zero. */
struct script_stat {
	TALLY_VEC(struct script_count) counts;
	TALLY_VEC(int32_t) threads;
	bool has_heading;
	uint64_t nr_nameless, nr_short; /* counts for unknown events; records that are too short */
};

/* Process a record of any type. For a STAT_ROUND record, append the round's counts to `out`, which
 * is written to standard output when it becomes long. Returns 0, -ENOMEM, or an error from
 * write(2). */
int script_stat_record(struct script_stat *stat, const struct tally_session *session,
		       const struct tally_perfdata_record *record, struct tally_str *out);

/* Append the counts of an unfinished round, and warn about the round and about skipped records.
 * Returns the same as script_stat_record(). */
int script_stat_finish(struct script_stat *stat, const struct tally_session *session,
		       struct tally_str *out);

void script_stat_free(struct script_stat *stat);

#endif
