/* SPDX-License-Identifier: BSD-2-Clause */
/* Durations: by function name, and as a histogram in powers of two. */
#ifndef TALLY_CLIENT_FTRACE_STATS_H
#define TALLY_CLIENT_FTRACE_STATS_H

#include <stddef.h>
#include <stdint.h>

#include "base/intern.h"
#include "base/map.h"
#include "base/vec.h"
#include "client/ftrace_text.h"

/* Statistics of one function. Sums saturate at UINT64_MAX. */
struct tally_ftrace_stat {
	const char *name;
	uint64_t count, total_ns, min_ns, max_ns;
};

enum { TALLY_FTRACE_BUCKETS = 22 };

/* Bucket 0 counts durations below one unit, bucket n those from 2^(n-1) units up; the last bucket
 * has no upper bound. */
struct tally_ftrace_histogram {
	uint64_t unit_ns;
	uint64_t bucket[TALLY_FTRACE_BUCKETS];
	struct tally_ftrace_stat all;
};

struct tally_ftrace_stats {
	struct tally_intern names;
	TALLY_VEC(struct tally_ftrace_stat) by_name; /* indexed by the ID of the name */
};

/* Add a call that took `ns`. Returns 0 or -ENOMEM. */
int tally_ftrace_stats_add(struct tally_ftrace_stats *stats, const char *name, size_t len,
			   uint64_t ns);
void tally_ftrace_stats_free(struct tally_ftrace_stats *stats);

/* Add a duration. */
void tally_ftrace_histogram_add(struct tally_ftrace_histogram *histogram, uint64_t ns);

/* Time from one event to another one of the same thread. */
struct tally_ftrace_pair {
	const char *from, *to;  /* names of tracepoints, without their system */
	struct tally_map since; /* TID to the time of `from` in ns */
};

/* Process an EVENT line. Returns true if it completes a pair, with the time between the two events
 * in `*ret_ns`. Lines without a thread ID are ignored, and so are those for which memory runs out.
 */
bool tally_ftrace_pair_follow(struct tally_ftrace_pair *pair, const struct tally_ftrace_line *line,
			      uint64_t *ret_ns);

#endif
