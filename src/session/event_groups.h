/* SPDX-License-Identifier: BSD-2-Clause */
/* Groups of events, which reports show side by side. */
#ifndef TALLY_SESSION_EVENT_GROUPS_H
#define TALLY_SESSION_EVENT_GROUPS_H

#include "base/str.h"
#include "base/vec.h"
#include "session/session.h"

/* Larger groups are split, because output grows with the number of rows times that of events. */
enum { TALLY_EVENT_GROUP_MAX = 32 };

struct tally_event_group {
	uint32_t first, nr;    /* range in tally_event_groups.events */
	struct tally_str name; /* "cycles", "anon group { cycles, instructions }" */
};

/* A zero-initialised structure has no groups. */
struct tally_event_groups {
	TALLY_VEC(struct tally_event_group) all;
	TALLY_VEC(uint32_t) events;    /* event numbers */
	TALLY_VEC(const char *) names; /* indexed by event number; borrowed from the session */
};

struct tally_event_groups_options {
	bool joins_all;  /* all events form one group, unless groups were recorded */
	bool joins_none; /* every event is a group of its own */
	/* Returns true if an event has samples; others are not in any group. */
	bool (*has_samples)(const void *arg, uint32_t event);
	const void *arg;
};

/* Group the recording's events. Recorded groups stay together, and every other event is a group of
 * its own. Returns 0, -ENOMEM, or an error from tally_perfdata_env(). On success, free the groups
 * with tally_event_groups_free(). */
int tally_event_groups_find(struct tally_session *session,
			    const struct tally_event_groups_options *options,
			    struct tally_event_groups *ret_groups);
void tally_event_groups_free(struct tally_event_groups *groups);

#endif
