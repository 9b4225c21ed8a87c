/* SPDX-License-Identifier: BSD-2-Clause */
/* The end of a task's events. */
#ifndef TALLY_CORE_INHERIT_H
#define TALLY_CORE_INHERIT_H

#include "core/core_private.h"

/* End the events of a context that was detached from `task`, and release the task's reference to
 * it. Only the IDs of `task` are used. `exited`: write EXIT records. Called with the family lock
 * and a reference to the family held; both are released. */
void tally_inherit_end(struct tally_core_context *context, struct tally_core_task *task,
		       bool exited);

/* Write EXIT records of a task without events to the events of this CPU. */
void tally_inherit_emit_exit(struct tally_core *core, const struct tally_core_task *task);

#endif
