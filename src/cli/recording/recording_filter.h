/* SPDX-License-Identifier: BSD-2-Clause */
/* Filter the samples of a session: --cpu, --time, --pid, --tid, --comm, and times of --query. */
#ifndef TALLY_CLI_RECORDING_FILTER_H
#define TALLY_CLI_RECORDING_FILTER_H

#include "cli/recording/session.h"

/* Parse session->options.filter. Returns 0, or -errno after printing an error. */
int session_filter_init(struct tally_session *session);

/* Print which options could not be applied because samples lack the field they filter by. Returns
 * 0, or -ENODATA if that is the case for all samples. */
int session_filter_finish(const struct tally_session *session);

/* True if the sample passes the filter. */
bool session_filter_passes(struct tally_session *session,
			   const struct tally_session_sample *sample);

#endif
