/* SPDX-License-Identifier: BSD-2-Clause */
/* Convert names to specs: PMU events, events in the CPU's tables, and names in the syntax of other
 * tools. */
#ifndef TALLY_EVENTS_LOOKUP_H
#define TALLY_EVENTS_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "events/parse.h"

/* Parse PMU/terms/ and add a spec for each PMU that matches `name`. Returns 0, -ENOENT with the
 * error filled in if no PMU matches, or another error. */
int tally_pmu_parse(struct tally_event_parser *p, struct tally_word name,
		    const struct tally_terms *terms);

/* Parse an event alias without a PMU name. Returns 1 if added, 0 if no PMU has the alias, or an
 * error. */
int tally_pmu_alias_parse(struct tally_event_parser *p, struct tally_word name,
			  const struct tally_terms *terms);

/* Add a spec for an event on one PMU. `alias` may be empty; otherwise it is a name from sysfs or a
 * table. The terms are applied after the alias. Returns 1 if added, 0 if this PMU does not have the
 * alias, or an error. */
int tally_pmu_add(struct tally_event_parser *p, struct tally_pmu *pmu, struct tally_word alias,
		  const struct tally_terms *terms);

/* Split "64Bytes" into 64 and "Bytes". If there is no number, the result is 1. */
double tally_unit_split(const char *text, const char **ret_unit);

/* Parse an event from the CPU's tables. Returns 1 if added, 0 if not found, or an error. */
int tally_table_parse(struct tally_event_parser *p, struct tally_word name,
		      const struct tally_terms *terms);

/* Do the same as tally_table_parse() for an event in libpfm or likwid syntax. `whole` is the event
 * with all its colons. If an event was added, the cursor is after `whole`. */
int tally_spelling_parse(struct tally_event_parser *p, struct tally_word whole);

/* Return true if a name in the CPU's tables starts with this word and a dot. The tables must be
 * open. */
bool tally_table_has_prefix(struct tally_events *events, struct tally_word word);

/* Add to the error any information about a name that is not in this CPU's tables. */
void tally_table_explain(struct tally_event_parser *p, struct tally_word name);

#endif
