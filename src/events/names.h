/* SPDX-License-Identifier: BSD-2-Clause */
/* The names of generic events, by table: hardware, software, cache, and perf's own clocks. */
#ifndef TALLY_EVENTS_NAMES_H
#define TALLY_EVENTS_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tally/events.h"

/* A row of the table of names. */
struct tally_generic_event {
	const char *name, *alias; /* alias NULL without */
	const char *text;         /* one line of description */
	uint32_t type;            /* PERF_TYPE_HARDWARE or PERF_TYPE_SOFTWARE */
	uint64_t config;
	uint8_t tool; /* enum tally_event_tool */
};

extern const struct tally_generic_event tally_generic_events[];
extern const size_t tally_nr_generic_events;

/* The row whose name or alias equals the `len` bytes at `text`, or NULL. */
const struct tally_generic_event *tally_generic_find(const char *text, size_t len);

/* ---- caches: config = cache | op << 8 | result << 16 ---------------------- */

/* Parse TYPE[-OP][-RESULT] in any of perf's spellings, letter case aside. 0; -ENOENT when it is
 * no cache name; -EOPNOTSUPP when no machine counts that op on that cache (iTLB stores). */
int tally_cache_parse(const char *text, size_t len, uint64_t *ret_config);

/* True if the `len` bytes at `text` are `name`. */
bool tally_name_is(const char *name, const char *text, size_t len);

#endif
