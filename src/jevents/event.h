/* SPDX-License-Identifier: BSD-2-Clause */
/* What an entry means: an event, a metric or both, as today's rules have it. Internal. */
#ifndef TALLY_JEVENTS_EVENT_H
#define TALLY_JEVENTS_EVENT_H

#include "base/str.h"
#include "jevents/entry.h"

/* Texts live in the arena that the event was made with, or in the entry; never NULL. */
struct tally_raw_event {
	const struct tally_source *source;
	size_t offset, expr_offset; /* of the entry and its expression, for messages */
	const char *name, *terms, *desc, *long_desc, *topic, *unit, *compat, *pmu;
	uint16_t counters;
	uint8_t fixed, flags;
	const char *metric, *expr, *threshold, *groups, *no_groups, *default_group;
	uint8_t constraint, aggregation;
};

/* `event->name` or `event->metric` is "" where the entry has none; both are where it is neither, as
 * in Intel's tables of offcore requests. 0, -EINVAL (told) or -ENOMEM. */
int tally_raw_event_make(const struct tally_entry *entry, struct tally_arena *arena,
			 struct tally_raw_event *ret_event);

/* The rules that both generators share. */

/* A register number to the term that its value goes into, or NULL: "offcore_rsp". */
const char *tally_msr_term(uint64_t index);

/* Name of a unit's PMU, in the arena; `classic` as it was called then. NULL: out of memory. */
const char *tally_unit_pmu(const char *unit, bool classic, struct tally_arena *arena);

/* The terms of a fixed counter's event on programmable counters, or NULL: `classic` without the
 * period, which its kernels did not have. */
const char *tally_fixed_terms(const char *name, bool classic);

/* Append ",term=value", the value as it is written up to a comma; nothing for no value. */
void tally_term_add(struct tally_str *terms, const char *term, const char *value);

/* Append a description without its full stop. */
void tally_desc_add(struct tally_str *desc, const char *text);

/* Append what an entry has to say of addresses, errata and precision; nothing to no description. */
void tally_desc_extra(struct tally_str *desc, const struct tally_entry *entry);

/* Lower-case copy; NULL: out of memory. */
const char *tally_text_lower(const char *text, struct tally_arena *arena);

#endif
