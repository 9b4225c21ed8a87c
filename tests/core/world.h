/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A simulated machine on which random things happen, and what has to be true all the time.
 *
 * The world opens events as one monitor, on tasks that run, fork, move and end, and knows for
 * each event what it should have counted: the machine's truth over the times it was enabled.
 */
#ifndef TALLY_TESTS_CORE_WORLD_H
#define TALLY_TESTS_CORE_WORLD_H

#include "machines/sim/files.h"
#include "machines/sim/loop.h"
#include "machines/sim/script.h"
#include "machines/sim/task.h"
#include "machines/sim/text.h"
#include "machines/sim/truth.h"
#include "random.h"

enum { WORLD_TASKS = 24, WORLD_EVENTS = 40, WORLD_OPS = 20 };

/* What an event should have counted: truth up to `base`, if it counts now, plus `sum`. */
struct expectation {
	uint64_t value, enabled, running;
};

struct world_event {
	int fd; /* -1: closed */
	struct perf_event_attr attr;
	struct tally_sim_task *task; /* NULL: of a CPU */
	int32_t cpu;
	uint64_t id;  /* of the task's place among all, for the log */
	int leader;   /* index; itself when it leads */
	bool on;      /* it is enabled, whatever its leader is */
	bool known;   /* what it should have counted is known */
	bool limited; /* it was given a number of overflows, and may go off by itself */
	struct expectation base, sum;
	uint64_t last_value, last_enabled, last_running;
	void *ring;        /* its mapping */
	uint64_t produced; /* samples that left the ring, and those it says were lost */
};

struct world {
	struct random random;
	struct tally_sim *sim;
	uint32_t nr_cpus, nr_pmus;
	bool throttles; /* samples may come too often: then they, and what they count, stop */
	struct tally_sim_pmu pmus[2];
	struct tally_sim_task *monitor;
	struct tally_sim_task *tasks[WORLD_TASKS];
	struct world_event events[WORLD_EVENTS];
	uint64_t ops, checks; /* done so far; values compared with the truth */
	char log[8192][160];  /* the last operations, for who has to find out */
};

void world_start(struct world *world, struct random random);

/* One random operation. */
void world_step(struct world *world);

/* Everything that must hold at any time; fails the test with the log when something does not. */
void world_check(struct world *world);

/* Read one event and compare with what is known. */
void world_read(struct world *world, struct world_event *event);

/* Whether the event counts when its task runs: it and its leader are enabled. */
bool world_counts(const struct world *world, const struct world_event *event);

/* From now on, or up to now, what happens is what the event should count. */
void world_window_open(struct world *world, struct world_event *event);
void world_window_close(struct world *world, struct world_event *event);

/* It is enabled or disabled: with a leader the windows of all its group. */
void world_set_on(struct world *world, struct world_event *event, bool on);

/* What the event should have counted. */
struct expectation world_expected(struct world *world, const struct world_event *event);

/* What the members of a group should count is not known any more; the same, if the leader is pinned
 * and in error, so that they stood still. */
void world_forget_group(struct world *world, const struct world_event *leader);
void world_note_error(struct world *world, const struct world_event *leader);

/* Note the operation in the log. */
__attribute__((format(printf, 2, 3))) void world_log(struct world *world, const char *format, ...);

/* Print the log and fail. */
__attribute__((format(printf, 2, 3), noreturn)) void world_fail(struct world *world,
								const char *format, ...);

/* Close everything; nothing may be left. */
void world_end(struct world *world);

#endif
