/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Matches extended regular expressions against short strings, without compilation or backtracking.
 * The matcher parses the pattern from left to right, while tracking the set of all positions in the
 * string that the match may have reached. A repeated part of the pattern is parsed again as long as
 * it reaches new positions.
 */
#include <errno.h>
#include <string.h>

#include "base/arith.h"
#include "base/scan.h"
#include "jevents/models.h"

enum {
	TEXT_MAX = 127,   /* a set has one bit for each position */
	DEPTH_MAX = 20,   /* maximum nesting of parentheses */
	REPEAT_MAX = 255, /* POSIX RE_DUP_MAX */
	BUDGET = 100000,  /* maximum number of atoms processed, counting repetitions */
};

typedef unsigned __int128 positions;

struct matcher {
	const char *at; /* current position in the pattern */
	const char *text;
	unsigned len;
	int depth, budget;
	const char *why; /* reason why the pattern is invalid, or NULL */
};

static positions bit(unsigned position)
{
	return (positions)1 << position;
}

static positions bad(struct matcher *matcher, const char *why)
{
	if (!matcher->why)
		matcher->why = why;
	matcher->at += strlen(matcher->at);
	return 0;
}

/* Return the positions reached from `from` by one byte contained in `bytes`. */
static positions positions_step(const struct matcher *matcher, positions from,
				const bool bytes[256])
{
	positions to = 0;

	for (unsigned i = 0; i < matcher->len; i++)
		if (from & bit(i) && bytes[(unsigned char)matcher->text[i]])
			to |= bit(i + 1);
	return to;
}

static void range_add(bool bytes[256], unsigned char first, unsigned char last)
{
	for (unsigned c = first; c <= last; c++)
		bytes[c] = true;
}

/* Parse a character class such as "[:xdigit:]" at the current position. Returns false if the class
 * is unknown. */
static bool class_add(struct matcher *matcher, bool bytes[256])
{
	static const struct {
		const char *name;
		unsigned char ranges[4][2];
	} classes[] = {
		{"[:digit:]", {{'0', '9'}}},
		{"[:xdigit:]", {{'0', '9'}, {'a', 'f'}, {'A', 'F'}}},
		{"[:alpha:]", {{'a', 'z'}, {'A', 'Z'}}},
		{"[:alnum:]", {{'0', '9'}, {'a', 'z'}, {'A', 'Z'}}},
		{"[:lower:]", {{'a', 'z'}}},
		{"[:upper:]", {{'A', 'Z'}}},
		{"[:blank:]", {{' ', ' '}, {'\t', '\t'}}},
		{"[:space:]", {{' ', ' '}, {'\t', '\r'}}},
		{"[:punct:]", {{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}}},
	};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(classes); i++) {
		if (strncmp(matcher->at, classes[i].name, strlen(classes[i].name)))
			continue;
		for (int j = 0; j < 4 && classes[i].ranges[j][0]; j++)
			range_add(bytes, classes[i].ranges[j][0], classes[i].ranges[j][1]);
		matcher->at += strlen(classes[i].name);
		return true;
	}
	return false;
}

/* Match a bracket expression "[a-f[:digit:]_]" or "[^...]". */
static positions bracket_match(struct matcher *matcher, positions from)
{
	bool bytes[256] = {false}, negated;
	const char *begin;

	matcher->at++;
	negated = *matcher->at == '^';
	matcher->at += negated;
	for (begin = matcher->at; *matcher->at && (*matcher->at != ']' || matcher->at == begin);) {
		unsigned char first = *matcher->at, last = first;

		if (first == '[' && strchr(".:=", matcher->at[1]) && matcher->at[1]) {
			if (!class_add(matcher, bytes))
				return bad(matcher, "unknown character class");
			continue;
		}
		if (matcher->at[1] == '-' && matcher->at[2] && matcher->at[2] != ']') {
			last = matcher->at[2];
			matcher->at += 2;
		}
		matcher->at++;
		if (last < first)
			return bad(matcher, "invalid range: the end is before the start");
		range_add(bytes, first, last);
	}
	if (!*matcher->at)
		return bad(matcher, "missing closing bracket");
	matcher->at++;
	for (unsigned c = 0; c < 256; c++)
		bytes[c] ^= negated;
	return positions_step(matcher, from, bytes);
}

static positions alternatives_match(struct matcher *matcher, positions from);

static positions group_match(struct matcher *matcher, positions from)
{
	positions to;

	if (matcher->depth == DEPTH_MAX)
		return bad(matcher, "parentheses nested too deeply");
	matcher->depth++;
	matcher->at++;
	to = alternatives_match(matcher, from);
	matcher->depth--;
	if (*matcher->at != ')')
		return bad(matcher, "missing closing parenthesis");
	matcher->at++;
	return to;
}

