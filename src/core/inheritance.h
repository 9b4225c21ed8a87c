/* SPDX-License-Identifier: BSD-2-Clause */
/* End a task's events. */
#ifndef TALLY_CORE_INHERITANCE_H
#define TALLY_CORE_INHERITANCE_H

#include "core/core_private.h"

/* End the events of a context that was detached from `task`, and release the task's reference to
 * the context. Only the IDs of `task` are used. If `exited` is set, write EXIT records. Called with
 * the family lock and a reference to the family held; both are released. */
void tally_inherit_end(struct tally_core_context *context, struct tally_core_task *task,
		       bool exited);

/* Write EXIT records to this CPU's events for a task that has no events of its own. */
void tally_inherit_emit_exit(struct tally_core *core, const struct tally_core_task *task);

#endif
