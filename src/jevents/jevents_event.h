/* SPDX-License-Identifier: BSD-2-Clause */
/* The event or metric, or both, described by an entry. Follows the rules of the current format, not
 * those of the classic format. Internal to jevents. */
#ifndef TALLY_JEVENTS_EVENT_H
#define TALLY_JEVENTS_EVENT_H

#include "base/str.h"
#include "jevents/jevents_entry.h"

/* Strings are allocated in the arena passed to tally_raw_event_build(), or belong to the entry;
 * they are never NULL. */
struct tally_raw_event {
	const struct tally_source *source;
	size_t offset, expr_offset; /* offsets of the entry and its expression, for messages */
	const char *name, *terms, *desc, *long_desc, *topic, *unit, *compat, *pmu;
	uint16_t counters;
	uint8_t fixed, flags;
	const char *metric, *expr, *threshold, *groups, *no_groups, *default_group;
	uint8_t constraint, aggregation;
};

/* Make an event from an entry. `event->name` or `event->metric` is "" if the entry does not have
 * one. Both are "" if the entry is neither an event nor a metric, as in Intel's tables of offcore
 * requests. Returns 0, -EINVAL (reported) or -ENOMEM. */
int tally_raw_event_build(const struct tally_entry *entry, struct tally_arena *arena,
			  struct tally_raw_event *ret_event);

/* Rules shared by the generators for the current and the classic format. */

/* Return the term that sets the MSR at `index`, such as "offcore_rsp", or NULL if there is no such
 * term. */
const char *tally_msr_term(uint64_t index);

/* Return the name of a unit's PMU, allocated in the arena. With `classic`, this is the name used in
 * classic tables. Returns NULL when out of memory. */
const char *tally_unit_pmu(const char *unit, bool classic, struct tally_arena *arena);

/* Return the terms that count a fixed counter's event on programmable counters, or NULL. With
 * `classic`, the terms do not include the period, which old kernels do not support. */
const char *tally_fixed_terms(const char *name, bool classic);

/* Append ",term=value", copying the value verbatim up to the first comma. Appends nothing if there
 * is no value. */
void tally_term_add(struct tally_str *terms, const char *term, const char *value);

/* Append a description without its trailing full stop. */
void tally_desc_add(struct tally_str *desc, const char *text);

/* Append an entry's remarks about addresses, errata and precision, unless the description is
 * empty. */
void tally_desc_extra(struct tally_str *desc, const struct tally_entry *entry);

/* Return a copy in lower case, or NULL when out of memory. */
const char *tally_text_lower(const char *text, struct tally_arena *arena);

#endif
