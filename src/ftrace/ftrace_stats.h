/* SPDX-License-Identifier: BSD-2-Clause */
/* Duration statistics: by function name, and as a histogram. */
#ifndef TALLY_FTRACE_STATS_H
#define TALLY_FTRACE_STATS_H

#include <stddef.h>
#include <stdint.h>

#include "base/intern.h"
#include "base/map.h"
#include "base/vec.h"
#include "ftrace/ftrace_text.h"

/* Statistics for one function. Sums saturate at UINT64_MAX. */
struct tally_ftrace_stat {
	const char *name;
	uint64_t count, total_ns, min_ns, max_ns;
};

enum { TALLY_FTRACE_BUCKETS = 22 };

/* Bucket 0 counts durations below one unit, and bucket n durations of at least 2^(n-1) units. The
 * last bucket has no upper bound. If `range` is set, bucket 0 counts durations below `least` units
 * instead, and bucket n durations of at least `least` + (n-1) * `range` units. */
struct tally_ftrace_histogram {
	uint64_t unit_ns;
	uint64_t range, least; /* in units */
	int last;              /* number of the last bucket; 0 for TALLY_FTRACE_BUCKETS - 1 */
	uint64_t bucket[TALLY_FTRACE_BUCKETS];
	struct tally_ftrace_stat all;
};

struct tally_ftrace_stats {
	struct tally_intern names;
	TALLY_VEC(struct tally_ftrace_stat) by_name; /* indexed by name ID */
};

/* Add a call with a duration of `ns`. Returns 0 or -ENOMEM. */
int tally_ftrace_stats_add(struct tally_ftrace_stats *stats, const char *name, size_t len,
			   uint64_t ns);
void tally_ftrace_stats_free(struct tally_ftrace_stats *stats);

/* Return the number of the last bucket. */
int tally_ftrace_histogram_last(const struct tally_ftrace_histogram *histogram);

/* Add a duration. */
void tally_ftrace_histogram_add(struct tally_ftrace_histogram *histogram, uint64_t ns);

/* State for measuring the time between two events in the same thread. */
struct tally_ftrace_pair {
	const char *from, *to;  /* tracepoint names, without their system */
	struct tally_map since; /* TID -> timestamp of `from`, in ns */
};

/* Process an EVENT line. Returns true if the line completes a pair, with the time between the two
 * events in `*ret_ns`. Lines without a thread ID are ignored, as are lines for which memory
 * allocation fails. */
bool tally_ftrace_pair_follow(struct tally_ftrace_pair *pair, const struct tally_ftrace_line *line,
			      uint64_t *ret_ns);

#endif
