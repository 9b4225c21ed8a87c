/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/pattern.h"

#include <errno.h>
#include <locale.h>
#include <regex.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/arith.h"

/* ---- cost of regular expressions ----------------------------------------------- */

enum { GROUPS_MAX = 32, STEPS_LIMIT = TALLY_PATTERN_STEPS_MAX + 1 };

/* Number of matching steps in each open group, outermost first. The steps of the last atom are kept
 * separately, because a repetition may follow the atom. All numbers saturate at STEPS_LIMIT. */
struct pattern_steps {
	uint32_t before[GROUPS_MAX], last[GROUPS_MAX];
	unsigned depth;
};

static void steps_add_atom(struct pattern_steps *steps, uint32_t nr)
{
	unsigned at = steps->depth;

	steps->before[at] = TALLY_MIN(steps->before[at] + steps->last[at], STEPS_LIMIT);
	steps->last[at] = nr;
}

static void steps_repeat(struct pattern_steps *steps, uint64_t times)
{
	uint64_t nr = steps->last[steps->depth] * times;

	steps->last[steps->depth] = (uint32_t)TALLY_MIN(nr, STEPS_LIMIT);
}

/* Return the position after the bracket expression that begins at `at`. */
static const char *bracket_end(const char *at)
{
	at += 1 + (at[1] == '^');
	at += *at == ']';
	while (*at && *at != ']') {
		if (*at == '[' && at[1] && strchr(".:=", at[1])) {
			const char close[] = {at[1], ']', '\0'};
			const char *end = strstr(at + 2, close);

			at = end ? end + 2 : at + strlen(at);
		} else {
			at++;
		}
	}
	return at + (*at == ']');
}

/* Return the position after an interval such as "{2,5}" at `at`, and the maximum number of copies
 * of the preceding atom that it expands to. Return NULL if it is not an interval. */
static const char *interval_end(const char *at, uint64_t *ret_times)
{
	const char *first = at + 1, *second = first + strspn(first, "0123456789");
	bool is_range = *second == ',';
	const char *end = second + is_range;
	unsigned long low = strtoul(first, NULL, 10), high = low;

	if (is_range && *end != '}')
		high = strtoul(end, NULL, 10);
	end += is_range ? strspn(end, "0123456789") : 0;
	if (*end != '}')
		return NULL;
	*ret_times = 2 * TALLY_MIN(TALLY_MAX(low, high), STEPS_LIMIT) + 2;
	return end + 1;
}

static const char *steps_open(struct pattern_steps *steps, const char *at)
{
	steps->depth++;
	steps->before[steps->depth] = 0;
	steps->last[steps->depth] = 1;
	return at + 1;
}

static const char *steps_close(struct pattern_steps *steps, const char *at)
{
	uint32_t nr = steps->before[steps->depth] + steps->last[steps->depth];

	if (steps->depth) {
		steps->depth--;
		steps_add_atom(steps, TALLY_MIN(nr, STEPS_LIMIT));
	}
	return at + 1;
}

/* Process the item at `at`, and return the position after it. A '+' expands to two copies, one of
 * which is repeated. Each optional or repeated item allows two ways to continue, which multiplies
 * the number of steps for the items inside it. */
static const char *steps_process(struct pattern_steps *steps, const char *at)
{
	const char *end;
	uint64_t times;

	switch (*at) {
	case '(': return steps_open(steps, at);
	case ')': return steps_close(steps, at);
	case '{':
		end = interval_end(at, &times);
		if (!end)
			break;
		steps_repeat(steps, times);
		return end;
	case '+': steps_repeat(steps, 3); return at + 1;
	case '*':
	case '?': steps_repeat(steps, 2); return at + 1;
	case '[': steps_add_atom(steps, 1); return bracket_end(at);
	case '\\': steps_add_atom(steps, 1); return at + 1 + (at[1] != '\0');
	default: break;
	}
	steps_add_atom(steps, 1);
	return at + 1;
}

/* Return the reason why an expression may be too expensive, or NULL if its cost is acceptable.
 * Back-references are rejected because matching them may take unlimited time. */
static const char *regex_cost_error(const char *text)
{
	struct pattern_steps steps = {0};
	const char *at = text;

	if (strlen(text) > TALLY_PATTERN_REGEX_MAX)
		return "the regular expression is longer than 256 bytes";
	while (*at) {
		if (*at == '\\' && at[1] >= '0' && at[1] <= '9')
			return "back-references are not supported in regular expressions";
		/* glibc would treat this as a literal character. */
		if (*at == ')' && !steps.depth)
			return "')' without '(' in the regular expression: use \\) or [)] for the "
			       "character";
		if (*at == '(' && steps.depth + 1 == GROUPS_MAX)
			return "groups in the regular expression are nested more than 31 levels "
			       "deep";
		at = steps_process(&steps, at);
	}
	while (steps.depth)
		steps_close(&steps, at);
	if (steps.before[0] + steps.last[0] > TALLY_PATTERN_STEPS_MAX)
		return "the regular expression has too many repetitions";
	return NULL;
}

/* ---- patterns ------------------------------------------------------------------- */

static const struct {
	int code;
	const char *text;
} regex_errors[] = {
	{REG_EBRACK, "'[' without ']' in the regular expression"},
	{REG_EPAREN, "unmatched '(' or ')' in the regular expression"},
	{REG_ERPAREN, "')' without '(' in the regular expression"},
	{REG_EBRACE, "'{' without '}' in the regular expression"},
	{REG_BADBR, "invalid repetition count in '{}' of the regular expression"},
	{REG_ERANGE, "invalid range in the regular expression: the end is before the start"},
	{REG_ECTYPE, "the regular expression has an unknown [:class:]"},
	{REG_BADRPT, "a repetition operator in the regular expression has nothing to repeat"},
	{REG_EESCAPE, "the regular expression ends with a backslash"},
};

