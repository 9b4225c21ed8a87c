/* SPDX-License-Identifier: BSD-2-Clause */
/* Making and ending events. C. */
#ifndef TALLY_CORE_EVENT_H
#define TALLY_CORE_EVENT_H

#include "core/private.h"

/* An event with this attr and no context yet; with a parent, an inherited one. -ENOMEM; what
 * the PMUs said, -ENOENT if it is none's. */
int tally_event_new(struct tally_core *core, const struct perf_event_attr *attr, int32_t cpu,
		    struct tally_core_event *parent, struct tally_core_event **ret_event);

/* Put it into a context, beside its leader. */
void tally_event_install(struct tally_core_event *event, struct tally_core_context *context,
			 struct tally_core_event *leader, enum tally_state state);

/* Take it out of its context: tally_context_remove(). */
void tally_event_uninstall(struct tally_core_event *event, enum tally_state state, bool dissolve);

/* The one way out: off its PMU, out of its context and every list, with what was deferred for it
 * done; children with it. A child's counts are added to its parent's. It is freed. NULL is allowed.
 */
void tally_event_retire(struct tally_core_event *event);

#endif
