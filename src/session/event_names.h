/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Match the events of several recordings. Events with the same name match. An event without a
 * counterpart, such as cpu-clock:ppp, matches the event that counts the same with other modifiers,
 * such as cpu-clock, if there is one such event on each side.
 */
#ifndef TALLY_SESSION_EVENT_NAMES_H
#define TALLY_SESSION_EVENT_NAMES_H

#include "session/session.h"

/* Recordings with more events are matched only by name. */
enum { TALLY_EVENT_NAMES_MAX = 64 };

/* The names in the recordings so far. All zero at the start. */
struct tally_event_names {
	struct tally_event_name {
		char *name;
		uint32_t type;
		uint64_t config;
	} known[TALLY_EVENT_NAMES_MAX];
	size_t nr;
};

/* Get the name under which an event of `session` is compared: its own, or that of a matching event,
 * with a warning. `*ret_name` is valid until the session or `names` is freed. Returns 0 or
 * -ENOMEM. */
int tally_event_names_match(struct tally_event_names *names, const struct tally_session *session,
			    const struct tally_perfdata_event *event, const char **ret_name);

void tally_event_names_free(struct tally_event_names *names);

#endif
