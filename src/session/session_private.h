/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions shared by the session's source files. */
#ifndef TALLY_SESSION_PRIVATE_H
#define TALLY_SESSION_PRIVATE_H

#include "session/session.h"

/* Open a recording as tally_session_open() does, but without fetching debug information. */
int session_open(const struct tally_session_options *options, struct tally_session *session);

/* If the input contains rows that another program wrote, make a recording of them, and set
 * session->imported. Returns 0, or -errno after emitting an error message. */
int session_import(struct tally_session *session);

/* Set the origin of the recording's symbols, based on its header. For a stream, call this after
 * reading up to the first sample. Returns 0 or -ENOMEM. */
int session_find_origin(struct tally_session *session);

/* Find an event by a sample's ID; see tally_group_find_fn. `session` is a struct tally_session. */
const struct perf_event_attr *session_attr_by_id(void *session, uint64_t id, uint32_t *ret_event);

/* Filter a sample from the feed and pass it to session->fn. `session` is a struct tally_session. */
int session_on_sample(void *session, struct tally_feed_sample *sample);

#endif
