/* SPDX-License-Identifier: BSD-2-Clause */
/* Parser for the terms between slashes, `name` or `name=value`, and the terms that all events
 * support. */
#include <errno.h>
#include <string.h>

#include "base/arith.h"
#include "events/cpu_term.h"
#include "events/cursor.h"
#include "events/parse.h"
#include "events/events_error.h"

enum term_kind { TERM_U64, TERM_U32, TERM_BOOL, TERM_NOT, TERM_TEXT, TERM_FLAG };

/* Terms that override command line settings. */
static const struct {
	const char *name;
	uint8_t kind; /* enum term_kind */
	uint16_t bit; /* enum tally_event_term */
	uint16_t offset;
} overrides[] = {
#define ROW(name, kind, bit, member)                                                            \
	{                                                                                       \
		name, TERM_##kind, TALLY_TERM_##bit, offsetof(struct tally_event_terms, member) \
	}
	ROW("period", U64, PERIOD, period),
	ROW("freq", U64, FREQ, freq),
	ROW("time", BOOL, TIME, time),
	ROW("call-graph", TEXT, CALL_GRAPH, call_graph),
	ROW("stack-size", U32, STACK_SIZE, stack_size),
	ROW("inherit", FLAG, INHERIT, inherit),
	ROW("no-inherit", NOT, INHERIT, inherit),
	ROW("overwrite", FLAG, OVERWRITE, overwrite),
	ROW("no-overwrite", NOT, OVERWRITE, overwrite),
	ROW("max-stack", U32, MAX_STACK, max_stack),
	ROW("nr", U32, MAX_EVENTS, max_events),
	ROW("branch_type", TEXT, BRANCH, branch_type),
	ROW("percore", FLAG, PERCORE, percore),
	ROW("aux-output", FLAG, AUX_OUTPUT, aux_output),
	ROW("aux-sample-size", U32, AUX_SAMPLE, aux_sample_size),
#undef ROW
};

static struct tally_word word_trim(const char *start, const char *end)
{
	while (start < end && strchr(" \t\n\r", *start))
		start++;
	while (start < end && strchr(" \t\n\r", end[-1]))
		end--;
	return (struct tally_word){start, (size_t)(end - start)};
}

/* Parse a name or value. Commas, slashes and blanks can be quoted. */
static int term_piece(struct tally_event_parser *p, const char *stops, struct tally_word *ret_word)
{
	const char *start, *close;
	char quote;

	tally_parser_blanks(p);
	quote = tally_parser_peek(p);
	start = p->text + p->at;
	if (quote == '\'' || quote == '"') {
		close = memchr(start + 1, quote, p->len - p->at - 1);
		if (!close)
			return tally_parser_fail(p, -EINVAL, "missing closing quote",
						 (struct tally_word){start, p->len - p->at});
		*ret_word = (struct tally_word){start + 1, (size_t)(close - start - 1)};
		p->at = (size_t)(close + 1 - p->text);
		tally_parser_blanks(p);
		return 0;
	}
	while (p->at < p->len && p->text[p->at] && !strchr(stops, p->text[p->at]))
		p->at++;
	*ret_word = word_trim(start, p->text + p->at);
	return 0;
}

static int term_parse(struct tally_event_parser *p, struct tally_term *term)
{
	int ret = term_piece(p, "=,/", &term->name);

	if (ret)
		return ret;
	if (!term->name.len)
		return tally_parser_fail(p, -EINVAL, "empty term",
					 (struct tally_word){p->text + p->at, p->at < p->len});
	if (tally_parser_peek(p) != '=')
		return 0;
	p->at++;
	ret = term_piece(p, ",/", &term->value);
	if (!ret && !term->value.len)
		ret = tally_parser_fail(p, -EINVAL, "missing value after =", term->name);
	return ret;
}

int tally_terms_parse(struct tally_event_parser *p, struct tally_terms *ret_terms)
{
	struct tally_word open = {p->text + p->at - (p->at > 0), p->at > 0};
	int ret;

	ret_terms->nr = 0;
	tally_parser_blanks(p);
	if (tally_parser_peek(p) == '/') {
		p->at++;
		return 0;
	}
	for (;;) {
		struct tally_term *term = &ret_terms->term[ret_terms->nr];

		if (ret_terms->nr == TALLY_MAX_TERMS)
			return tally_parser_fail(p, -E2BIG, "too many terms", open);
		*term = (struct tally_term){0};
		ret = term_parse(p, term);
		if (ret)
			return ret;
		ret_terms->nr++;
		if (p->at >= p->len)
			return tally_parser_fail(p, -EINVAL,
						 "missing closing slash after the terms", open);
		if (p->text[p->at] != ',' && p->text[p->at] != '/')
			return tally_parser_fail(p, -EINVAL, "unexpected text after a value",
						 (struct tally_word){p->text + p->at, 1});
		if (p->text[p->at++] == '/')
			return 0;
	}
}

static int term_number(struct tally_event_parser *p, const struct tally_term *term, uint64_t max,
		       uint64_t *ret_value)
{
	uint64_t value;
	int ret;

	if (!term->value.text)
		return tally_parser_fail(p, -EINVAL, "term requires a value", term->name);
	ret = tally_word_u64(term->value, &value);
	if (ret == -EINVAL)
		return tally_parser_fail(p, ret, "expected a number", term->value);
	if (ret || value > max)
		return tally_parser_fail(p, -EINVAL, "number too large for this term", term->value);
	*ret_value = value;
	return 0;
}

