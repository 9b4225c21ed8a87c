/* SPDX-License-Identifier: BSD-2-Clause */
/* Tasks of the simulated machine. */
#ifndef TALLY_HOSTS_SIM_TASK_H
#define TALLY_HOSTS_SIM_TASK_H

#include "hosts/sim/sim.h"

/* Create a task. TIDs count up from 100. Returns NULL if out of memory. The task exists until the
 * machine is destroyed, even after its exit, for its exact counts. */
struct tally_sim_task *tally_sim_task_new(struct tally_sim *sim,
					  const struct tally_sim_spawn *spawn);

/* Set the IDs of the next task that is created, instead of those in sequence. */
void tally_sim_number_next(struct tally_sim *sim, int32_t pid, int32_t tid);

/* Return the i-th task in the order of creation; NULL after the last one. */
struct tally_sim_task *tally_sim_task_at(struct tally_sim *sim, size_t i);

int32_t tally_sim_task_tid(const struct tally_sim_task *task);

int32_t tally_sim_task_pid(const struct tally_sim_task *task);

bool tally_sim_task_exited(const struct tally_sim_task *task);

uint32_t tally_sim_task_cpu(const struct tally_sim_task *task);

bool tally_sim_task_runs(const struct tally_sim_task *task); /* is on its CPU now */

struct tally_core_task *tally_sim_task_perf(struct tally_sim_task *task);

struct tally_sim_task *tally_sim_task_parent(const struct tally_sim_task *task);

/* Change the credentials of a task, at any time. */
void tally_sim_task_set_caps(struct tally_sim_task *task, uint64_t caps);

void tally_sim_task_set_uid(struct tally_sim *sim, struct tally_sim_task *task, uint32_t uid);

void tally_sim_task_set_memlock(struct tally_sim_task *task, uint64_t bytes);

struct tally_sim_signals tally_sim_task_signals(const struct tally_sim_task *task);

#endif
