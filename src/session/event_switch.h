/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples between the samples of two events: --switch-on and --switch-off. */
#ifndef TALLY_SESSION_EVENT_SWITCH_H
#define TALLY_SESSION_EVENT_SWITCH_H

#include <stdbool.h>

/* Names of events, or NULL. Samples are left out until the first sample of `on`, and from the next
 * sample of `off` on, and so on. These samples themselves pass if `shows` is set. */
struct tally_event_switch {
	const char *on, *off;
	bool shows;
};

/* Return true if a sample of this event passes. `*is_off` is the state, which is initially true if
 * there is an event `on`. */
bool tally_event_switch_passes(const struct tally_event_switch *events, const char *event,
			       bool *is_off);

#endif
