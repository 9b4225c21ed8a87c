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

#endif
