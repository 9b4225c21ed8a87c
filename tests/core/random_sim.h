/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A simulated machine on which random operations happen, and the invariants that must hold at any
 * time.
 *
 * The monitor task opens events on tasks that run, fork, migrate and exit. For each event the
 * machine's truth over the time that it was enabled gives the expected count.
 */
#ifndef TALLY_TESTS_CORE_RANDOM_SIM_H
#define TALLY_TESTS_CORE_RANDOM_SIM_H

#include "hosts/sim/sim_files.h"
#include "hosts/sim/sim_loop.h"
#include "hosts/sim/sim_script.h"
#include "hosts/sim/sim_task.h"
#include "hosts/sim/sim_text.h"
#include "hosts/sim/truth.h"
#include "random.h"

enum { RANDOM_SIM_TASKS = 24, RANDOM_SIM_EVENTS = 40, RANDOM_SIM_OPS = 20 };

/* Expected counts of an event: `sum`, plus the truth since `base` if the event is counting. */
struct expectation {
	uint64_t value, enabled, running;
};

struct random_sim_event {
	int fd; /* -1: closed */
	struct perf_event_attr attr;
	struct tally_sim_task *task; /* NULL: CPU event */
	int32_t cpu;
	uint64_t id;  /* number of the task, for the log */
	int leader;   /* index; of the event itself if it leads */
	bool on;      /* enabled, whatever the state of its leader */
	bool known;   /* the expected counts are known */
	bool stands;  /* may be throttled: this event or a member of its group samples */
	bool limited; /* has a limit of overflows, and may disable itself */
	struct expectation base, sum;
	uint64_t last_value, last_enabled, last_running;
	void *ring;        /* its mapping, or NULL */
	uint64_t produced; /* samples consumed from the ring, plus those reported lost */
};

struct random_sim {
	struct random random;
	struct tally_sim *sim;
	uint32_t nr_cpus, nr_pmus;
	uint32_t gone;  /* bitmask of CPUs that are offline */
	bool throttles; /* samples may come too often; throttled events do not count */
	struct tally_sim_pmu pmus[2];
	struct tally_sim_task *monitor;
	struct tally_sim_task *tasks[RANDOM_SIM_TASKS];
	struct random_sim_event events[RANDOM_SIM_EVENTS];
	uint64_t ops, checks; /* operations so far; values compared with the truth */
	char log[8192][160];  /* the last operations, for debugging */
};

void random_sim_start(struct random_sim *random_sim, struct random random);

/* Perform one random operation. */
void random_sim_step(struct random_sim *random_sim);

/* Check all invariants. Prints the log and fails the test if one does not hold. */
void random_sim_check(struct random_sim *random_sim);

/* Read one event and compare its counts with the expected ones. */
void random_sim_read(struct random_sim *random_sim, struct random_sim_event *event);

/* Return true if the event counts while its task runs: it and its leader are enabled. */
bool random_sim_counts(const struct random_sim *random_sim, const struct random_sim_event *event);

/* Begin or end a window in which the event is expected to count. */
void random_sim_window_open(struct random_sim *random_sim, struct random_sim_event *event);
void random_sim_window_close(struct random_sim *random_sim, struct random_sim_event *event);

/* Mark an event as enabled or disabled. For a leader, this opens or closes the windows of its whole
 * group. */
void random_sim_set_on(struct random_sim *random_sim, struct random_sim_event *event, bool on);

/* Return the expected counts of the event. */
struct expectation random_sim_expected(struct random_sim *random_sim,
				       const struct random_sim_event *event);

/* Mark the expected counts of a group as unknown; random_sim_note_error() does so only if the
 * leader is pinned and in the error state, in which its group does not count. */
void random_sim_forget_group(struct random_sim *random_sim, const struct random_sim_event *leader);
void random_sim_note_error(struct random_sim *random_sim, const struct random_sim_event *leader);

/* Write an entry to the log. */
__attribute__((format(printf, 2, 3))) void random_sim_log(struct random_sim *random_sim,
							  const char *format, ...);

/* Print the log and fail the test. */
__attribute__((format(printf, 2, 3), noreturn)) void random_sim_fail(struct random_sim *random_sim,
								     const char *format, ...);

/* Close everything and check that nothing leaked. */
void random_sim_end(struct random_sim *random_sim);

#endif
