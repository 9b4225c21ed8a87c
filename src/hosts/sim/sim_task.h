/* SPDX-License-Identifier: BSD-2-Clause */
/* Tasks in the simulated machine. */
#ifndef TALLY_HOSTS_SIM_TASK_H
#define TALLY_HOSTS_SIM_TASK_H

#include "hosts/sim/sim.h"

/* Create a task. TIDs start at 100. Returns NULL if out of memory. The task structure and its exact
 * counts exist until the machine is destroyed, even after the task has exited. */
struct tally_sim_task *tally_sim_task_new(struct tally_sim *sim,
					  const struct tally_sim_spawn *spawn);

/* Set the IDs of the next task to be created, overriding the next IDs in sequence. */
void tally_sim_number_next(struct tally_sim *sim, int32_t pid, int32_t tid);

/* Return the i-th task in order of creation, or NULL if there are fewer tasks. */
struct tally_sim_task *tally_sim_task_at(struct tally_sim *sim, size_t i);

int32_t tally_sim_task_tid(const struct tally_sim_task *task);

int32_t tally_sim_task_pid(const struct tally_sim_task *task);

bool tally_sim_task_exited(const struct tally_sim_task *task);

uint32_t tally_sim_task_cpu(const struct tally_sim_task *task);

bool tally_sim_task_runs(const struct tally_sim_task *task); /* true while the task is running */

struct tally_core_task *tally_sim_task_perf(struct tally_sim_task *task);

struct tally_sim_task *tally_sim_task_parent(const struct tally_sim_task *task);

/* Change a task's credentials. May be called at any time. */
void tally_sim_task_set_caps(struct tally_sim_task *task, uint64_t caps);

void tally_sim_task_set_uid(struct tally_sim *sim, struct tally_sim_task *task, uint32_t uid);

void tally_sim_task_set_memlock(struct tally_sim_task *task, uint64_t bytes);

struct tally_sim_signals tally_sim_task_signals(const struct tally_sim_task *task);

#endif
