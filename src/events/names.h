/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of generic events: hardware events, software events, cache events, and perf's clocks. */
#ifndef TALLY_EVENTS_NAMES_H
#define TALLY_EVENTS_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tally/events.h"

/* A row in the table of names. */
struct tally_generic_event {
	const char *name, *alias; /* alias may be NULL */
	const char *text;         /* one-line description */
	uint32_t type;            /* PERF_TYPE_HARDWARE or PERF_TYPE_SOFTWARE */
	uint64_t config;
	uint8_t tool; /* enum tally_event_tool */
};

extern const struct tally_generic_event tally_generic_events[];
extern const size_t tally_nr_generic_events;

/* Return the row with the name or alias `text` of `len` bytes, or NULL. */
const struct tally_generic_event *tally_generic_find(const char *text, size_t len);

/* ---- caches: config = cache | op << 8 | result << 16 ---------------------- */

/* Parse TYPE[-OP][-RESULT] in any spelling that perf accepts, ignoring case. Returns 0, -ENOENT if
 * it is not a cache name, or -EOPNOTSUPP if no machine counts this operation on this cache (iTLB
 * stores). */
int tally_cache_parse(const char *text, size_t len, uint64_t *ret_config);

#endif
