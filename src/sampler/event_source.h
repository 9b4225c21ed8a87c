/* SPDX-License-Identifier: BSD-2-Clause */
/* Event tables in which commands look up event names, selected by --events-dir, --cpuid and the
 * environment. */
#ifndef TALLY_SAMPLER_EVENT_SOURCE_H
#define TALLY_SAMPLER_EVENT_SOURCE_H

#include "base/messages.h"
#include "tally/events.h"

struct tally_event_source {
	const char *dir;   /* --events-dir; default TALLY_EVENTS_DIR, or the built-in tables */
	const char *cpuid; /* --cpuid; default PERF_CPUID, or this CPU */
};

/* Create a context for parsing events. Tables that were requested explicitly are opened, and
 * problems with them are reported. Returns 0; -EINVAL if no table covers the CPU; or the error from
 * tally_events_table_get(). */
int tally_event_source_open(const struct tally_event_source *source,
			    const struct tally_messages *messages,
			    struct tally_events **ret_events);

/* Warn if there is no table for this CPU, or only its architecture's generic table. */
void tally_event_source_warn(struct tally_events *events, const struct tally_messages *messages);

/* Report an error in an event string. */
void tally_event_error_emit(const char *text, const struct tally_event_error *err,
			    const struct tally_messages *messages);

#endif
