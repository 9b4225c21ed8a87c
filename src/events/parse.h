/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to events/: the parser's state, and functions shared by its source files. */
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
	struct tally_arena *arena;     /* the list's arena */
	TALLY_VEC(struct tally_event_spec) specs;
	TALLY_VEC(uint8_t) modified; /* per-spec flag: modifier G or H has set exclude bits */
	uint32_t nr_groups;
};

/* A `name` or `name=value` between slashes. value.text is NULL if there is no `=`. */
struct tally_term {
	struct tally_word name, value;
	bool used; /* used as an alias name */
};

#define TALLY_MAX_TERMS 64

struct tally_terms {
	struct tally_term term[TALLY_MAX_TERMS];
	size_t nr;
};

/* The words of an event, before it is known which form the event has. */
struct tally_event_shape {
	size_t start;            /* offset of the event */
	struct tally_word head;  /* up to a comma, brace, slash or colon */
	char after_head;         /* that character; '\0' after a blank or at the end */
	struct tally_word tail;  /* after a colon: up to the next of these characters */
	char after_tail;         /* that character */
	struct tally_word whole; /* up to a comma, brace or slash, with all colons */
};

/* ---- parts of the grammar --------------------------------------------------- */

/* Find the words of the event at the cursor. The cursor does not move. */
struct tally_event_shape tally_event_shape(struct tally_event_parser *p);

/* Parse the event at the cursor, with terms, modifiers and the blanks after it. `terms` is memory
 * to use. Adds its specs. Returns 0 or an error. */
int tally_event_parse(struct tally_event_parser *p, const struct tally_event_shape *shape,
		      struct tally_terms *terms);

/* Parse terms up to and including the closing slash. The cursor must be after the opening slash.
 * Returns 0 or an error. */
int tally_terms_parse(struct tally_event_parser *p, struct tally_terms *ret_terms);

/* Apply a term that all events support (name, period, call-graph ...) to `spec`. Returns 1 if the
 * term was applied, 0 if it is not such a term, or an error. */
int tally_term_apply(struct tally_event_parser *p, const struct tally_term *term,
		     struct tally_event_spec *spec);

/* Apply the term config, config1, config2 or config3, which sets a whole field. Return values are
 * as for tally_term_apply(). */
int tally_term_config(struct tally_event_parser *p, const struct tally_term *term,
		      struct perf_event_attr *attr);

/* Return true if all letters of `word` are modifiers. */
bool tally_modifiers_are_valid(struct tally_word word);

/* Apply modifiers to the specs from index `first` on. `group` is true if they follow a closing
 * brace. Returns 0 or an error. */
int tally_modifiers_apply(struct tally_event_parser *p, struct tally_word word, size_t first,
			  bool group);

/* Parse mem:ADDR[/LEN][:TYPE]. The cursor must be after `mem:`. Adds the spec and does not consume
 * modifiers. Returns 0 or an error. */
int tally_breakpoint_parse(struct tally_event_parser *p);

/* Parse SYSTEM:NAME, which may have wildcards. Adds a spec for each tracepoint. Returns 0 or an
 * error. */
int tally_tracepoint_parse(struct tally_event_parser *p, struct tally_word sys,
			   struct tally_word name);

#endif
