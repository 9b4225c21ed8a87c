/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to events/: the state of one parse, and what the files of the parser ask each other. */
#ifndef TALLY_EVENTS_PARSE_H
#define TALLY_EVENTS_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/suggest.h"
#include "base/vec.h"
#include "events/pmu.h"
#include "tally/events.h"

/* A piece of the event string. */
struct tally_word {
	const char *text;
	size_t len;
};

struct tally_event_parser {
	struct tally_events *events;
	const char *text;
	size_t len, at;
	struct tally_event_error *err; /* never NULL */
	struct tally_arena *arena;     /* of the list */
	TALLY_VEC(struct tally_event_spec) specs;
	TALLY_VEC(uint8_t) modified; /* per spec: its exclude bits for G and H were chosen */
	uint32_t nr_groups;
};

/* One `name` or `name=value` between slashes; value.text is NULL without `=`. */
struct tally_term {
	struct tally_word name, value;
	bool used; /* by the alias it named */
};

#define TALLY_MAX_TERMS 64

struct tally_terms {
	struct tally_term term[TALLY_MAX_TERMS];
	size_t nr;
};

/* ---- cursor ---------------------------------------------------------------- */

char tally_parser_peek(const struct tally_event_parser *p);
void tally_parser_blanks(struct tally_event_parser *p);

/* Take bytes up to one of `stops`, white space or the end. */
struct tally_word tally_parser_word(struct tally_event_parser *p, const char *stops);

/* Fill the error and return `code`. `word` may lie outside of p->text (an alias's terms); its
 * offset is then that of p->at. */
int tally_parser_fail(struct tally_event_parser *p, int code, const char *text,
		      struct tally_word word);

bool tally_word_is(struct tally_word word, const char *text);

/* Copy into the list's arena; NULL when out of memory. */
const char *tally_word_dup(struct tally_event_parser *p, struct tally_word word);

/* Decimal or 0x hexadecimal, all of the word. 0, -EINVAL, or -ERANGE over 64 bits. */
int tally_word_u64(struct tally_word word, uint64_t *ret_value);
int tally_word_hex(struct tally_word word, uint64_t *ret_value); /* without 0x as well */

/* ---- the parts of the grammar ----------------------------------------------- */

/* Append a spec like `spec`, in a group of its own. 0, -E2BIG or -ENOMEM. */
int tally_parser_add(struct tally_event_parser *p, const struct tally_event_spec *spec);

/* Parse terms up to and with the closing slash; the cursor stands behind the opening one. */
int tally_terms_parse(struct tally_event_parser *p, struct tally_terms *ret_terms);

/* Apply a term that every event has (name, period, call-graph ...) to `spec`. 1 if it was one,
 * 0 if it is not, or the error. */
int tally_term_apply(struct tally_event_parser *p, const struct tally_term *term,
		     struct tally_event_spec *spec);

/* config, config1, config2, config3 set whole; same answers. */
int tally_term_config(struct tally_event_parser *p, const struct tally_term *term,
		      struct perf_event_attr *attr);

/* All of `word` are letters of modifiers. */
bool tally_modifiers_look(struct tally_word word);

/* Apply modifiers to the specs from index `first` on; `group` when they follow braces. */
int tally_modifiers_apply(struct tally_event_parser *p, struct tally_word word, size_t first,
			  bool group);

/* mem:ADDR[/LEN][:TYPE], the cursor behind `mem:`. Adds the spec, leaves modifiers unread. */
int tally_breakpoint_parse(struct tally_event_parser *p);

/* sys:name with wildcards: adds a spec per tracepoint. */
int tally_tracepoint_parse(struct tally_event_parser *p, struct tally_word sys,
			   struct tally_word name);

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

/* ---- suggestions -------------------------------------------------------------- */

/* Copy the names that were found to err->near. */
void tally_error_near(struct tally_event_error *err, const struct tally_suggest *suggest);

/* Fill err->near from every event name there is. */
void tally_suggest_events(struct tally_event_parser *p, struct tally_word word);

/* Copy `text` to err->fix, cut to fit. */
void tally_error_fix(struct tally_event_error *err, const char *text);

#endif
