/* SPDX-License-Identifier: BSD-2-Clause */
/* Grammar for event strings: events, and groups in braces, separated by commas. */
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

/* Characters that end a name. */
#define STOPS ",{}/:"

/* ---- a single event ---------------------------------------------------------- */

/* Part of the event string that becomes the displayed name. */
enum shown { SHOW_ALL, SHOW_HEAD, SHOW_SPEC_NAME };

static int term_unknown(struct tally_event_parser *p, struct tally_word word)
{
	static const char *const terms[] = {
		"config",     "config1",    "config2",         "name",         "period",
		"freq",       "time",       "call-graph",      "stack-size",   "inherit",
		"no-inherit", "nr",         "overwrite",       "no-overwrite", "max-stack",
		"percore",    "aux-output", "aux-sample-size", "branch_type"};
	struct tally_suggest suggest;

	tally_parser_fail(p, -ENOENT, "unknown term", word);
	tally_suggest_start(&suggest, word.text, word.len);
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(terms); i++)
		tally_suggest_offer(&suggest, terms[i]);
	tally_error_near(p->err, &suggest);
	tally_error_fix(p->err, "terms of generic events: config name period freq time call-graph "
				"stack-size max-stack nr inherit overwrite percore branch_type");
	return -ENOENT;
}

static int terms_apply(struct tally_event_parser *p, const struct tally_terms *terms, size_t first)
{
	for (size_t s = first; s < p->specs.len; s++) {
		struct tally_event_spec *spec = &p->specs.data[s];

		for (size_t i = 0; i < terms->nr; i++) {
			int ret = tally_term_config(p, &terms->term[i], &spec->attr);

			if (!ret)
				ret = tally_term_apply(p, &terms->term[i], spec);
			if (!ret)
				ret = term_unknown(p, terms->term[i].name);
			if (ret < 0)
				return ret;
		}
	}
	return 0;
}

/* Parse rNNN. Returns true if `word` has this form. */
static int raw_parse(struct tally_word word, uint64_t *ret_config)
{
	struct tally_word hex = {word.text + 1, word.len - 1};

	return word.len > 1 && word.text[0] == 'r' && !tally_word_hex(hex, ret_config);
}

/* Parse an event that does not depend on the machine. Returns 1 with `spec` filled in, 0 if it is
 * not such an event, or an error. */
static int generic_parse(struct tally_event_parser *p, struct tally_word word,
			 struct tally_event_spec *spec, enum shown *ret_shown)
{
	const struct tally_generic_event *event = tally_generic_find(word.text, word.len);
	int ret;

	if (event) {
		spec->attr.type = event->type;
		spec->attr.config = event->config;
		spec->tool = event->tool;
		return 1;
	}
	ret = tally_cache_parse(word.text, word.len, &spec->attr.config);
	if (ret == -EOPNOTSUPP)
		return tally_parser_fail(p, -EINVAL, "no such operation on this cache", word);
	if (!ret) {
		spec->attr.type = PERF_TYPE_HW_CACHE;
		*ret_shown = SHOW_HEAD;
		return 1;
	}
	if (raw_parse(word, &spec->attr.config)) {
		spec->attr.type = PERF_TYPE_RAW;
		return 1;
	}
	return 0;
}

static int event_unknown(struct tally_event_parser *p, struct tally_word word)
{
	tally_parser_fail(p, -ENOENT, "unknown event", word);
	tally_suggest_events(p, word);
	tally_error_fix(p->err, "'tally list' lists the events of this machine");
	tally_table_explain(p, word);
	return -ENOENT;
}

/* Parse an event name, with or without terms. */
static int name_parse(struct tally_event_parser *p, struct tally_word head,
		      const struct tally_terms *terms, bool slashes, enum shown *ret_shown)
{
	struct tally_event_spec spec = {.unit = "", .scale = 1};
	size_t first = p->specs.len;
	int ret = generic_parse(p, head, &spec, ret_shown);

	if (ret > 0) {
		ret = tally_cores_parse(p, &spec);
		if (!ret)
			ret = tally_parser_add(p, &spec);
		return ret < 0 ? ret : terms_apply(p, terms, first);
	}
	if (!ret && slashes)
		return tally_pmu_parse(p, head, terms);
	if (!ret)
		ret = tally_pmu_alias_parse(p, head, terms);
	if (!ret)
		ret = tally_table_parse(p, head, terms);
	if (!ret)
		ret = event_unknown(p, head);
	return ret < 0 ? ret : 0;
}

/* Parse TYPE:CONFIG, given as numbers. Returns 1 if the event was added, 0 if it does not have this
 * form, or an error. */
static int numeric_parse(struct tally_event_parser *p, struct tally_word head,
			 struct tally_word tail)
{
	struct tally_event_spec spec = {.unit = "", .scale = 1};
	uint64_t type;
	int ret;

	if (tally_word_u64(head, &type) || tally_word_u64(tail, &spec.attr.config))
		return 0;
	if (type > UINT32_MAX)
		return tally_parser_fail(p, -EINVAL, "event type number too large", head);
	spec.attr.type = (uint32_t)type;
	ret = tally_parser_add(p, &spec);
	return ret ? ret : 1;
}

/* Parse a tracepoint, or a name in another tool's syntax. */
static int colons_parse(struct tally_event_parser *p, struct tally_word head,
			struct tally_word tail)
{
	struct tally_event_error unknown;
	size_t behind = p->at;
	int ret = tally_tracepoint_parse(p, head, tail);

