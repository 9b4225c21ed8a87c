/* SPDX-License-Identifier: BSD-2-Clause */
/* Event tables by which commands look up event names: --events-dir, --cpuid and the environment. */
#ifndef TALLY_SAMPLER_EVENT_SOURCE_H
#define TALLY_SAMPLER_EVENT_SOURCE_H

#include "sampler/messages.h"
#include "tally/events.h"

struct tally_event_source {
	const char *dir;   /* --events-dir; NULL: TALLY_EVENTS_DIR, else the built-in tables */
	const char *cpuid; /* another machine's CPU; NULL: PERF_CPUID, else this one's */
};

/* Create a context for parsing events. Explicitly requested tables are opened here, and problems
 * with them are reported. Returns 0; -EINVAL if no table has the CPU; or the error of
 * tally_events_table_get(). */
int tally_event_source_open(const struct tally_event_source *source,
			    const struct tally_messages *messages,
			    struct tally_events **ret_events);

/* Warn if this CPU has only the table of its architecture, or no table. */
void tally_event_source_warn(struct tally_events *events, const struct tally_messages *messages);

/* Report an error in an event string. */
void tally_event_error_emit(const char *text, const struct tally_event_error *err,
			    const struct tally_messages *messages);

#endif
