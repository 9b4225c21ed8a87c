/* SPDX-License-Identifier: BSD-2-Clause */
/* The counts of a recording of `perf stat record`, as perf script writes them. */
#ifndef TALLY_CLI_SCRIPT_STAT_H
#define TALLY_CLI_SCRIPT_STAT_H

#include "base/str.h"
#include "base/vec.h"
#include "cli/session.h"

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
};

/* Take in a record of any type; a STAT_ROUND appends the lines of its counts to `out`. 0 or
 * -ENOMEM. */
int script_stat_record(struct script_stat *stat, const struct tally_session *session,
		       const struct tally_perfdata_record *record, struct tally_str *out);

void script_stat_free(struct script_stat *stat);

#endif
