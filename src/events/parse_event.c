/* SPDX-License-Identifier: BSD-2-Clause */
/* Grammar for a single event: its words are found once, and a table decides which of the forms with
 * a colon it has. */
#include <errno.h>
#include <string.h>

#include "base/arith.h"
#include "events/cpu_term.h"
#include "events/cursor.h"
#include "events/hwmon.h"
#include "events/events_cores.h"
#include "events/events_error.h"
#include "events/events_specs.h"
#include "events/events_suggest.h"
#include "events/lookup.h"
#include "events/names.h"
#include "events/parse.h"

/* Part of the event string that becomes the displayed name. */
enum shown { SHOW_ALL, SHOW_HEAD, SHOW_SPEC_NAME };

/* An event while it is being parsed. */
struct parsed_event {
	struct tally_event_shape shape;
	struct tally_terms *terms;
	size_t first; /* index of its first spec */
	enum shown shown;
	struct tally_event_error *rejected; /* why the first form was rejected; or code 0 */
};

struct tally_event_shape tally_event_shape(struct tally_event_parser *p)
{
	struct tally_event_shape shape = {.start = p->at};

	shape.head = tally_parser_word(p, ",{}/:");
	shape.after_head = tally_parser_peek(p);
	if (shape.after_head == ':') {
		p->at++;
		shape.tail = tally_parser_word(p, ",{}/:");
		shape.after_tail = tally_parser_peek(p);
		tally_parser_word(p, ",{}/");
	}
	shape.whole = (struct tally_word){shape.head.text, p->at - shape.start};
	p->at = shape.start;
	return shape;
}

/* ---- terms ---------------------------------------------------------------------- */

static int term_unknown(struct tally_event_parser *p, struct tally_word word)
{
	static const char *const terms[] = {
		"config",     "config1",    "config2",         "name",         "period",
		"freq",       "time",       "call-graph",      "stack-size",   "inherit",
		"no-inherit", "nr",         "overwrite",       "no-overwrite", "max-stack",
		"percore",    "aux-output", "aux-sample-size", "branch_type",  "cpu"};
	struct tally_suggest suggest;

	tally_parser_fail(p, -ENOENT, "unknown term", word);
	tally_suggest_start(&suggest, word.text, word.len);
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(terms); i++)
		tally_suggest_offer(&suggest, terms[i]);
	tally_error_near(p->err, &suggest);
	tally_error_fix(p->err,
			"terms of generic events: config name period freq time call-graph "
			"stack-size max-stack nr inherit overwrite percore branch_type cpu");
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

/* ---- names ---------------------------------------------------------------------- */

/* Parse rNNN. Returns true if `word` has this form. */
static bool raw_parse(struct tally_word word, uint64_t *ret_config)
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
static int name_parse(struct tally_event_parser *p, struct parsed_event *event)
{
	struct tally_event_spec spec = {.unit = "", .scale = 1};
	struct tally_word head = event->shape.head;
	int ret = generic_parse(p, head, &spec, &event->shown);

	if (ret > 0) {
		ret = tally_cores_parse(p, &spec);
		if (!ret)
			ret = tally_parser_add(p, &spec);
		return ret < 0 ? ret : terms_apply(p, event->terms, event->first);
	}
	if (!ret && event->shape.after_head == '/') {
		ret = tally_sensor_pmu_parse(p, head, event->terms);
		return ret ? TALLY_MIN(ret, 0) : tally_pmu_parse(p, head, event->terms);
	}
	if (!ret)
		ret = tally_pmu_alias_parse(p, head, event->terms);
	if (!ret)
		ret = tally_table_parse(p, head, event->terms);
	if (!ret)
		ret = tally_sensor_parse(p, head);
	if (!ret)
		ret = event_unknown(p, head);
	return ret < 0 ? ret : 0;
}

/* ---- forms with a colon --------------------------------------------------------- */

