/* SPDX-License-Identifier: BSD-2-Clause */
/* From names to specs: events of PMUs, events of the CPU's tables, and names in the syntax of other
 * tools. */
#ifndef TALLY_EVENTS_LOOKUP_H
#define TALLY_EVENTS_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "events/parse.h"

/* Parse PMU/terms/: add a spec for each PMU that matches `name`. Returns 0; -ENOENT if no PMU
 * matches, with the error filled in; or another error. */
int tally_pmu_parse(struct tally_event_parser *p, struct tally_word name,
		    const struct tally_terms *terms);

/* Parse an event alias given without its PMU. Returns 1 if added, 0 if no PMU has the alias, or an
 * error. */
int tally_pmu_alias_parse(struct tally_event_parser *p, struct tally_word name,
			  const struct tally_terms *terms);

/* Add a spec for an event on one PMU. `alias` may be empty; otherwise it is a name described by
 * sysfs or a table. The terms are applied after it. Returns 1 if added, 0 if this PMU does not have
 * the alias, or an error. */
int tally_pmu_add(struct tally_event_parser *p, struct tally_pmu *pmu, struct tally_word alias,
		  const struct tally_terms *terms);

/* Copy the CPUs of a PMU into a spec. Returns 0 or -ENOMEM. */
int tally_spec_cpus(struct tally_event_parser *p, const struct tally_pmu *pmu,
		    struct tally_event_spec *spec);

/* Split "64Bytes" into 64 and "Bytes". Without a number the result is 1. */
double tally_unit_split(const char *text, const char **ret_unit);

/* Mark the specs from index `first` on as parts of one event. */
void tally_specs_merge(struct tally_event_parser *p, size_t first);

/* Find the table row with this name for this PMU. Returns 1, 0 if not found, or an error of opening
 * the tables. */
int tally_table_describe(struct tally_events *events, const struct tally_pmu *pmu,
			 struct tally_word name, struct tally_table_event *ret_event);

/* Parse an event of the CPU's tables. Returns 1 if added, 0 if not found, or an error. */
int tally_table_parse(struct tally_event_parser *p, struct tally_word name,
		      const struct tally_terms *terms);

/* Like tally_table_parse(), but in the syntax of libpfm or likwid, up to the end of the event
 * including all colons. `head` is the part before the first colon. The cursor moves only if an
 * event was added. */
int tally_spelling_parse(struct tally_event_parser *p, struct tally_word head);

/* Add an event for each kind of core. Returns 1 if there are several kinds and specs for all of
 * them were added, 0 if not, or an error. */
int tally_cores_parse(struct tally_event_parser *p, const struct tally_event_spec *spec);

/* Split the specs from index `first` on, the members of one group, into a group for each kind of
 * core, because the members of a group must be on the same core. Returns 0 or -ENOMEM. */
int tally_cores_split(struct tally_event_parser *p, size_t first);

/* Return true if a name in the CPU's tables starts with this word and a dot. Tables must be open.
 */
bool tally_table_has_prefix(struct tally_events *events, struct tally_word word);

/* Fill in the error for tables that cannot be opened. */
int tally_table_fail(struct tally_event_parser *p, int code, struct tally_word word);

/* Add to the error what is known about a name that is not in the tables of this CPU. */
void tally_table_explain(struct tally_event_parser *p, struct tally_word name);

#endif
