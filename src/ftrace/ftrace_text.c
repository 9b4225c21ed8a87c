/* SPDX-License-Identifier: BSD-2-Clause */
#include "ftrace/ftrace_text.h"

#include <string.h>

#include "base/scan.h"

/* Parse a decimal number no greater than `max`. */
static bool parse_number(struct tally_scan *in, uint64_t max, uint64_t *ret_value)
{
	uint64_t value;

	if (tally_scan_number(in, 10, &value) || value > max)
		return false;
	*ret_value = value;
	return true;
}

/* Parse "12.345" in units of `unit` ns, which is a power of ten. Digits below one nanosecond are
 * ignored. */
static bool parse_time(struct tally_scan *in, uint64_t unit, uint64_t *ret_ns)
{
	uint64_t whole, ns, part = 0;

	if (!parse_number(in, UINT64_MAX, &whole) || __builtin_mul_overflow(whole, unit, &ns))
		return false;
	if (tally_scan_char(in, '.')) {
		if (!tally_is_digit(tally_scan_peek(in)))
			return false;
		part = tally_scan_fraction(in, unit);
	}
	return !__builtin_add_overflow(ns, part, ret_ns);
}

/* ---- function_graph ------------------------------------------------------- */

/* Parse "name" or "name [module]" and move past it. */
static void parse_name(struct tally_scan *in, struct tally_ftrace_line *line)
{
	const char *start = in->at, *close;

	while (in->at < in->end && !strchr(" (;\t", *in->at))
		in->at++;
	if (in->end - in->at > 2 && in->at[0] == ' ' && in->at[1] == '[') {
		close = memchr(in->at, ']', (size_t)(in->end - in->at));
		if (close)
			in->at = close + 1;
	}
	line->name = in->at > start ? start : NULL;
	line->name_len = (size_t)(in->at - start);
}

/* Parse the text after the vertical bar: "name();", "name() {", "}" or a comment. */
static enum tally_ftrace_kind parse_call(struct tally_scan *in, struct tally_ftrace_line *line)
{
	const char *last = in->end;

	tally_scan_blanks(in);
	if (tally_scan_text(in, "}")) {
		tally_scan_blanks(in);
		if (tally_scan_text(in, "/* "))
			parse_name(in, line);
		return TALLY_FTRACE_RETURN;
	}
	parse_name(in, line);
	if (!line->name || in->at == in->end || *in->at != '(') {
		line->name = NULL;
		return TALLY_FTRACE_OTHER;
	}
	/* Skip everything up to the last character, as arguments and a return value may appear in
	 * between. */
	while (last > in->at && (last[-1] == ' ' || last[-1] == '\r'))
		last--;
	return last[-1] == '{' ? TALLY_FTRACE_ENTRY : TALLY_FTRACE_LEAF;
}

/* Parse a line such as " 0) + 12.962 us   |          } / * name * /". */
static bool parse_graph(struct tally_scan in, struct tally_ftrace_line *line)
{
	uint64_t cpu;

	tally_scan_blanks(&in);
	if (!parse_number(&in, INT32_MAX, &cpu) || !tally_scan_text(&in, ")"))
		return false;
	line->cpu = (int32_t)cpu;
	tally_scan_blanks(&in);
	/* Skip the mark for a long duration. */
	if (in.at < in.end && memchr("+!#*@$", *in.at, 6)) {
		in.at++;
		tally_scan_blanks(&in);
	}
	if (parse_time(&in, 1000, &line->ns)) {
		tally_scan_blanks(&in);
		if (!tally_scan_text(&in, "us"))
			return true;
		line->has_ns = true;
		tally_scan_blanks(&in);
	}
	if (tally_scan_text(&in, "|"))
		line->kind = parse_call(&in, line);
	return true;
}

/* ---- events --------------------------------------------------------------- */

/* Return the TID from the "-123" before `at`, or -1 if there is no TID. A thread group in
 * parentheses may separate the TID from `at`. */
static int32_t tid_before(const char *start, const char *at)
{
	const char *digits;
	struct tally_scan in;
	uint64_t tid;

	while (at > start && at[-1] == ' ')
		at--;
	if (at > start && at[-1] == ')') {
		while (at > start && at[-1] != '(')
			at--;
		at -= at > start;
		while (at > start && at[-1] == ' ')
			at--;
	}
	for (digits = at; digits > start && digits[-1] >= '0' && digits[-1] <= '9';)
		digits--;
	in = (struct tally_scan){digits, at};
	if (digits == start || digits[-1] != '-' || !parse_number(&in, INT32_MAX, &tid))
		return -1;
	return (int32_t)tid;
}

/* Parse "[000] d..2. 12770.036601: ". */
static bool parse_stamp(struct tally_scan *in, struct tally_ftrace_line *line)
{
	uint64_t cpu, ns;

	if (!tally_scan_text(in, "[") || !parse_number(in, INT32_MAX, &cpu) ||
	    !tally_scan_text(in, "] "))
		return false;
	tally_scan_blanks(in);
	/* Skip the flag letters, which are absent without options/irq-info. */
	if (!tally_is_digit(tally_scan_peek(in))) {
		while (in->at < in->end && *in->at != ' ')
			in->at++;
		tally_scan_blanks(in);
	}
	if (!parse_time(in, 1000000000, &ns) || !tally_scan_text(in, ": "))
		return false;
	line->cpu = (int32_t)cpu;
	line->ns = ns;
	line->has_ns = true;
	return true;
}

/* Parse an event line. A thread name may contain anything, even brackets, so use the first bracket
 * that starts a valid stamp. */
static bool parse_event(struct tally_scan in, struct tally_ftrace_line *line)
{
	const char *start = in.at, *bracket;
	struct tally_scan name;

	for (;;) {
		bracket = memchr(in.at, '[', (size_t)(in.end - in.at));
		if (!bracket)
			return false;
		name = (struct tally_scan){bracket, in.end};
		if (parse_stamp(&name, line))
			break;
		in.at = bracket + 1;
	}
	line->kind = TALLY_FTRACE_EVENT;
	line->tid = tid_before(start, bracket);
	line->name = name.at;
	while (name.at < name.end && !strchr(": (", *name.at))
		name.at++;
	line->name_len = (size_t)(name.at - line->name);
	if (tally_scan_text(&name, "("))
		line->syscall = TALLY_FTRACE_SYSCALL_ENTER;
	else if (tally_scan_text(&name, " -> "))
		line->syscall = TALLY_FTRACE_SYSCALL_EXIT;
	return true;
}

/* Parse "CPU:0 [LOST 123 EVENTS]". */
static bool parse_lost(struct tally_scan in, struct tally_ftrace_line *line)
{
	uint64_t cpu;

	if (!tally_scan_text(&in, "CPU:") || !parse_number(&in, INT32_MAX, &cpu) ||
	    !tally_scan_text(&in, " [LOST "))
		return false;
	parse_number(&in, UINT64_MAX, &line->lost);
	line->cpu = (int32_t)cpu;
	line->kind = TALLY_FTRACE_LOST;
	return true;
}

void tally_ftrace_line_parse(const char *text, size_t len, struct tally_ftrace_line *ret_line)
{
	struct tally_scan in = {text, text + len};
	struct tally_ftrace_line line = {.cpu = -1, .tid = -1};

	if (!parse_lost(in, &line) && !parse_graph(in, &line))
		parse_event(in, &line);
	*ret_line = line;
}
