/* SPDX-License-Identifier: BSD-2-Clause */
/* Users of the hooks: tally_core_is_watched(). */
#ifndef TALLY_CORE_WATCH_H
#define TALLY_CORE_WATCH_H

#include "core/core_private.h"

/* Set up or free the state behind the functions below. tally_watch_init() returns 0 or -ENOMEM. */
int tally_watch_init(struct tally_core *core);
void tally_watch_exit(struct tally_core *core);

/* Add or remove a user: an event or a task's context. The first one asks all CPUs for the tasks
 * that run there, as these were not reported. tally_watch_get() is called without locks and may
 * sleep. */
void tally_watch_get(struct tally_core *core);
void tally_watch_put(struct tally_core *core);

/* Ask the host for the task that runs on this CPU, as it was not reported. Called with interrupts
 * off. */
void tally_watch_find_running(struct tally_core_cpu *cpu);

#endif
