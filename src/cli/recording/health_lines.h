/* SPDX-License-Identifier: BSD-2-Clause */
/* Files whose lines of source and inlined functions are missing. */
#ifndef TALLY_CLI_RECORDING_HEALTH_LINES_H
#define TALLY_CLI_RECORDING_HEALTH_LINES_H

#include "cli/recording/session.h"
#include "profile/profile.h"

/* A line for each file of at most `max_files` whose debug information could not be read, or was
 * given up; where lines were asked for, also for those that have none. */
void tally_health_lines_text(const struct tally_session *session,
			     const struct tally_profile *profile, size_t max_files,
			     struct tally_str *out);

/* The same as "files_without_lines". */
void tally_health_lines_json(const struct tally_session *session,
			     const struct tally_profile *profile, struct tally_str *out);

#endif
