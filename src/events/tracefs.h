/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to events/: tracepoints as tracefs lists them. */
#ifndef TALLY_EVENTS_TRACEFS_H
#define TALLY_EVENTS_TRACEFS_H

#include "base/suggest.h"
#include "events/pmu.h"

/* Each after tally_events_tracefs() has found the root. */

/* Names of the systems (`sys` "") or of the tracepoints of one, sorted, copied to `arena`; the
 * caller frees the vector. 0, or the error of opendir(3). */
int tally_tracepoint_names(struct tally_events *events, const char *sys, struct tally_arena *arena,
			   tally_name_vec *ret_names);

/* The number of a tracepoint. 0, -EINVAL for a file without one, or the error of open(2). */
int tally_tracepoint_id(struct tally_events *events, const char *sys, const char *name,
			uint64_t *ret_id);

/* Offer SYSTEM:`name` of every system that has a tracepoint of that name; what cannot be read has
 * none. */
void tally_tracepoint_offer(struct tally_events *events, const char *name,
			    struct tally_suggest *suggest);

#endif
