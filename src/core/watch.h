/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether hooks are of use to anybody: tally_core_is_watched(). */
#ifndef TALLY_CORE_WATCH_H
#define TALLY_CORE_WATCH_H

#include "core/private.h"

/* -ENOMEM. */
int tally_watch_init(struct tally_core *core);
void tally_watch_exit(struct tally_core *core);

/* One event or context of a task more. The first has every CPU asked who runs there, as nobody told
 * the core. Without locks; may sleep. */
void tally_watch_get(struct tally_core *core);
void tally_watch_put(struct tally_core *core);

/* Who runs on this CPU, which nobody told. With interrupts off. */
void tally_watch_learn(struct tally_core_cpu *cpu);

#endif
