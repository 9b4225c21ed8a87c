/* SPDX-License-Identifier: BSD-2-Clause */
/* States of events and the time they spend in them. All under the context rule. */
#ifndef TALLY_CORE_STATE_H
#define TALLY_CORE_STATE_H

#include "core/private.h"

/* Bring the context's time up to the clock. */
void tally_context_advance(struct tally_core_context *context, uint64_t now);

/* Add the time since the last call to what the event's state says it belongs to. The
 * context has been advanced. */
void tally_event_account(struct tally_core_event *event);

/* Account, then change state: of a leader also the siblings, whose time stands still while
 * their leader is off. The transition must be in the table. */
void tally_event_set_state(struct tally_core_event *event, enum tally_state state);

#endif
