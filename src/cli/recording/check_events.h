/* SPDX-License-Identifier: BSD-2-Clause */
/* Which events of recordings are looked at, and whether that can be done. */
#ifndef TALLY_CLI_RECORDING_CHECK_EVENTS_H
#define TALLY_CLI_RECORDING_CHECK_EVENTS_H

#include "cli/recording/session.h"
#include "profile/profile.h"

/* Each event's rows are a walk over all buckets and functions of a profile: of very many events
 * that is too much, which is printed. 0 or -E2BIG. */
int tally_check_events(const struct tally_profile *profile, const char *path);

/* Whether an event, from 0, is the one that --event-number chose; 0 chooses all. */
static inline bool tally_event_is_chosen(uint64_t chosen, uint64_t event)
{
	return !chosen || chosen == event + 1;
}

/* Whether there is the event that --event-number chose. 0 or -EINVAL, which was told. */
int tally_check_event_number(const struct tally_session *session, uint64_t chosen);

/* Whether two sides (A, B) can be compared: each has samples, and they have some of the same event.
 * 0 or -ENODATA, which was told. */
int tally_check_sides(const bool has_samples[2], bool has_common);

#endif
