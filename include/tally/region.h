/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Count events in regions of a program's own code.
 *
 *	struct tally_regions *regions;
 *	tally_regions_open("cycles,instructions", NULL, &regions, NULL);
 *	tally_region_start(regions, "parse");
 *	...
 *	tally_region_stop(regions);
 *	tally_regions_write(regions, "regions.json");
 *	tally_regions_close(regions);
 *
 * In C++ a region can end with its block; see tally/region.hpp.
 *
 * The counters are opened once, for the calling thread, and run until they are closed. A region's
 * counts are the difference between two readings. If the processor and the kernel permit it (see
 * cap_user_rdpmc and cap_user_time in perf_event_open(2)), counters are read without a system call.
 * Otherwise each group of events takes one read(2): "{task-clock,faults}" takes one,
 * "task-clock,faults" two.
 *
 * Regions can be nested. A region inside another region is that region's child in a tree, with its
 * own name. The counts of a region include those of its children.
 *
 * Threads: an object belongs to the thread that opened it. Each thread opens its own object, and
 * tally_regions_add() merges their trees. tally_region_start() and tally_region_stop() fail with
 * -EPERM in other threads; the other functions may be called by any thread while no other thread
 * uses the object. A child created by fork(2) must open its own object; the only function that it
 * may call for its parent's object is tally_regions_close().
 *
 * "tally stat --regions PROGRAM" shows the regions of all processes and threads that write them.
 *
 * No function prints anything, and nothing is written at exit unless options.at_exit is set.
 * Functions that return int return 0 or a negative errno; `ret_` pointers are untouched on failure.
 *
 * Finding a region takes 0.1 us, also among thousands. longjmp(3) out of a region leaves it active;
 * signal handlers must not start regions.
 *
 * Not supported: system-wide events (uncore) and perf's tool events (duration_time); child threads;
 * regions that overlap without being nested.
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
	TALLY_REGIONS_DEPTH = 64,     /* maximum nesting depth */
	TALLY_REGIONS_MAX = 65536,    /* maximum number of regions in a tree */
	TALLY_REGIONS_NAME_MAX = 255, /* maximum length of a name in bytes */
	TALLY_REGIONS_EVENTS_MAX = 64,
};

/* The counters and regions of one thread. */
struct tally_regions;

/* Options of tally_regions_open(). An all-zero structure selects the defaults. */
struct tally_regions_options {
	const struct tally_transport *transport; /* NULL for the running kernel */
	/* The method of reading counters without a system call. NULL selects the processor's
	 * instructions if `transport` is NULL, and no method otherwise. */
	const struct tally_self_reader *reader;
	bool time; /* also measure the time of regions (CLOCK_MONOTONIC) */
	/* Call tally_regions_write(regions, NULL) when the object is closed, or at exit(3) if it is
	 * still open. Errors of that call are not reported, and children created by fork(2) do not
	 * make it. At exit, no other thread may be using the object. */
	bool at_exit;
};

/* The reason why tally_regions_open() failed. */
struct tally_regions_error {
	int code;                       /* the -errno returned */
	struct tally_event_error event; /* code is 0 if the event names are not the reason */
	struct tally_refusal refusal;   /* code is 0 if opening the events is not the reason */
};

/*
 * Open counters for the calling thread. `events` is a list as for tally_events_parse(); NULL
 * selects "cycles,instructions,task-clock". An event that is not supported or not permitted is not
 * an error: its counts have the corresponding quality, and tally_regions_refusal() returns the
 * reason. NULL `options` means all zero. `err` may be NULL. Return 0; -EINVAL for a list that
 * cannot be parsed or that contains unsupported events; -E2BIG for more than
 * TALLY_REGIONS_EVENTS_MAX events; -ENOMEM; or an error from tally_events_parse() or
 * tally_counters_open().
 */
int tally_regions_open(const char *events, const struct tally_regions_options *options,
		       struct tally_regions **ret_regions, struct tally_regions_error *err);

/* Close the counters and free the object, after writing it if options.at_exit was set. NULL is
 * allowed. */
