/* SPDX-License-Identifier: BSD-2-Clause */
/* A summary of the quality of the data for readers of a report: lost, truncated, unnamed. */
#ifndef TALLY_CLI_RECORDING_HEALTH_H
#define TALLY_CLI_RECORDING_HEALTH_H

#include "base/str.h"
#include "cli/recording/session.h"
#include "profile/profile.h"

/* Append comment lines: a summary, one about unwound stacks, and one for each file without symbols,
 * with the reason. The files are limited to the first few unless `all_files` is set, which also
 * adds the files in which stacks ended early. */
void tally_health_text(const struct tally_session *session, const struct tally_profile *profile,
		       bool all_files, struct tally_str *out);

/* Add the same data as member "health" to the open JSON object. */
void tally_health_json(const struct tally_session *session, const struct tally_profile *profile,
		       struct tally_str *out);

#endif
