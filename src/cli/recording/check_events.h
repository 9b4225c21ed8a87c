/* SPDX-License-Identifier: BSD-2-Clause */
/* Select events of a recording, and check that the selection can be processed. */
#ifndef TALLY_CLI_RECORDING_CHECK_EVENTS_H
#define TALLY_CLI_RECORDING_CHECK_EVENTS_H

#include "cli/recording/session.h"
#include "profile/profile.h"

/* Check that the report is not too expensive: the rows of each event are computed by walking all
 * buckets and functions of the profile. Returns 0, or -E2BIG after printing an error if there are
 * too many events. */
int tally_check_events(const struct tally_profile *profile, const char *path);

/* True if --event-number selects `event`. `event` counts from 0, `chosen` from 1; 0 selects all
 * events. */
static inline bool tally_event_is_chosen(uint64_t chosen, uint64_t event)
{
	return !chosen || chosen == event + 1;
}

/* Check that the recording has the event that --event-number selects. Returns 0, or -EINVAL after
 * printing an error. */
int tally_check_event_number(const struct tally_session *session, uint64_t chosen);

/* Check that sides A and B can be compared: both have samples, and at least one event has samples
 * on both. Returns 0, or -ENODATA after printing an error. */
int tally_check_sides(const bool has_samples[2], bool has_common);

#endif
