/* SPDX-License-Identifier: BSD-2-Clause */
/* Parser for breakpoint events: mem:ADDR[/LEN][:TYPE] */
#include <errno.h>
#include <string.h>

#include "events/cursor.h"
#include "events/parse.h"
#include "events/events_error.h"
#include "events/events_specs.h"

enum { DATA_LEN = 4, CODE_LEN = sizeof(long) };

/* Parse the letters r, w and x, each at most once. Returns 0 if `word` is something else, such as
 * modifiers. */
static uint32_t type_parse(struct tally_word word)
{
	static const struct {
		char letter;
		uint32_t bit;
	} types[] = {{'r', HW_BREAKPOINT_R}, {'w', HW_BREAKPOINT_W}, {'x', HW_BREAKPOINT_X}};
	uint32_t type = 0;

	for (size_t i = 0; i < word.len; i++) {
		uint32_t bit = 0;

		for (size_t t = 0; t < 3; t++)
			if (types[t].letter == word.text[i])
				bit = types[t].bit;
		if (!bit || type & bit)
			return 0;
		type |= bit;
	}
	return type;
}

static int number_parse(struct tally_event_parser *p, const char *wrong, uint64_t *ret_value)
{
	struct tally_word word = tally_parser_word(p, ",{}/:");
	int ret = tally_word_u64(word, ret_value);

	if (ret) {
		tally_parser_fail(p, -EINVAL, wrong, word);
		tally_error_fix(
			p->err,
			"the format is mem:ADDR[/LEN][:rwx][:modifiers], as in mem:0x1000/8:rw:u");
	}
	return ret ? -EINVAL : 0;
}

int tally_breakpoint_parse(struct tally_event_parser *p)
{
	struct tally_event_spec spec = {.unit = "", .scale = 1};
	struct perf_event_attr *attr = &spec.attr;
	struct tally_word word;
	size_t before;
	uint32_t type;
	int ret;

	attr->type = PERF_TYPE_BREAKPOINT;
	attr->bp_type = HW_BREAKPOINT_RW;
	ret = number_parse(p, "expected a breakpoint address", &attr->bp_addr);
	if (ret)
		return ret;
	if (tally_parser_peek(p) == '/') {
		p->at++;
		ret = number_parse(p, "expected a breakpoint length", &attr->bp_len);
		if (ret)
			return ret;
	}
	before = p->at;
	if (tally_parser_peek(p) == ':') {
		p->at++;
		word = tally_parser_word(p, ",{}/:");
		type = type_parse(word);
		if (type)
			attr->bp_type = type;
		else
			p->at = before;
		if (!type && !tally_modifiers_are_valid(word))
			return tally_parser_fail(
				p, -EINVAL, "expected r, w and x, each at most once, or modifiers",
				word);
	}
	if (!attr->bp_len)
		attr->bp_len = attr->bp_type == HW_BREAKPOINT_X ? CODE_LEN : DATA_LEN;
	return tally_parser_add(p, &spec);
}
