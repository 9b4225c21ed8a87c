/* SPDX-License-Identifier: BSD-2-Clause */
/* Data quality summary for readers of a report: lost records, truncated stacks, unnamed code. */
#ifndef TALLY_VIEW_HEALTH_H
#define TALLY_VIEW_HEALTH_H

#include "base/str.h"
#include "session/session.h"
#include "profile/profile_model.h"

/* Append comment lines: a summary, a line about unwound stacks, and a line for each file without
 * symbols, with the reason. The list of files is limited to the first few unless `all_files` is
 * set, which also adds the files in which stacks ended early. */
void tally_health_text(const struct tally_session *session, const struct tally_profile *profile,
		       bool all_files, struct tally_str *out);

/* Add the same data to the open JSON object, as the member "health". */
void tally_health_json(const struct tally_session *session, const struct tally_profile *profile,
		       struct tally_str *out);

#endif
