/* SPDX-License-Identifier: BSD-2-Clause */
/* Report files for which source lines and inlined functions are missing. */
#ifndef TALLY_VIEW_HEALTH_LINES_H
#define TALLY_VIEW_HEALTH_LINES_H

#include "session/session.h"
#include "profile/profile_model.h"

/* Append a line for each file (at most `max_files`) for which reading the debug information failed
 * or exceeded a time or memory limit. If source lines were requested, also list files without debug
 * information. */
void tally_health_lines_text(const struct tally_session *session,
			     const struct tally_profile *profile, size_t max_files,
			     struct tally_str *out);

/* Add the same data to the open JSON object, as the array "files_without_lines". */
void tally_health_lines_json(const struct tally_session *session,
			     const struct tally_profile *profile, struct tally_str *out);

#endif