/* Properties of an event with a colon. The tail is the word after the first colon. */
enum {
	IS_NUMBERS = 1 << 0,     /* head and tail are numbers */
	IS_KNOWN = 1 << 1,       /* the head is a generic event, or nothing follows the colon */
	HAS_MODIFIERS = 1 << 2,  /* the tail has only letters of modifiers */
	HAS_MORE_COLONS = 1 << 3 /* another colon follows the tail */
};

static unsigned properties(struct tally_event_parser *p, const struct tally_event_shape *shape)
{
	struct tally_event_spec spec;
	enum shown ignored;
	uint64_t type, config;
	bool has_more = shape->after_tail == ':';
	bool is_numbers =
		!tally_word_u64(shape->head, &type) && !tally_word_u64(shape->tail, &config);
	bool is_known =
		(!shape->tail.len && !has_more) || generic_parse(p, shape->head, &spec, &ignored);

	return (is_numbers ? IS_NUMBERS : 0) | (is_known ? IS_KNOWN : 0) |
	       (tally_modifiers_are_valid(shape->tail) ? HAS_MODIFIERS : 0) |
	       (has_more ? HAS_MORE_COLONS : 0);
}

/* Note the first reason why a form was rejected, and go on with the next form. */
static int form_reject(struct tally_event_parser *p, struct parsed_event *event)
{
	if (!event->rejected->code)
		*event->rejected = *p->err;
	return 0;
}

/* TYPE:CONFIG, given as numbers. */
static int numbers_parse(struct tally_event_parser *p, struct parsed_event *event)
{
	struct tally_event_spec spec = {.unit = "", .scale = 1};
	uint64_t type = 0;
	int ret;

	(void)tally_word_u64(event->shape.head, &type);
	(void)tally_word_u64(event->shape.tail, &spec.attr.config);
	if (type > UINT32_MAX)
		return tally_parser_fail(p, -EINVAL, "event type number too large",
					 event->shape.head);
	spec.attr.type = (uint32_t)type;
	p->at = tally_parser_end(p, event->shape.tail);
	ret = tally_parser_add(p, &spec);
	return ret ? ret : 1;
}

/* A name in another tool's syntax, or a name in the tables that contains colons. */
static int spelling_parse(struct tally_event_parser *p, struct parsed_event *event)
{
	int ret = tally_spelling_parse(p, event->shape.whole);

	if (ret)
		event->shown = SHOW_SPEC_NAME;
	return ret;
}

/* A name followed by modifiers, which the caller parses. */
static int known_parse(struct tally_event_parser *p, struct parsed_event *event)
{
	int ret;

	p->at = tally_parser_end(p, event->shape.head);
	ret = name_parse(p, event);
	return ret ? ret : 1;
}

static int modified_parse(struct tally_event_parser *p, struct parsed_event *event)
{
	int ret = known_parse(p, event);

	return ret == -ENOENT ? form_reject(p, event) : ret;
}

static int tracepoint_parse(struct tally_event_parser *p, struct parsed_event *event)
{
	int ret;

	p->at = tally_parser_end(p, event->shape.tail);
	event->shown = SHOW_SPEC_NAME;
	ret = tally_tracepoint_parse(p, event->shape.head, event->shape.tail);
	if (ret && ret != -ENOMEM)
		return form_reject(p, event);
	return ret ? ret : 1;
}

/* Report why the first form was rejected. */
static int rejected_report(struct tally_event_parser *p, struct parsed_event *event)
{
	*p->err = *event->rejected;
	return p->err->code;
}

/* Report the whole event as unknown if it looks like a name in the tables, otherwise as a missing
 * tracepoint. */
static int whole_report(struct tally_event_parser *p, struct parsed_event *event)
{
	const struct tally_event_shape *shape = &event->shape;

	if (!shape->tail.len || tally_table_has_prefix(p->events, shape->head))
		return event_unknown(p, shape->whole);
	return rejected_report(p, event);
}

/* The forms in the order in which they are tried. For example, L1D is a cache event, but other
 * tools use this prefix for other events. */
