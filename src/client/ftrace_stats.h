/* SPDX-License-Identifier: BSD-2-Clause */
/* How long things took: by name, and as a histogram of powers of two. */
#ifndef TALLY_CLIENT_FTRACE_STATS_H
#define TALLY_CLIENT_FTRACE_STATS_H

#include <stddef.h>
#include <stdint.h>

#include "base/intern.h"
#include "base/map.h"
#include "base/vec.h"
#include "client/ftrace_text.h"

/* One function. Sums stay at UINT64_MAX rather than wrap. */
struct tally_ftrace_stat {
	const char *name;
	uint64_t count, total_ns, min_ns, max_ns;
};

enum { TALLY_FTRACE_BUCKETS = 22 };

/* Bucket 0 is less than one unit, n those from 2^(n-1) units on, the last has no end. */
struct tally_ftrace_histogram {
	uint64_t unit_ns;
	uint64_t bucket[TALLY_FTRACE_BUCKETS];
	struct tally_ftrace_stat all;
};

struct tally_ftrace_stats {
	struct tally_intern names;
	TALLY_VEC(struct tally_ftrace_stat) by_name; /* index: the name's id */
};

/* Add a call. 0 or -ENOMEM. */
int tally_ftrace_stats_add(struct tally_ftrace_stats *stats, const char *name, size_t len,
			   uint64_t ns);
void tally_ftrace_stats_free(struct tally_ftrace_stats *stats);

void tally_ftrace_histogram_add(struct tally_ftrace_histogram *histogram, uint64_t ns);

/* Time from an event to another one of the same thread. */
struct tally_ftrace_pair {
	const char *from, *to;  /* names of tracepoints, without their system */
	struct tally_map since; /* tid to ns */
};

/* Follow an EVENT line; whether it ends a pair, which took `*ret_ns`. Lines of no known thread, and
 * those that there is no memory for, are passed over. */
bool tally_ftrace_pair_follow(struct tally_ftrace_pair *pair, const struct tally_ftrace_line *line,
			      uint64_t *ret_ns);

#endif
