/* SPDX-License-Identifier: BSD-2-Clause */
/* Filter a session's samples by --cpu, --time, --pid, --tid, --comm, and the times in --query. */
#ifndef TALLY_SESSION_FILTER_H
#define TALLY_SESSION_FILTER_H

#include "session/session.h"

/* Parse session->options.filter. Returns 0, or -errno after emitting an error message. */
int session_filter_init(struct tally_session *session);

/* Warn about options that could not be applied because samples lack the field to filter by. Returns
 * 0, or -ENODATA if no sample has the field. */
int session_filter_finish(const struct tally_session *session);

/* Return true if the sample passes --switch-on and --switch-off. Call this for each sample of each
 * event, in order. */
bool session_switch_passes(struct tally_session *session, const struct tally_feed_sample *sample);

/* Return true if the sample passes the filter. This includes the switches, except for samples with
 * the counts of a group. */
bool session_filter_passes(struct tally_session *session, const struct tally_feed_sample *sample);

#endif
