/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A simulated machine on which random things happen, and what has to be true all the time.
 *
 * It opens events as one monitor, on tasks that run, fork, move and end, and knows for
 * each event what it should have counted: the machine's truth over the times it was enabled.
 */
#ifndef TALLY_TESTS_CORE_RANDOM_SIM_H
#define TALLY_TESTS_CORE_RANDOM_SIM_H

#include "hosts/sim/files.h"
#include "hosts/sim/loop.h"
#include "hosts/sim/script.h"
#include "hosts/sim/task.h"
#include "hosts/sim/text.h"
#include "hosts/sim/truth.h"
#include "random.h"

enum { RANDOM_SIM_TASKS = 24, RANDOM_SIM_EVENTS = 40, RANDOM_SIM_OPS = 20 };

/* What an event should have counted: truth up to `base`, if it counts now, plus `sum`. */
struct expectation {
	uint64_t value, enabled, running;
};

struct random_sim_event {
	int fd; /* -1: closed */
	struct perf_event_attr attr;
	struct tally_sim_task *task; /* NULL: of a CPU */
	int32_t cpu;
	uint64_t id;  /* of the task's place among all, for the log */
	int leader;   /* index; itself when it leads */
	bool on;      /* it is enabled, whatever its leader is */
	bool known;   /* what it should have counted is known */
	bool stands;  /* it may be throttled: it or a member of its group samples */
	bool limited; /* it was given a number of overflows, and may go off by itself */
	struct expectation base, sum;
	uint64_t last_value, last_enabled, last_running;
	void *ring;        /* its mapping */
	uint64_t produced; /* samples that left the ring, and those it says were lost */
};

struct random_sim {
	struct random random;
	struct tally_sim *sim;
	uint32_t nr_cpus, nr_pmus;
	uint32_t gone;  /* CPUs that are off line, as bits */
	bool throttles; /* samples may come too often: then they, and what they count, stop */
	struct tally_sim_pmu pmus[2];
	struct tally_sim_task *monitor;
	struct tally_sim_task *tasks[RANDOM_SIM_TASKS];
	struct random_sim_event events[RANDOM_SIM_EVENTS];
	uint64_t ops, checks; /* done so far; values compared with the truth */
	char log[8192][160];  /* the last operations, for who has to find out */
};

void random_sim_start(struct random_sim *random_sim, struct random random);

/* One random operation. */
void random_sim_step(struct random_sim *random_sim);

/* Everything that must hold at any time; fails the test with the log when something does not. */
void random_sim_check(struct random_sim *random_sim);

/* Read one event and compare with what is known. */
void random_sim_read(struct random_sim *random_sim, struct random_sim_event *event);

/* Whether the event counts when its task runs: it and its leader are enabled. */
bool random_sim_counts(const struct random_sim *random_sim, const struct random_sim_event *event);

/* From now on, or up to now, what happens is what the event should count. */
void random_sim_window_open(struct random_sim *random_sim, struct random_sim_event *event);
void random_sim_window_close(struct random_sim *random_sim, struct random_sim_event *event);

/* It is enabled or disabled: with a leader the windows of all its group. */
void random_sim_set_on(struct random_sim *random_sim, struct random_sim_event *event, bool on);

/* What the event should have counted. */
struct expectation random_sim_expected(struct random_sim *random_sim,
				       const struct random_sim_event *event);

/* What the members of a group should count is not known any more; the same, if the leader is pinned
 * and in error, so that they stood still. */
void random_sim_forget_group(struct random_sim *random_sim, const struct random_sim_event *leader);
void random_sim_note_error(struct random_sim *random_sim, const struct random_sim_event *leader);

/* Note the operation in the log. */
__attribute__((format(printf, 2, 3))) void random_sim_log(struct random_sim *random_sim,
							  const char *format, ...);

/* Print the log and fail. */
__attribute__((format(printf, 2, 3), noreturn)) void random_sim_fail(struct random_sim *random_sim,
								     const char *format, ...);

/* Close everything; nothing may be left. */
void random_sim_end(struct random_sim *random_sim);

#endif
