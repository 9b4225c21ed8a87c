/* SPDX-License-Identifier: BSD-2-Clause */
/* Whose events have names: --events-dir, --cpu and the environment, for all commands. */
#ifndef TALLY_CLI_EVENT_SOURCE_H
#define TALLY_CLI_EVENT_SOURCE_H

#include "tally/events.h"

struct tally_event_source {
	const char *dir;   /* --events-dir; NULL: TALLY_EVENTS_DIR, else the built-in tables */
	const char *cpuid; /* another machine's CPU; NULL: PERF_CPUID, else this one's */
};

#define TALLY_OPTION_EVENTS_DIR(offset)                                            \
	{                                                                          \
		0, "events-dir", TALLY_OPTION_TEXT, offset, "path",                \
			"event tables of this tree or file, not the built-in ones" \
	}

/* A context for these. Where tables were asked for they are opened, and what is wrong with them is
 * said. 0; -EINVAL for a CPU that no table has; or that of tally_events_table_get(). */
int tally_event_source_open(const struct tally_event_source *source,
			    struct tally_events **ret_events);

/* Say that this CPU has no table but its architecture's, if that is so. */
void tally_event_source_tell(struct tally_events *events);

/* Say what is wrong with an event string. */
void tally_say_event_error(const char *text, const struct tally_event_error *err);

#endif
