/* SPDX-License-Identifier: BSD-2-Clause */
/* Which samples of a session are looked at: --cpu, --time, --pid, --tid, --comm. */
#ifndef TALLY_CLI_RECORDING_FILTER_H
#define TALLY_CLI_RECORDING_FILTER_H

#include "cli/recording/session.h"

/* Parse session->options.filter; says what is wrong. 0 or -errno. */
int session_filter_init(struct tally_session *session);

/* Say which options found nothing to judge samples by. 0; -ENODATA when that was so of all samples.
 */
int session_filter_finish(const struct tally_session *session);

bool session_filter_passes(struct tally_session *session,
			   const struct tally_session_sample *sample);

#endif
