/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to events/: tracepoints in tracefs. */
#ifndef TALLY_EVENTS_TRACEFS_H
#define TALLY_EVENTS_TRACEFS_H

#include "base/suggest.h"
#include "events/pmu.h"

/* All functions require that tally_events_tracefs() has found the tracefs root. */

/* List the systems (if `sys` is "") or the tracepoints in a system, sorted. Names are copied to
 * `arena`; the caller frees the vector. Returns 0, -ENOMEM, or an error from opendir(3). */
int tally_tracepoint_names(struct tally_events *events, const char *sys, struct tally_arena *arena,
			   tally_name_vec *ret_names);

/* Get the ID of a tracepoint. Returns 0, -EINVAL if the file does not contain a number, or an error
 * from open(2). */
int tally_tracepoint_id(struct tally_events *events, const char *sys, const char *name,
			uint64_t *ret_id);

/* Suggest SYSTEM:`name` for every system that has a tracepoint with this name. Unreadable systems
 * are skipped. */
void tally_tracepoint_offer(struct tally_events *events, const char *name,
			    struct tally_suggest *suggest);

#endif
