/* SPDX-License-Identifier: BSD-2-Clause */
/* Scheduling and execution: the scheduler, the passage of time, tasks and their scripts. */
#ifndef TALLY_HOSTS_SIM_SCHEDULE_H
#define TALLY_HOSTS_SIM_SCHEDULE_H

#include "hosts/sim/sim_private.h"

/* sim_sched.c */
void sim_switch(struct tally_sim *sim, uint32_t cpu, struct tally_sim_task *next, bool preempt);
void sim_ready(struct tally_sim *sim, struct tally_sim_task *task);
void sim_schedule(struct tally_sim *sim, uint32_t cpu);
void sim_sleep(struct tally_sim *sim, struct tally_sim_task *task, uint64_t until);
void sim_wake(struct tally_sim *sim, struct tally_sim_task *task);
void sim_migrate(struct tally_sim *sim, struct tally_sim_task *task, uint32_t cpu);
void sim_set_priority(struct tally_sim *sim, struct tally_sim_task *task, int32_t priority);
void sim_quantum_end(struct tally_sim *sim, uint32_t cpu);

/* sim_loop.c */
void sim_pass_time(struct tally_sim *sim);

/* sim_task.c */
int sim_fork(struct tally_sim *sim, struct tally_sim_task *task, const struct tally_sim_step *step);
void sim_exit(struct tally_sim *sim, struct tally_sim_task *task);
void sim_task_free(struct tally_sim_task *task);

/* sim_script.c: execute all steps of the current task up to its next RUN step. */
void sim_advance(struct tally_sim *sim, struct tally_sim_task *task);

#endif