static positions atom_match(struct matcher *matcher, positions from)
{
	bool bytes[256] = {false};
	char c = *matcher->at;

	if (--matcher->budget < 0)
		return bad(matcher, "pattern too complex");
	if (c == '(')
		return group_match(matcher, from);
	if (c == '[')
		return bracket_match(matcher, from);
	if (strchr("*+?{", c))
		return bad(matcher, "nothing to repeat");
	matcher->at++;
	if (c == '^')
		return from & bit(0);
	if (c == '$')
		return from & bit(matcher->len);
	if (c == '.') {
		range_add(bytes, 1, 255);
	} else if (c != '\\') {
		bytes[(unsigned char)c] = true;
	} else if (*matcher->at) {
		bytes[(unsigned char)*matcher->at++] = true;
	} else {
		return bad(matcher, "backslash at the end");
	}
	return positions_step(matcher, from, bytes);
}

/* Parse a number in "{2,4}". Returns `otherwise` if there is no number. */
static unsigned count_read(struct matcher *matcher, unsigned otherwise)
{
	struct tally_scan scan = tally_scan_of(matcher->at, strlen(matcher->at));
	uint64_t count = REPEAT_MAX + 1u;

	if (tally_scan_number(&scan, 10, &count) == -EINVAL)
		return otherwise;
	matcher->at = scan.at;
	return (unsigned)TALLY_MIN(count, (uint64_t)REPEAT_MAX + 1);
}

/* Parse the repetition after an atom. Returns its minimum and maximum count; UINT_MAX means no
 * limit. */
static void repeat_read(struct matcher *matcher, unsigned *ret_least, unsigned *ret_most)
{
	char mark = *matcher->at;

	*ret_least = mark == '*' || mark == '?' ? 0 : 1;
	*ret_most = mark == '*' || mark == '+' ? ~0u : 1;
	if (!mark || !strchr("*+?{", mark))
		return;
	matcher->at++;
	if (mark != '{')
		return;
	*ret_least = count_read(matcher, ~0u);
	*ret_most = *ret_least;
	if (*matcher->at == ',') {
		matcher->at++;
		*ret_most = count_read(matcher, ~0u);
	}
	if (*matcher->at != '}' || *ret_least > REPEAT_MAX || *ret_least > *ret_most ||
	    (*ret_most != ~0u && *ret_most > REPEAT_MAX))
		bad(matcher, "invalid repetition");
	else
		matcher->at++;
}

/* Match an atom with its repetition. */
static positions piece_match(struct matcher *matcher, positions from)
{
	const char *begin = matcher->at, *end;
	positions reached = atom_match(matcher, from), all;
	unsigned least, most;

	repeat_read(matcher, &least, &most);
	end = matcher->at;
	all = (least ? 0 : from) | (least <= 1 && most >= 1 ? reached : 0);
	for (unsigned i = 2; i <= most && reached && !matcher->why; i++) {
		positions before = all;

		matcher->at = begin;
		reached = atom_match(matcher, reached);
		if (i >= least)
			all |= reached;
		if (i > least && all == before)
			break;
	}
	if (!matcher->why)
		matcher->at = end;
	return all;
}

static positions alternatives_match(struct matcher *matcher, positions from)
{
	positions all = 0, to = from;

	for (;;) {
		while (*matcher->at && *matcher->at != '|' && *matcher->at != ')')
			to = piece_match(matcher, to);
		all |= to;
		if (*matcher->at != '|')
			return all;
		matcher->at++;
		to = from;
	}
}

/* Return the end positions of all matches that begin at the start of the string, or 0 if the
 * pattern is invalid. */
static positions match(const char *pattern, const char *text, const char **ret_why)
{
	struct matcher matcher = {.at = pattern, .text = text, .budget = BUDGET};
	size_t len = strlen(text);
	positions ends;

	*ret_why = NULL;
	if (len > TEXT_MAX)
		return 0;
	matcher.len = len;
	ends = alternatives_match(&matcher, bit(0));
	if (*matcher.at)
		bad(&matcher, "missing opening parenthesis");
	*ret_why = matcher.why;
	return matcher.why ? 0 : ends;
}

/* Return the length of an x86 CPU ID without its stepping, or 0 if the string is not such an ID. */
static size_t without_stepping(const char *cpuid)
{
	const char *last = strrchr(cpuid, '-');
	int dashes = 0;

	for (const char *at = cpuid; (at = strchr(at, '-')); at++)
		dashes++;
	return dashes == 3 ? last - cpuid : 0;
}

bool tally_cpuid_match(const char *pattern, const char *cpuid)
{
	const char *why;
	positions ends = match(pattern, cpuid, &why);
	size_t len = without_stepping(cpuid);

	return ends & bit(strlen(cpuid) & TEXT_MAX) || (len && ends & bit(len & TEXT_MAX));
}

bool tally_compat_match(const char *pattern, const char *identifier)
{
	const char *why;

	return match(pattern, identifier, &why) & bit(strlen(identifier) & TEXT_MAX);
}

int tally_cpuid_check(const char *pattern, const char **ret_why)
{
	const char *why;

	match(pattern, "", &why);
	if (!why)
		return 0;
	*ret_why = why;
	return -EINVAL;
}
