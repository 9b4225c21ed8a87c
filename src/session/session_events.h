/* SPDX-License-Identifier: BSD-2-Clause */
/* Select a recording's events, and check that the selection can be processed. */
#ifndef TALLY_SESSION_EVENTS_H
#define TALLY_SESSION_EVENTS_H

#include "session/session.h"
#include "profile/profile_model.h"

/* Check that the report is not too expensive. Computing an event's rows takes a pass over all of
 * the profile's buckets and functions. Returns 0, or -E2BIG after emitting an error message if
 * there are too many events. */
int tally_check_events(const struct tally_session *session, const struct tally_profile *profile);

/* Return true if --event-number selects `event`. `event` is 0-based; `chosen` is 1-based, with 0
 * selecting all events. */
static inline bool tally_event_is_chosen(uint64_t chosen, uint64_t event)
{
	return !chosen || chosen == event + 1;
}

/* Check that the recording has the event that --event-number selects. Returns 0, or -EINVAL after
 * emitting an error message. */
int tally_check_event_number(const struct tally_session *session, uint64_t chosen);

/* Check that sides A and B can be compared: both must have samples, and at least one event must
 * have samples on both sides. Returns 0, or -ENODATA after emitting an error message. */
int tally_check_sides(const struct tally_messages *to, const bool has_samples[2], bool has_common);

#endif
