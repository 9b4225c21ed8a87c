/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether rows can be made of all events of a recording. */
#ifndef TALLY_CLI_RECORDING_CHECK_EVENTS_H
#define TALLY_CLI_RECORDING_CHECK_EVENTS_H

#include "profile/profile.h"

/* Each event's rows are a walk over all buckets and functions of a profile: of very many events
 * that is too much, which is printed. 0 or -E2BIG. */
int tally_check_events(const struct tally_profile *profile, const char *path);

#endif
