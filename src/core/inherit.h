/* SPDX-License-Identifier: BSD-2-Clause */
/* The end of a task's events. */
#ifndef TALLY_CORE_INHERIT_H
#define TALLY_CORE_INHERIT_H

#include "core/private.h"

/* End what is in a context that was taken from `task`, of which only the numbers are looked at, and
 * give the task's reference to it back. `exited`: its events hear of it. With the family's lock and
 * a reference to it, which are given back. */
void tally_inherit_end(struct tally_core_context *context, struct tally_core_task *task,
		       bool exited);

/* A task without events ends: those of this CPU hear of it. */
void tally_inherit_emit_exit(struct tally_core *core, const struct tally_core_task *task);

#endif