	if (!ret || ret == -ENOMEM)
		return ret;
	unknown = *p->err;
	ret = tally_spelling_parse(p, head);
	if (ret)
		return TALLY_MIN(ret, 0);
	if (!tail.len || tally_table_has_prefix(p->events, head)) {
		p->at = (size_t)(head.text - p->text);
		return event_unknown(p, tally_parser_word(p, ",{}/"));
	}
	*p->err = unknown;
	p->at = behind;
	return unknown.code;
}

/* Parse an event with a colon. The word after the first colon may consist of modifiers or be a
 * tracepoint name. */
static int colon_parse(struct tally_event_parser *p, struct tally_word head, enum shown *ret_shown)
{
	struct tally_event_spec spec;
	struct tally_terms none = {.nr = 0};
	enum shown ignored;
	size_t colon = p->at++;
	struct tally_word tail = tally_parser_word(p, STOPS);
	struct tally_event_error unknown;
	int ret = numeric_parse(p, head, tail);

	if (ret)
		return TALLY_MIN(ret, 0);
	if (generic_parse(p, head, &spec, &ignored) || (!tail.len && tally_parser_peek(p) != ':')) {
		/* L1D is a cache event, but other tools use this prefix for other events. */
		ret = tally_modifiers_are_valid(tail) ? 0 : tally_spelling_parse(p, head);
		if (ret) {
			*ret_shown = SHOW_SPEC_NAME;
			return TALLY_MIN(ret, 0);
		}
		p->at = colon;
		return name_parse(p, head, &none, false, ret_shown);
	}
	if (tail.len && tally_modifiers_are_valid(tail) && tally_parser_peek(p) != ':') {
		p->at = colon;
		ret = name_parse(p, head, &none, false, ret_shown);
		if (ret != -ENOENT)
			return ret;
		unknown = *p->err;
		p->at = (size_t)(tail.text + tail.len - p->text);
		if (!colons_parse(p, head, tail)) {
			*ret_shown = SHOW_SPEC_NAME;
			return 0;
		}
		*p->err = unknown;
		return ret;
	}
	*ret_shown = SHOW_SPEC_NAME;
	return colons_parse(p, head, tail);
}

static int head_parse(struct tally_event_parser *p, struct tally_terms *terms,
		      enum shown *ret_shown, struct tally_word *ret_head)
{
	size_t start = p->at, first = p->specs.len;
	int ret;

	if (p->len - p->at > 4 && !memcmp(p->text + p->at, "mem:", 4)) {
		p->at += 4;
		*ret_shown = SHOW_HEAD;
		ret = tally_breakpoint_parse(p);
		*ret_head = (struct tally_word){p->text + start, p->at - start};
		if (memchr(ret_head->text, '/', ret_head->len))
			ret_head->len =
				(size_t)((char *)memchr(ret_head->text, '/', ret_head->len) -
					 ret_head->text);
		else
			*ret_shown = SHOW_ALL;
		return ret;
	}
	*ret_head = tally_parser_word(p, STOPS);
	if (!ret_head->len)
		return tally_parser_fail(p, -EINVAL, "expected an event",
					 (struct tally_word){p->text + start, start < p->len});
	terms->nr = 0;
	if (tally_parser_peek(p) == ':') {
		ret = colon_parse(p, *ret_head, ret_shown);
		if (ret || tally_parser_peek(p) != '/')
			return ret;
		p->at++;
		ret = tally_terms_parse(p, terms);
		return ret ? ret : terms_apply(p, terms, first);
	}
	if (tally_parser_peek(p) != '/')
		return name_parse(p, *ret_head, terms, false, ret_shown);
	p->at++;
	ret = tally_terms_parse(p, terms);
	return ret ? ret : name_parse(p, *ret_head, terms, true, ret_shown);
}

static int specs_name(struct tally_event_parser *p, size_t first, struct tally_word shown)
{
	const char *name = tally_word_dup(p, shown);

	if (!name)
		return -ENOMEM;
	for (size_t i = first; i < p->specs.len; i++)
		if (!p->specs.data[i].name)
			p->specs.data[i].name = name;
	return 0;
}

static int event_parse(struct tally_event_parser *p, struct tally_terms *terms)
{
	enum shown shown = SHOW_ALL;
	size_t first = p->specs.len, start = p->at;
	struct tally_word head, modifiers = {p->text + p->at, 0};
	bool slash;
	int ret = head_parse(p, terms, &shown, &head);

	if (ret)
		return ret;
	slash = p->at > start && p->text[p->at - 1] == '/';
	if (tally_parser_peek(p) == ':' || slash) {
		p->at += tally_parser_peek(p) == ':';
		modifiers = tally_parser_word(p, ",{}");
	}
	ret = tally_modifiers_apply(p, modifiers, first, false);
	if (!ret && shown != SHOW_SPEC_NAME)
		ret = specs_name(p, first,
				 shown == SHOW_ALL
					 ? (struct tally_word){p->text + start, p->at - start}
					 : head);
	tally_parser_blanks(p);
	return ret;
}

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

/* Parse the start of a group, `{` or `name{`. */
static bool group_starts(struct tally_event_parser *p, struct tally_word *ret_name)
{
	size_t start = p->at;

	*ret_name = tally_parser_word(p, STOPS);
	if (tally_parser_peek(p) == '{')
		return true;
	p->at = start;
	return false;
}

static int item_parse(struct tally_event_parser *p, bool inside, struct tally_terms *terms)
{
	size_t first = p->specs.len;
	struct tally_word name;
	int ret;

	tally_parser_blanks(p);
	if (group_starts(p, &name)) {
		if (inside)
			return expected(p, "groups cannot be nested");
		return group_parse(p, name, terms);
	}
	ret = event_parse(p, terms);
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
