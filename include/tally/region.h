/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counting regions of one's own code, by the names of events.
 *
 *	struct tally_regions *regions;
 *	tally_regions_open("cycles,instructions", NULL, &regions, NULL);
 *	tally_region_start(regions, "parse");
 *	...
 *	tally_region_stop(regions);
 *	tally_regions_write(regions, "regions.json");
 *	tally_regions_close(regions);
 *
 * In C++ a region can end with its block: tally/region.hpp.
 *
 * The counters are opened once, for the thread that opens them, and run until they are closed: a
 * region is the difference of two readings. They are read without a system call where the processor
 * and the kernel let user space (perf_event_open(2), cap_user_rdpmc and cap_user_time), else with
 * one read(2) for each group of events: "{task-clock,faults}" takes one, "task-clock,faults" two.
 *
 * Regions nest. A region inside another is one of its own, with its own name, below it: what is
 * counted is a tree of them, and a region's counts include those of the regions within.
 *
 * An object belongs to the thread that opened it: each thread opens its own, and their trees are
 * added up by tally_regions_add(). A child of fork(2) opens its own too; of its parent's it may
 * only call tally_regions_close(). Nothing here prints, and nothing is done at exit behind the
 * program's back. Functions return 0 or a negative errno; `ret_` pointers are untouched on failure.
 *
 * Not supported: events of a whole machine (uncore) and times of perf's tools (duration_time);
 * children of the thread; regions that overlap without one being within the other.
 */
#ifndef TALLY_REGION_H
#define TALLY_REGION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tally/client.h"
#include "tally/events.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
	TALLY_REGIONS_DEPTH = 64,     /* regions within each other */
	TALLY_REGIONS_MAX = 65536,    /* regions of a tree */
	TALLY_REGIONS_NAME_MAX = 255, /* bytes of a name */
	TALLY_REGIONS_EVENTS_MAX = 64,
};

struct tally_regions;

struct tally_regions_options {
	const struct tally_transport *transport; /* NULL: the running kernel's */
	/* How counters are read without a system call. NULL: by the processor's instructions where
	 * `transport` is NULL, else not at all. */
	const struct tally_self_reader *reader;
	bool time; /* measure the time of regions too (CLOCK_MONOTONIC) */
};

/* Why regions could not be opened. */
struct tally_regions_error {
	int code;                       /* the -errno returned */
	struct tally_event_error event; /* code 0: the names of the events are not to blame */
	struct tally_refusal refusal;   /* code 0: nothing was refused */
};

/*
 * Open counters of `events`, a list as tally_events_parse() takes it (NULL:
 * "cycles,instructions,task-clock"), for the calling thread. An event that is not supported or not
 * permitted is no error: its counts say so by their quality, and tally_regions_refusal() why.
 * `options` NULL: all zero. `err` may be NULL.
 * 0; -EINVAL for a list that cannot be parsed, or has what is not supported here; -E2BIG for more
 * than TALLY_REGIONS_EVENTS_MAX; -ENOMEM; else an error of tally_events_parse() or
 * tally_counters_open().
 */
int tally_regions_open(const char *events, const struct tally_regions_options *options,
		       struct tally_regions **ret_regions, struct tally_regions_error *err);

/* Close the counters, and free all. Takes NULL. */
void tally_regions_close(struct tally_regions *regions);

/*
 * A region starts. `name` is copied when it is first seen there. Each start, also one that
 * fails, is paired with one tally_region_stop(): of a region that could not be started nothing
 * is counted, and it is among tally_regions_unmeasured(). `regions` NULL: nothing is done.
 * 0; -EPERM from another thread than the one that opened it; -EINVAL for a name that is empty
 * or longer than TALLY_REGIONS_NAME_MAX; -E2BIG deeper than TALLY_REGIONS_DEPTH, beyond
 * TALLY_REGIONS_MAX, or within one that could not be started; -ENOMEM.
 */
int tally_region_start(struct tally_regions *regions, const char *name);

/* The region that was started last ends. `regions` NULL: nothing is done. 0; -EPERM as above;
 * -EINVAL when none is started. */
int tally_region_stop(struct tally_regions *regions);

/* ---- results ------------------------------------------------------------------------------- */

/* What stands in struct tally_region for "below no other". */
#define TALLY_REGIONS_NO_PARENT ((size_t)-1)

struct tally_region {
	const char *name; /* lives until tally_regions_close() */
	size_t parent;    /* index of the region that it is within, always smaller than its own */
	uint64_t calls;   /* that have ended */
	uint64_t time;    /* ns; 0 without options.time */
};

size_t tally_regions_nr(const struct tally_regions *regions);
size_t tally_regions_nr_events(const struct tally_regions *regions);

/* Region by its index, from 0 in the order of their first start. 0, or -ENOENT. */
int tally_regions_get(const struct tally_regions *regions, size_t region,
		      struct tally_region *ret_region);

/* What an event counted in a region in all of its calls that have ended, the regions within
 * included. 0, or -ENOENT when there is no such region or event. */
int tally_regions_count(const struct tally_regions *regions, size_t region, size_t event,
			struct tally_count *ret_count);

/* An event's name with its modifiers, "cycles:u"; NULL if there is no such event. Lives until
 * tally_regions_close(). */
const char *tally_regions_event(const struct tally_regions *regions, size_t event);

/* Why an event does not count; NULL when it does, or when there is none. */
const struct tally_refusal *tally_regions_refusal(const struct tally_regions *regions,
						  size_t event);

/* Whether an event can be read without a system call whenever it is on a counter. */
bool tally_regions_reads_itself(const struct tally_regions *regions, size_t event);

/* Starts of which nothing was counted, as tally_region_start() failed. */
uint64_t tally_regions_unmeasured(const struct tally_regions *regions);

/* Add another thread's tree, which counted the same events, region by region. Both are at rest:
 * no other thread uses them meanwhile. 0; -EINVAL when the events are others; -E2BIG beyond
 * TALLY_REGIONS_MAX, or -ENOMEM, with part of it added. */
int tally_regions_add(struct tally_regions *regions, const struct tally_regions *more);

/*
 * Write all as JSON (docs/library.md) into a file that is made or replaced. `path` NULL: the one
 * that the environment names in TALLY_REGIONS, "%p" in which is the number of the process;
 * nothing is done where it names none, so that a program may always end with this call.
 * 0; -ENOMEM; -ENAMETOOLONG; the error of open(2), write(2) or rename(2).
 */
int tally_regions_write(const struct tally_regions *regions, const char *path);

#ifdef __cplusplus
}
#endif

#endif
