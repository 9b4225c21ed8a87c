/* SPDX-License-Identifier: BSD-2-Clause */
/* Print the counts of a recording by `perf stat record` like perf script. */
#ifndef TALLY_CLI_SCRIPT_STAT_H
#define TALLY_CLI_SCRIPT_STAT_H

#include "base/str.h"
#include "base/vec.h"
#include "cli/recording/session.h"

/* A count received since the last round. */
struct script_count {
	const struct tally_perfdata_event *event;
	uint32_t thread, cpu; /* index in the thread map; CPU as recorded */
	uint32_t order;       /* of duplicates, the later one is used */
	uint64_t value, enabled, running;
};

/* Zero-initialised: no counts yet. */
struct script_stat {
	TALLY_VEC(struct script_count) counts;
	TALLY_VEC(int32_t) threads;
	bool has_heading;
	uint64_t nr_nameless, nr_short; /* counts of unknown events; records that are too short */
};

/* Process a record of any type. A STAT_ROUND appends the counts of the round to `out`, which is
 * written to standard output when it gets long. Returns 0, -ENOMEM, or an error of write(2). */
int script_stat_record(struct script_stat *stat, const struct tally_session *session,
		       const struct tally_perfdata_record *record, struct tally_str *out);

/* Append the counts of an unfinished round, and warn about it and about skipped records. Returns as
 * script_stat_record(). */
int script_stat_finish(struct script_stat *stat, const struct tally_session *session,
		       struct tally_str *out);

void script_stat_free(struct script_stat *stat);

#endif