/* Get the value of a flag. A flag without a value is true; otherwise the value must be 0 or 1. */
static int term_bool(struct tally_event_parser *p, const struct tally_term *term, bool needed,
		     bool *ret_value)
{
	uint64_t value = 1;
	int ret = 0;

	if (term->value.text || needed)
		ret = term_number(p, term, 1, &value);
	if (!ret)
		*ret_value = value;
	return ret;
}

static int term_text(struct tally_event_parser *p, const struct tally_term *term,
		     const char **ret_text)
{
	const char *text;

	if (!term->value.text)
		return tally_parser_fail(p, -EINVAL, "term requires a value", term->name);
	text = tally_word_dup(p, term->value);
	if (!text)
		return -ENOMEM;
	*ret_text = text;
	return 0;
}

static int override_apply(struct tally_event_parser *p, const struct tally_term *term, size_t row,
			  struct tally_event_terms *terms)
{
	void *member = (char *)terms + overrides[row].offset;
	uint64_t value = 0;
	int ret = 0;

	switch ((enum term_kind)overrides[row].kind) {
	case TERM_U64: ret = term_number(p, term, UINT64_MAX, member); break;
	case TERM_U32:
		ret = term_number(p, term, UINT32_MAX, &value);
		*(uint32_t *)member = (uint32_t)value;
		break;
	case TERM_BOOL: ret = term_bool(p, term, true, member); break;
	case TERM_FLAG: ret = term_bool(p, term, false, member); break;
	case TERM_NOT:
		ret = term_bool(p, term, false, member);
		*(bool *)member = !*(bool *)member;
		break;
	case TERM_TEXT: ret = term_text(p, term, member); break;
	}
	terms->given |= overrides[row].bit;
	return ret;
}

/* Pass @name[=value] unchanged to the PMU's driver. Multiple terms are joined with commas. */
static int driver_apply(struct tally_event_parser *p, const struct tally_term *term,
			struct tally_event_terms *terms)
{
	const char *start = term->name.text + 1;
	const char *end = term->value.text ? term->value.text + term->value.len
					   : term->name.text + term->name.len;
	size_t old = terms->driver ? strlen(terms->driver) + 1 : 0, len = (size_t)(end - start);
	char *joined = tally_arena_bytes(p->arena, old + len + 1);

	if (!joined)
		return -ENOMEM;
	if (old) {
		memcpy(joined, terms->driver, old - 1);
		joined[old - 1] = ',';
	}
	memcpy(joined + old, start, len);
	joined[old + len] = '\0';
	terms->driver = joined;
	terms->given |= TALLY_TERM_DRIVER;
	return 1;
}

/* Store the sampling period or frequency in the attr, in addition to the overrides. */
static void rate_apply(struct tally_event_spec *spec)
{
	if (spec->terms.given & TALLY_TERM_PERIOD) {
		spec->attr.sample_period = spec->terms.period;
	} else if (spec->terms.given & TALLY_TERM_FREQ) {
		spec->attr.sample_freq = spec->terms.freq;
		spec->attr.freq = 1;
	}
}

int tally_term_apply(struct tally_event_parser *p, const struct tally_term *term,
		     struct tally_event_spec *spec)
{
	int ret;

	if (tally_word_is(term->name, "name")) {
		ret = term_text(p, term, &spec->name);
		spec->terms.given |= TALLY_TERM_NAME;
		return ret ? ret : 1;
	}
	if (tally_word_is(term->name, "cpu")) {
		ret = tally_cpu_term_apply(p, term, spec);
		return ret ? ret : 1;
	}
	if (term->name.text[0] == '@' && term->name.len > 1)
		return driver_apply(p, term, &spec->terms);
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(overrides); i++) {
		if (!tally_word_is(term->name, overrides[i].name))
			continue;
		ret = override_apply(p, term, i, &spec->terms);
		rate_apply(spec);
		return ret ? ret : 1;
	}
	return 0;
}

int tally_term_config(struct tally_event_parser *p, const struct tally_term *term,
		      struct perf_event_attr *attr)
{
	static const struct {
		const char *name;
		uint16_t offset;
	} fields[] = {
		{"config", offsetof(struct perf_event_attr, config)},
		{"config1", offsetof(struct perf_event_attr, config1)},
		{"config2", offsetof(struct perf_event_attr, config2)},
		{"config3", offsetof(struct perf_event_attr, config3)},
	};
	int ret;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(fields); i++) {
		if (!tally_word_is(term->name, fields[i].name))
			continue;
		ret = term_number(p, term, UINT64_MAX,
				  (uint64_t *)(void *)((char *)attr + fields[i].offset));
		return ret ? ret : 1;
	}
	if (!term->value.text && term->name.text[0] == 'r' && term->name.len > 1) {
		struct tally_word hex = {term->name.text + 1, term->name.len - 1};

		return tally_word_hex(hex, &attr->config) ? 0 : 1;
	}
	return 0;
}