static const char *regex_error(int code)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(regex_errors); i++) {
		if (regex_errors[i].code == code)
			return regex_errors[i].text;
	}
	return "invalid regular expression";
}

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

/* Return true if a pattern contains an upper-case letter. In a regular expression, a letter after a
 * backslash is an operator and is not counted. */
static bool has_upper(enum tally_pattern_kind kind, const char *text)
{
	for (; *text; text++) {
		if (kind == TALLY_PATTERN_REGEX && *text == '\\' && text[1])
			text++;
		else if (is_upper(*text))
			return true;
	}
	return false;
}

/* glibc caches the states of a match across names, and searching this cache takes longer and
 * longer. The expression is therefore recompiled after matching this many bytes. */
enum { KEPT_BYTES = 8192 };

struct pattern_regex {
	regex_t regex;
	bool is_compiled, is_out_of_memory;
	size_t matched; /* bytes matched since the expression was compiled */
};

/* Compile an expression. It is anchored at the start, because glibc would otherwise try each offset
 * in a name as the start of a match. It uses the C locale, because in other locales '.' does not
 * match bytes that are not valid characters. */
static int regex_compile(const struct tally_pattern *pattern, bool is_anchored, regex_t *ret_regex)
{
	int flags = REG_EXTENDED | REG_NOSUB | (pattern->folds ? REG_ICASE : 0), code;
	locale_t bytes = newlocale(LC_ALL_MASK, "C", (locale_t)0), was;
	char text[TALLY_PATTERN_REGEX_MAX + sizeof("^.*()")];

	if (!bytes)
		return REG_ESPACE;
	snprintf(text, sizeof(text), "%s%s%s", is_anchored ? "^.*(" : "", pattern->text,
		 is_anchored ? ")" : "");
	was = uselocale(bytes);
	code = regcomp(ret_regex, text, flags);
	uselocale(was);
	freelocale(bytes);
	return code;
}

static void regex_release(struct pattern_regex *regex)
{
	if (regex->is_compiled)
		regfree(&regex->regex);
	regex->is_compiled = false;
	regex->matched = 0;
}

static int regex_recompile(const struct tally_pattern *pattern)
{
	struct pattern_regex *regex = pattern->regex;
	int code;

	regex_release(regex);
	code = regex_compile(pattern, true, &regex->regex);
	regex->is_compiled = !code;
	return code;
}

/* Compile a pattern. The expression is first compiled without the anchor, in order to detect errors
 * in the expression itself. */
static int pattern_compile(struct tally_pattern *pattern, const char **ret_why)
{
	const char *why = regex_cost_error(pattern->text);
	regex_t alone;
	int code = why ? 0 : regex_compile(pattern, false, &alone);

	if (!why && !code) {
		regfree(&alone);
		code = regex_recompile(pattern);
	}
	if (!why && !code)
		return 0;
	if (code == REG_ESPACE)
		return -ENOMEM;
	*ret_why = why ? why : regex_error(code);
	return -EINVAL;
}

int tally_pattern_init(enum tally_pattern_kind kind, const char *text,
		       struct tally_pattern *ret_pattern, const char **ret_why)
{
	struct tally_pattern pattern = {.kind = kind,
					.folds = kind != TALLY_PATTERN_EXACT &&
						 !has_upper(kind, text),
					.text = strdup(text)};
	int ret = pattern.text ? 0 : -ENOMEM;

	if (!ret && kind == TALLY_PATTERN_REGEX) {
		pattern.regex = calloc(1, sizeof(*pattern.regex));
		ret = pattern.regex ? pattern_compile(&pattern, ret_why) : -ENOMEM;
	}
	if (ret)
		tally_pattern_free(&pattern);
	else
		*ret_pattern = pattern;
	return ret;
}

static bool regex_matches(const struct tally_pattern *pattern, const char *name)
{
	struct pattern_regex *regex = pattern->regex;
	int code = 0;

	if (!regex->is_compiled || regex->matched > KEPT_BYTES)
		code = regex_recompile(pattern);
	if (!code) {
		regex->matched += strlen(name);
		code = regexec(&regex->regex, name, 0, NULL, 0);
	}
	regex->is_out_of_memory |= code == REG_ESPACE;
	return !code;
}

static bool name_matches(const struct tally_pattern *pattern, const char *name)
{
	switch (pattern->kind) {
	case TALLY_PATTERN_EXACT:
	case TALLY_PATTERN_WHOLE:
		return !(pattern->folds ? strcasecmp : strcmp)(name, pattern->text);
	case TALLY_PATTERN_REGEX: return regex_matches(pattern, name);
	case TALLY_PATTERN_PART: break;
	}
	return (pattern->folds ? strcasestr : strstr)(name, pattern->text) != NULL;
}

int tally_pattern_error(const struct tally_pattern *pattern)
{
	return pattern->regex && pattern->regex->is_out_of_memory ? -ENOMEM : 0;
}

bool tally_pattern_matches(const struct tally_pattern *pattern, const char *name)
{
	char start[TALLY_PATTERN_NAME_MAX + 1];

	if (strnlen(name, sizeof(start)) < sizeof(start))
		return name_matches(pattern, name);
	memcpy(start, name, TALLY_PATTERN_NAME_MAX);
	start[TALLY_PATTERN_NAME_MAX] = '\0';
	return name_matches(pattern, start);
}

void tally_pattern_free(struct tally_pattern *pattern)
{
	if (pattern->regex)
		regex_release(pattern->regex);
	free(pattern->regex);
	free(pattern->text);
	*pattern = (struct tally_pattern){0};
}
