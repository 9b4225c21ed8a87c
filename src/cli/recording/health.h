/* SPDX-License-Identifier: BSD-2-Clause */
/* What a reader of a report must know about the data: lost, throttled, cut, unnamed. */
#ifndef TALLY_CLI_RECORDING_HEALTH_H
#define TALLY_CLI_RECORDING_HEALTH_H

#include "base/str.h"
#include "cli/recording/session.h"
#include "profile/profile.h"

/* One comment line, one of the stacks that were unwound, and one for each file whose symbols are
 * missing and why: for the first few of them, or for all and also for those in which stacks ended
 * early. */
void tally_health_text(const struct tally_session *session, const struct tally_profile *profile,
		       bool all_files, struct tally_str *out);

/* The same as a member "health" of the object that is open. */
void tally_health_json(const struct tally_session *session, const struct tally_profile *profile,
		       struct tally_str *out);

#endif
