/* SPDX-License-Identifier: BSD-2-Clause */
/* Declarations shared by region*.c; private to client/. */
#ifndef TALLY_CLIENT_REGION_PRIVATE_H
#define TALLY_CLIENT_REGION_PRIVATE_H

#include <pthread.h>

#include "base/map.h"
#include "base/vec.h"
#include "client/self_read.h"
#include "tally/region.h"

enum { REGION_NONE = UINT32_MAX };

/* A region in the tree. Its children form a list, starting with the child found most recently. */
struct region_node {
	char *name;
	uint32_t parent, child, next;
	uint64_t calls, time;
};

/* A started region. */
struct region_frame {
	uint32_t node; /* REGION_NONE if it could not be started */
	uint64_t time;
	struct self_reading sums[TALLY_REGIONS_EVENTS_MAX];
};

struct region_event {
	size_t leader;
	/* The counter is gone or could not be read, so all its counts are incomplete. */
	bool lost;
};

/* Links an object to its call at exit, which cannot be cancelled. */
struct region_exit {
	struct tally_regions *regions; /* NULL after the object was closed */
};

struct tally_regions {
	struct tally_counters *counters;
	struct tally_event_list *list;
	const struct tally_transport *transport;
	const struct tally_self_reader *reader;
	pthread_t thread;
	int32_t pid, tid;         /* of the thread that opened the object */
	struct region_exit *exit; /* NULL without options.at_exit */
	bool time;
	size_t depth; /* number of started regions, including those beyond TALLY_REGIONS_DEPTH */
	uint64_t unmeasured;
	uint32_t roots;           /* index of the first top-level region */
	struct tally_map by_name; /* hash of parent and name to a region; see region_find() */
	TALLY_VEC(struct region_node) nodes;
	TALLY_VEC(struct self_reading) sums; /* differences, indexed by node * events + event */
	/* The pages of groups that can be read without a system call, and their events. */
	size_t nr_pages;
	const struct perf_event_mmap_page *pages[TALLY_REGIONS_EVENTS_MAX];
	uint8_t page_events[TALLY_REGIONS_EVENTS_MAX];
	struct region_event events[TALLY_REGIONS_EVENTS_MAX];
	struct region_frame frames[TALLY_REGIONS_DEPTH];
};

/* Find the region `name` below `parent` (REGION_NONE for the top level), or create it. Returns 0,
 * or -EINVAL, -E2BIG or -ENOMEM as in tally_region_start(). */
int region_find(struct tally_regions *regions, uint32_t parent, const char *name,
		uint32_t *ret_node);

#endif