void tally_regions_close(struct tally_regions *regions);

/*
 * Start a region. `name` is copied when it is first used at this position in the tree. Each start,
 * even one that fails, must be paired with one tally_region_stop(). A region that could not be
 * started is not counted, and is included in tally_regions_unmeasured(). If `regions` is NULL, do
 * nothing and return 0. Return 0; -EPERM in a thread other than the one that opened the object;
 * -EINVAL for an empty name or one longer than TALLY_REGIONS_NAME_MAX; -E2BIG if the region is
 * nested deeper than TALLY_REGIONS_DEPTH, if there are more than TALLY_REGIONS_MAX regions, or if
 * the enclosing region could not be started; -ENOMEM.
 */
int tally_region_start(struct tally_regions *regions, const char *name);

/* End the region that was started last. If `regions` is NULL, do nothing and return 0. Return 0;
 * -EPERM in another thread; -EINVAL if no region is active. */
int tally_region_stop(struct tally_regions *regions);

/* ---- results ------------------------------------------------------------------------------- */

/* Value of `parent` for a region that is not inside another region. */
#define TALLY_REGIONS_NO_PARENT ((size_t)-1)

/* A region in the tree. */
struct tally_region {
	const char *name; /* valid until tally_regions_close() */
	size_t parent;    /* index of the enclosing region, always below the region's own */
	uint64_t calls;   /* number of completed calls */
	uint64_t time;    /* ns; 0 without options.time */
};

/* Return the number of regions. */
size_t tally_regions_nr(const struct tally_regions *regions);

/* Return the number of events. */
size_t tally_regions_nr_events(const struct tally_regions *regions);

/* Get a region by its index. Indices start at 0, in the order in which the regions were first
 * started. Return 0, or -ENOENT if the region does not exist. */
int tally_regions_get(const struct tally_regions *regions, size_t region,
		      struct tally_region *ret_region);

/* Get an event's count in a region, summed over all completed calls, including nested regions.
 * Return 0, or -ENOENT if the region or the event does not exist. */
int tally_regions_count(const struct tally_regions *regions, size_t region, size_t event,
			struct tally_count *ret_count);

/* Return an event's name with its modifiers, such as "cycles:u"; NULL if the event does not exist.
 * The string is valid until tally_regions_close(). */
const char *tally_regions_event(const struct tally_regions *regions, size_t event);

/* Return why an event is not counted; NULL if it is counted or does not exist. The result belongs
 * to `regions`. */
const struct tally_refusal *tally_regions_refusal(const struct tally_regions *regions,
						  size_t event);

/* Return true if an event, and all others of its group, can be read without a system call while
 * they are on counters. */
bool tally_regions_is_self_read(const struct tally_regions *regions, size_t event);

/* Return the number of starts that were not counted because tally_region_start() failed. Starts in
 * another thread (-EPERM) are not included. */
uint64_t tally_regions_unmeasured(const struct tally_regions *regions);

/* Add another object's tree, region by region. Both objects must have the same events, and no other
 * thread may use either of them during the call. Return 0; -EINVAL if the events differ; -E2BIG
 * beyond TALLY_REGIONS_MAX; -ENOMEM. After -E2BIG or -ENOMEM, part of the tree has been added. */
int tally_regions_add(struct tally_regions *regions, const struct tally_regions *more);

/*
 * Write all regions as JSON (docs/library.md) to a file. A regular file is created or replaced; a
 * device, a pipe or a symbolic link is opened and written. If `path` is NULL, use the path in the
 * environment variable TALLY_REGIONS, with "%p" replaced by the process ID and "%t" by the ID of
 * the thread that opened the object. If that variable is unset or empty, or the program runs with
 * more rights than its caller (see secure_getenv(3)), nothing is written and the result is 0, so a
 * program may always end with this call. Return 0; -ENXIO for a FIFO without a reader; -ENOMEM;
 * -ENAMETOOLONG; or the error from open(2), write(2) or rename(2).
 */
int tally_regions_write(const struct tally_regions *regions, const char *path);

#ifdef __cplusplus
}
#endif

#endif
