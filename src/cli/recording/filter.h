/* SPDX-License-Identifier: BSD-2-Clause */
/* Which samples of a session are looked at: --cpu, --time, --pid, --tid, --comm, and the times of
 * --query. */
#ifndef TALLY_CLI_RECORDING_FILTER_H
#define TALLY_CLI_RECORDING_FILTER_H

#include "cli/recording/session.h"

/* Parse session->options.filter; says what is wrong. 0 or -errno. */
int session_filter_init(struct tally_session *session);

/* Print which options could not be applied, as samples lack what they filter by. 0; -ENODATA
 * if not a single sample could be judged. */
int session_filter_finish(const struct tally_session *session);

/* Whether the sample is one of those that the filter asks for. */
bool session_filter_passes(struct tally_session *session,
			   const struct tally_session_sample *sample);

#endif
