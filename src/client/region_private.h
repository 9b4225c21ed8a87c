/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of regions share. */
#ifndef TALLY_CLIENT_REGION_PRIVATE_H
#define TALLY_CLIENT_REGION_PRIVATE_H

#include <pthread.h>

#include "base/vec.h"
#include "tally/region.h"

enum { REGION_NONE = UINT32_MAX };

/* What a counter showed, or the sum of differences of it. */
struct region_sum {
	uint64_t value, enabled, running;
};

/* A region of the tree. Those within one are a list, the one found last first. */
struct region_node {
	char *name;
	uint32_t parent, child, next;
	uint64_t calls, time;
};

/* A region that has started. */
struct region_frame {
	uint32_t node; /* REGION_NONE: it failed to */
	uint64_t time;
	struct region_sum sums[TALLY_REGIONS_EVENTS_MAX];
};

struct region_event {
	const struct perf_event_mmap_page *page; /* NULL: it cannot be read without a call */
	size_t leader;
	bool lost; /* it has no counter any more, or could not be read: none of its counts is whole
		    */
};

struct tally_regions {
	struct tally_counters *counters;
	struct tally_event_list *list;
	const struct tally_transport *transport;
	const struct tally_self_reader *reader;
	pthread_t thread;
	bool time;
	size_t depth; /* started, beyond TALLY_REGIONS_DEPTH too */
	uint64_t unmeasured;
	uint32_t roots; /* first of the regions below none */
	TALLY_VEC(struct region_node) nodes;
	TALLY_VEC(struct region_sum) sums; /* [node * events + event] */
	struct region_event events[TALLY_REGIONS_EVENTS_MAX];
	struct region_frame frames[TALLY_REGIONS_DEPTH];
};

/* The region called `name` below `parent` (REGION_NONE: below none); made if there is none. 0, or
 * -EINVAL, -E2BIG or -ENOMEM as tally_region_start(). */
int region_find(struct tally_regions *regions, uint32_t parent, const char *name,
		uint32_t *ret_node);

#endif
