/* SPDX-License-Identifier: BSD-2-Clause */
/* Which tables the names of events come from, for all commands: --events-dir, --cpu, environment.
 */
#ifndef TALLY_SAMPLER_EVENT_SOURCE_H
#define TALLY_SAMPLER_EVENT_SOURCE_H

#include "sampler/messages.h"
#include "tally/events.h"

struct tally_event_source {
	const char *dir;   /* --events-dir; NULL: TALLY_EVENTS_DIR, else the built-in tables */
	const char *cpuid; /* another machine's CPU; NULL: PERF_CPUID, else this one's */
};

/* Make a context for parsing events by this source. Tables that were asked for are opened now, and
 * what is wrong with them is told. 0; -EINVAL for a CPU that no table has; or that of
 * tally_events_table_get(). */
int tally_event_source_open(const struct tally_event_source *source,
			    const struct tally_messages *messages,
			    struct tally_events **ret_events);

/* Tell that this CPU has no table but its architecture's, if that is so. */
void tally_event_source_warn(struct tally_events *events, const struct tally_messages *messages);

/* Tell what is wrong with an event string. */
void tally_event_error_emit(const char *text, const struct tally_event_error *err,
			    const struct tally_messages *messages);

#endif
