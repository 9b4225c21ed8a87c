/* SPDX-License-Identifier: BSD-2-Clause */
/* Report files without source lines and inlined functions. */
#ifndef TALLY_CLI_RECORDING_HEALTH_LINES_H
#define TALLY_CLI_RECORDING_HEALTH_LINES_H

#include "cli/recording/session.h"
#include "profile/profile.h"

/* Append a line for each file, up to `max_files`, whose debug information could not be read or was
 * given up. If source lines were requested, files without debug information are listed, too. */
void tally_health_lines_text(const struct tally_session *session,
			     const struct tally_profile *profile, size_t max_files,
			     struct tally_str *out);

/* Add the same data as the array "files_without_lines". */
void tally_health_lines_json(const struct tally_session *session,
			     const struct tally_profile *profile, struct tally_str *out);

#endif
