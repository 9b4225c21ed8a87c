/* SPDX-License-Identifier: BSD-2-Clause */
/* Count the users of the core's hooks. tally_core_is_watched() tests whether there are any. */
#ifndef TALLY_CORE_WATCH_H
#define TALLY_CORE_WATCH_H

#include "core/core_private.h"

/* Set up or free the state used by the functions below. tally_watch_init() returns 0 or -ENOMEM. */
int tally_watch_init(struct tally_core *core);
void tally_watch_exit(struct tally_core *core);

/* Add or remove a user: an event or a task's context. Adding the first user asks all CPUs for their
 * running tasks, because the hooks did not report switches until then. tally_watch_get() is called
 * without locks and may sleep. */
void tally_watch_get(struct tally_core *core);
void tally_watch_put(struct tally_core *core);

/* Ask the host for the task that is running on this CPU, because it was not reported. Called with
 * interrupts off. */
void tally_watch_find_running(struct tally_core_cpu *cpu);

#endif