static const struct {
	unsigned has, has_not; /* properties that the event must or must not have */
	/* Returns 1 if the event has this form and was added, 0 to try the next form, or an
	 * error. */
	int (*parse)(struct tally_event_parser *p, struct parsed_event *event);
} forms[] = {
	{IS_NUMBERS, 0, numbers_parse},
	{IS_KNOWN, HAS_MODIFIERS, spelling_parse},
	{IS_KNOWN, 0, known_parse},
	{HAS_MODIFIERS, HAS_MORE_COLONS, modified_parse},
	{0, 0, tracepoint_parse},
	{0, 0, spelling_parse},
	{HAS_MODIFIERS, HAS_MORE_COLONS, rejected_report},
	{0, 0, whole_report},
};

/* Parse an event with a colon, without its terms and modifiers. Returns 0 or an error. */
static int colon_parse(struct tally_event_parser *p, struct parsed_event *event)
{
	unsigned is = properties(p, &event->shape);
	struct tally_event_error rejected;
	int ret = 0;

	rejected.code = 0;
	event->rejected = &rejected;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(forms) && !ret; i++) {
		if ((is & forms[i].has) == forms[i].has && !(is & forms[i].has_not))
			ret = forms[i].parse(p, event);
	}
	return TALLY_MIN(ret, 0);
}

/* ---- events ---------------------------------------------------------------------- */

/* mem:ADDR[/LEN][:TYPE]. With a length, the displayed name is the part before it. */
static int breakpoint_parse(struct tally_event_parser *p, struct parsed_event *event)
{
	struct tally_word *head = &event->shape.head;
	const char *slash;
	int ret;

	p->at += strlen("mem:");
	ret = tally_breakpoint_parse(p);
	head->len = p->at - event->shape.start;
	slash = memchr(head->text, '/', head->len);
	if (slash) {
		event->shown = SHOW_HEAD;
		head->len = (size_t)(slash - head->text);
	}
	return ret;
}

static bool is_breakpoint(const struct tally_event_parser *p, const struct tally_event_shape *shape)
{
	return tally_word_is(shape->head, "mem") && shape->after_head == ':' &&
	       p->at + strlen("mem:") < p->len;
}

/* Parse everything but the modifiers. */
static int event_main(struct tally_event_parser *p, struct parsed_event *event)
{
	const struct tally_event_shape *shape = &event->shape;
	int ret = 0;

	if (is_breakpoint(p, shape))
		return breakpoint_parse(p, event);
	if (!shape->head.len)
		return tally_parser_fail(
			p, -EINVAL, "expected an event",
			(struct tally_word){shape->head.text, shape->start < p->len});
	event->terms->nr = 0;
	if (shape->after_head == ':')
		ret = colon_parse(p, event);
	else
		p->at = tally_parser_end(p, shape->head);
	if (!ret && tally_parser_peek(p) == '/') {
		p->at++;
		ret = tally_terms_parse(p, event->terms);
	}
	if (ret)
		return ret;
	return shape->after_head == ':' ? terms_apply(p, event->terms, event->first)
					: name_parse(p, event);
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

int tally_event_parse(struct tally_event_parser *p, const struct tally_event_shape *shape,
		      struct tally_terms *terms)
{
	struct parsed_event event = {.shape = *shape, .terms = terms, .first = p->specs.len};
	struct tally_word modifiers = {shape->head.text, 0}, all;
	int ret = event_main(p, &event);

	if (ret)
		return ret;
	if (tally_parser_peek(p) == ':' || (p->at > shape->start && p->text[p->at - 1] == '/')) {
		p->at += tally_parser_peek(p) == ':';
		modifiers = tally_parser_word(p, ",{}");
	}
	ret = tally_modifiers_apply(p, modifiers, event.first, false);
	all = (struct tally_word){p->text + shape->start, p->at - shape->start};
	if (!ret && event.shown != SHOW_SPEC_NAME)
		ret = specs_name(p, event.first, event.shown == SHOW_ALL ? all : event.shape.head);
	tally_parser_blanks(p);
	return ret ? ret : tally_cpu_terms_finish(p, event.first, all);
}
