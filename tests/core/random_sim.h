/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A simulated machine for random operations, and invariants that must always hold.
 *
 * The monitor task opens events on tasks that run, fork, migrate and exit. The expected count of an
 * event is derived from the machine's true counts for the periods in which the event was enabled.
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

/* Counts of an event. The expected counts are `sum` plus, while the event is counting, the true
 * counts since `base`. */
struct expectation {
	uint64_t value, enabled, running;
};

struct random_sim_event {
	int fd; /* -1 if closed */
	struct perf_event_attr attr;
	struct tally_sim_task *task; /* NULL for CPU events */
	int32_t cpu;
	uint64_t id;  /* task number, for the log */
	int leader;   /* index of the leader, or of the event itself */
	bool on;      /* enabled, regardless of the leader's state */
	bool known;   /* the expected counts are known */
	bool stands;  /* may be throttled because a group member is sampling */
	bool limited; /* has an overflow limit, and may disable itself */
	struct expectation base, sum;
	uint64_t last_value, last_enabled, last_running;
	void *ring;        /* its mapping, or NULL */
	uint64_t produced; /* samples consumed from the ring or reported as lost */
};

struct random_sim {
	struct random random;
	struct tally_sim *sim;
	uint32_t nr_cpus, nr_pmus;
	uint32_t gone;  /* bitmask of offline CPUs */
	bool throttles; /* events may be throttled, and then do not count */
	struct tally_sim_pmu pmus[2];
	struct tally_sim_task *monitor;
	struct tally_sim_task *tasks[RANDOM_SIM_TASKS];
	struct random_sim_event events[RANDOM_SIM_EVENTS];
	uint64_t ops, checks; /* number of operations; number of values compared with the truth */
	char log[8192][160];  /* the last operations, for debugging */
};

void random_sim_start(struct random_sim *random_sim, struct random random);

/* Perform one random operation. */
void random_sim_step(struct random_sim *random_sim);

/* Check all invariants. If an invariant does not hold, print the log and fail the test. */
void random_sim_check(struct random_sim *random_sim);

/* Read an event and compare its counts with the expected ones. */
void random_sim_read(struct random_sim *random_sim, struct random_sim_event *event);

/* Return true if the event counts while its task runs, i.e. if both the event and its leader are
 * enabled. */
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

/* Mark the expected counts of a group as unknown. random_sim_note_error() does so only if the
 * leader is pinned and in the error state, in which the group does not count. */
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
