/* SPDX-License-Identifier: BSD-2-Clause */
/* Grammar for event strings: events (parse_event.c), and groups in braces, separated by commas. */
#include "events/cursor.h"
#include "events/lookup.h"
#include "events/parse.h"
#include "events/events_suggest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "events/names.h"
#include "events/events_error.h"
#include "events/events_specs.h"
#include "events/events_cores.h"

enum { MAX_TEXT = 1 << 20 };

/* ---- groups ---------------------------------------------------------------------- */

static int expected(struct tally_event_parser *p, const char *text)
{
	return tally_parser_fail(p, -EINVAL, text,
				 (struct tally_word){p->text + p->at, p->at < p->len});
}

/* Parse events up to and including `end`, where '\0' denotes the end of the string. */
static int list_parse(struct tally_event_parser *p, char end, struct tally_terms *terms);

static int group_modifiers(struct tally_event_parser *p, size_t first)
{
	struct tally_word word;

	if (tally_parser_peek(p) != ':')
		return 0;
	p->at++;
	word = tally_parser_word(p, ",{}");
	return tally_modifiers_apply(p, word, first, true);
}

static int group_parse(struct tally_event_parser *p, struct tally_word name,
		       struct tally_terms *terms)
{
	size_t first = p->specs.len;
	const char *copy = NULL;
	int ret;

	p->at++;
	if (name.len) {
		copy = tally_word_dup(p, name);
		if (!copy)
			return -ENOMEM;
	}
	ret = list_parse(p, '}', terms);
	if (ret)
		return ret;
	for (size_t i = first; i < p->specs.len; i++) {
		struct tally_event_spec *spec = &p->specs.data[i];

		spec->in_braces = true;
		spec->leader = (uint32_t)first;
		spec->nr_members = (uint32_t)(p->specs.len - first);
		spec->group = p->nr_groups;
		spec->group_name = copy;
	}
	p->nr_groups++;
	ret = tally_cores_split(p, first);
	if (ret)
		return ret;
	ret = group_modifiers(p, first);
	tally_parser_blanks(p);
	return ret;
}

static int item_parse(struct tally_event_parser *p, bool inside, struct tally_terms *terms)
{
	struct tally_event_shape shape;
	size_t first = p->specs.len;
	int ret;

	tally_parser_blanks(p);
	shape = tally_event_shape(p);
	if (shape.after_head == '{') {
		p->at = tally_parser_end(p, shape.head);
		if (inside)
			return expected(p, "groups cannot be nested");
		return group_parse(p, shape.head, terms);
	}
	ret = tally_event_parse(p, &shape, terms);
	for (size_t i = first; !ret && !inside && i < p->specs.len; i++)
		p->specs.data[i].group = p->nr_groups++;
	return ret;
}

static int list_parse(struct tally_event_parser *p, char end, struct tally_terms *terms)
{
	int ret;

	for (;;) {
		ret = item_parse(p, end == '}', terms);
		if (ret)
			return ret;
		if (end ? tally_parser_peek(p) == end : p->at == p->len) {
			p->at += end != '\0';
			return 0;
		}
		if (p->at == p->len)
			return expected(p, "missing closing brace after a group");
		if (tally_parser_peek(p) != ',')
			return expected(p, end ? "expected a comma or the closing brace"
					       : "expected a comma or the end of the event list");
		p->at++;
	}
}

/* ---- entry points ------------------------------------------------------------------ */

struct list_memory {
	struct tally_event_list list; /* must be first; returned to the caller */
	struct tally_arena arena;
};

/* Apply modifier P last, because its value depends on the PMU. */
static void specs_finish(struct tally_event_parser *p)
{
	struct tally_pmu *pmu;

	tally_vec_for_each (spec, &p->specs) {
		const char *name = spec->pmu ? spec->pmu : "cpu";

		if (!spec->precise_max)
			continue;
		spec->attr.precise_ip = 3;
		if (!tally_pmu_get(p->events, name, strlen(name), &pmu) && pmu->max_precise >= 0)
			spec->attr.precise_ip = TALLY_MIN(pmu->max_precise, 3) & 3;
	}
}

int tally_events_parse(struct tally_events *events, const char *text, size_t len,
		       struct tally_event_list **ret_list, struct tally_event_error *err)
{
	struct tally_event_error ignored;
	struct list_memory *memory = calloc(1, sizeof(*memory));
	struct tally_terms *terms = malloc(sizeof(*terms));
	struct tally_event_parser p = {.events = events, .text = text, .len = len};
	int ret = -ENOMEM;

	p.err = err ? err : &ignored;
	memset(p.err, 0, sizeof(*p.err));
	if (memory && terms) {
		p.arena = &memory->arena;
		ret = len > MAX_TEXT ? tally_parser_fail(&p, -E2BIG, "event string too long",
							 (struct tally_word){text, 0})
				     : list_parse(&p, '\0', terms);
	}
	if (ret == -ENOMEM && !p.err->code)
		tally_parser_fail(&p, ret, "out of memory", (struct tally_word){text, 0});
	free(terms);
	tally_vec_free(&p.modified);
	if (ret) {
		tally_vec_free(&p.specs);
		if (memory)
			tally_arena_free(&memory->arena);
		free(memory);
		return ret;
	}
	/* Discard the errors from alternatives that were tried first. */
	memset(p.err, 0, sizeof(*p.err));
	specs_finish(&p);
	memory->list = (struct tally_event_list){p.specs.data, p.specs.len, p.nr_groups, memory};
	*ret_list = &memory->list;
	return 0;
}

void tally_event_list_free(struct tally_event_list *list)
{
	struct list_memory *memory;

	if (!list)
		return;
	memory = list->memory;
	free(list->specs);
	tally_arena_free(&memory->arena);
	free(memory);
}
