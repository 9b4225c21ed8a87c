/* SPDX-License-Identifier: BSD-2-Clause */
/* From names to specs: events of PMUs and of the CPU's tables, and other tools' spellings of them.
 */
#ifndef TALLY_EVENTS_LOOKUP_H
#define TALLY_EVENTS_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "events/parse.h"

/* PMU/terms/: adds a spec for each PMU that `name` fits. -ENOENT with the error filled. */
int tally_pmu_parse(struct tally_event_parser *p, struct tally_word name,
		    const struct tally_terms *terms);

/* An event alias of any PMU without its PMU. 1 if added, 0 if there is none, or the error. */
int tally_pmu_alias_parse(struct tally_event_parser *p, struct tally_word name,
			  const struct tally_terms *terms);

/* One spec for an event on one PMU: `alias` (may be empty), a name that sysfs or a table describes,
 * and then the terms. 1 if added, 0 if this PMU has no such alias, or the error. */
int tally_pmu_add(struct tally_event_parser *p, struct tally_pmu *pmu, struct tally_word alias,
		  const struct tally_terms *terms);

/* Copy the CPUs of a PMU into a spec. 0 or -ENOMEM. */
int tally_spec_cpus(struct tally_event_parser *p, const struct tally_pmu *pmu,
		    struct tally_event_spec *spec);

/* "64Bytes" to 64 and "Bytes"; without a number 1. */
double tally_unit_split(const char *text, const char **ret_unit);

/* Tell the specs from index `first` on that they are one event. */
void tally_specs_merge(struct tally_event_parser *p, size_t first);

/* The row that a table has of this name for this PMU. 1, 0 if there is none, or the error of
 * opening the tables. */
int tally_table_describe(struct tally_events *events, const struct tally_pmu *pmu,
			 struct tally_word name, struct tally_table_event *ret_event);

/* An event of the CPU's tables. 1 if added, 0 if there is none, or the error. */
int tally_table_parse(struct tally_event_parser *p, struct tally_word name,
		      const struct tally_terms *terms);

/* The same in the spelling of libpfm or likwid, up to the end of the event with all its colons:
 * `head` is what stands before the first of them. The cursor is left alone unless it was one. */
int tally_spelling_parse(struct tally_event_parser *p, struct tally_word head);

/* An event of every kind of core: 1 if there are several and specs for all were added, 0 if not,
 * or the error. */
int tally_cores_parse(struct tally_event_parser *p, const struct tally_event_spec *spec);

/* Members of a group count together, so each kind of core has a group of its own: part the specs
 * from index `first` on, which are the members of one. 0 or -ENOMEM. */
int tally_cores_part(struct tally_event_parser *p, size_t first);

/* Whether names of the CPU's tables start with this word and a dot. Tables must be open. */
bool tally_table_has_prefix(struct tally_events *events, struct tally_word word);

/* Fill the error for tables that cannot be opened. */
int tally_table_fail(struct tally_event_parser *p, int code, struct tally_word word);

/* Say in the error what is known of a name that no table of this CPU has. */
void tally_table_explain(struct tally_event_parser *p, struct tally_word name);

#endif
