/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to client/: shared by the region*.c files. */
#ifndef TALLY_CLIENT_REGION_PRIVATE_H
#define TALLY_CLIENT_REGION_PRIVATE_H

#include <pthread.h>

#include "base/vec.h"
#include "tally/region.h"

enum { REGION_NONE = UINT32_MAX };

/* The values of a counter, or a sum of their differences. */
struct region_sum {
	uint64_t value, enabled, running;
};

/* A region of the tree. Its children are a list, with the most recently found one first. */
struct region_node {
	char *name;
	uint32_t parent, child, next;
	uint64_t calls, time;
};

/* A started region. */
struct region_frame {
	uint32_t node; /* REGION_NONE: it could not be started */
	uint64_t time;
	struct region_sum sums[TALLY_REGIONS_EVENTS_MAX];
};

struct region_event {
	const struct perf_event_mmap_page *page; /* NULL: reading it takes a system call */
	size_t leader;
	/* `lost`: the counter is gone or could not be read, so none of its counts is complete. */
	bool lost;
};

struct tally_regions {
	struct tally_counters *counters;
	struct tally_event_list *list;
	const struct tally_transport *transport;
	const struct tally_self_reader *reader;
	pthread_t thread;
	bool time;
	size_t depth; /* started regions, including those beyond TALLY_REGIONS_DEPTH */
	uint64_t unmeasured;
	uint32_t roots; /* first region at the top level */
	TALLY_VEC(struct region_node) nodes;
	TALLY_VEC(struct region_sum) sums; /* [node * events + event] */
	struct region_event events[TALLY_REGIONS_EVENTS_MAX];
	struct region_frame frames[TALLY_REGIONS_DEPTH];
};

/* Find the region `name` below `parent` (REGION_NONE: at the top level), or create it. Returns 0,
 * or -EINVAL, -E2BIG or -ENOMEM as tally_region_start() does. */
int region_find(struct tally_regions *regions, uint32_t parent, const char *name,
		uint32_t *ret_node);

#endif
