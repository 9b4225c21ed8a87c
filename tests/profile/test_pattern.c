/* SPDX-License-Identifier: BSD-2-Clause */
/* Test name patterns: matching, and the limits on the cost of regular expressions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arith.h"
#include "profile/pattern.h"
#include "random.h"

#include <cmocka.h>

static void names_match(void **state)
{
	static const struct {
		enum tally_pattern_kind kind;
		const char *text, *name;
		bool matches;
	} cases[] = {
		{TALLY_PATTERN_PART, "alloc", "je_MALLOC", true},
		{TALLY_PATTERN_PART, "Alloc", "je_malloc", false},
		{TALLY_PATTERN_PART, "Alloc", "jeAlloc", true},
		{TALLY_PATTERN_PART, "", "", true},
		{TALLY_PATTERN_PART, "a.c", "abc", false},
		{TALLY_PATTERN_WHOLE, "main", "Main", true},
		{TALLY_PATTERN_WHOLE, "Main", "main", false},
		{TALLY_PATTERN_WHOLE, "main", "mains", false},
		{TALLY_PATTERN_EXACT, "main", "main", true},
		{TALLY_PATTERN_EXACT, "main", "Main", false},
		{TALLY_PATTERN_REGEX, "^ma?in$", "MIN", true},
		{TALLY_PATTERN_REGEX, "^Ma?in$", "MIN", false},
		{TALLY_PATTERN_REGEX, "^\\W+$", "::", true},
		{TALLY_PATTERN_REGEX, "\\Wmain", "::MAIN", true},
		{TALLY_PATTERN_REGEX, "[]a]b", "]B", true},
		{TALLY_PATTERN_REGEX, "[[:alpha:]]{3}", "abc", true},
		{TALLY_PATTERN_REGEX, "[[:alpha:]]{3}", "ab1", false},
		{TALLY_PATTERN_REGEX, "a\\)|b", "foo(a)", true},
		{TALLY_PATTERN_REGEX, "a[)]|b", "bc", true},
		{TALLY_PATTERN_REGEX, "^b|a$", "ba", true},
		{TALLY_PATTERN_REGEX, "^(b|a)$", "ba", false},
	};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(cases); i++) {
		struct tally_pattern pattern;
		const char *why = NULL;

		assert_int_equal(tally_pattern_init(cases[i].kind, cases[i].text, &pattern, &why),
				 0);
		if (tally_pattern_matches(&pattern, cases[i].name) != cases[i].matches)
			fail_msg("%s and %s", cases[i].text, cases[i].name);
		tally_pattern_free(&pattern);
	}
}

/* Check that invalid UTF-8 does not end a match. */
static void expressions_match_bytes(void **state)
{
	struct tally_pattern pattern;
	const char *why;

	setlocale(LC_CTYPE, "C.UTF-8");
	assert_int_equal(tally_pattern_init(TALLY_PATTERN_REGEX, "a.*z$", &pattern, &why), 0);
	assert_true(tally_pattern_matches(&pattern, "\xff"
						    "a\xc3\xe9z"));
	tally_pattern_free(&pattern);
	setlocale(LC_CTYPE, "C");
}

/* Matching must not be quadratic in the length of a name. A thousand of the longest names take less
 * than a second; a matcher that started again at each position took minutes, more than the tests'
 * time limit. */
static void matching_is_not_quadratic(void **state)
{
	static const char *const texts[] = {"(.*a){20}c", "a.*a.*a.*c"};
	char *name = calloc(TALLY_PATTERN_NAME_MAX + 1, 1);
	struct tally_pattern pattern;
	const char *why;

	memset(name, 'a', TALLY_PATTERN_NAME_MAX);
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(texts); i++) {
		assert_int_equal(tally_pattern_init(TALLY_PATTERN_REGEX, texts[i], &pattern, &why),
				 0);
		for (int k = 0; k < 1000; k++)
			assert_false(tally_pattern_matches(&pattern, name));
		tally_pattern_free(&pattern);
	}
	free(name);
}

/* glibc caches states, and its lookups become slower as the number of states grows. A hundred
 * names, each of which adds its own states, used to take minutes and hundreds of megabytes. */
static void names_do_not_slow_later_matches(void **state)
{
	struct random random = random_start();
	char name[1025] = {0};
	struct tally_pattern pattern;
	const char *why;

	assert_int_equal(tally_pattern_init(TALLY_PATTERN_REGEX, "a.{20}c", &pattern, &why), 0);
	for (int i = 0; i < 100; i++) {
		for (size_t k = 0; k < sizeof(name) - 1; k++)
			name[k] = "ab"[random_below(&random, 2)];
		assert_false(tally_pattern_matches(&pattern, name));
	}
	strcpy(name, "abbbbbbbbbbbbbbbbbbbbbc");
	assert_false(tally_pattern_matches(&pattern, name));
	strcpy(name, "abbbbbbbbbbbbbbbbbbbbc");
	assert_true(tally_pattern_matches(&pattern, name));
	assert_int_equal(tally_pattern_error(&pattern), 0);
	tally_pattern_free(&pattern);
}

static void only_the_start_of_a_name_counts(void **state)
{
	char *name = malloc(TALLY_PATTERN_NAME_MAX + 10);
	struct tally_pattern pattern;
	const char *why;

	memset(name, 'a', TALLY_PATTERN_NAME_MAX);
	strcpy(name + TALLY_PATTERN_NAME_MAX, "late");
	for (int kind = TALLY_PATTERN_PART; kind <= TALLY_PATTERN_REGEX; kind++) {
		assert_int_equal(
			tally_pattern_init((enum tally_pattern_kind)kind, "late", &pattern, &why),
			0);
		assert_false(tally_pattern_matches(&pattern, name));
		tally_pattern_free(&pattern);
	}
	assert_int_equal(tally_pattern_init(TALLY_PATTERN_REGEX, "^a+$", &pattern, &why), 0);
	assert_true(tally_pattern_matches(&pattern, name));
	tally_pattern_free(&pattern);
	free(name);
}

static void is_refused(const char *text, const char *part)
{
	struct tally_pattern pattern;
	const char *why = NULL;

	if (tally_pattern_init(TALLY_PATTERN_REGEX, text, &pattern, &why) != -EINVAL)
		fail_msg("%s is taken", text);
	assert_non_null(why);
	if (!strstr(why, part))
		fail_msg("%s: %s", text, why);
}

static void rejects_invalid_expressions(void **state)
{
	char longer[TALLY_PATTERN_REGEX_MAX + 2] = {0};

	is_refused("[a", "']'");
	is_refused("(a", "')'");
	/* glibc accepts this ')' as an ordinary character; the estimated cost of repeating it would
	 * be 0. */
	is_refused("a)", "without '('");
	is_refused("a)|b", "without '('");
	is_refused("){255}{255}{40}", "without '('");
	is_refused("[[:alpha", "']'");
	is_refused("a{2", "'}'");
	is_refused("[b-a]", "range");
	is_refused("*", "nothing to repeat");
	is_refused("a\\", "backslash");
	is_refused("(a)\\1", "back-references");
	memset(longer, 'a', sizeof(longer) - 1);
	is_refused(longer, "256");
}

/* glibc expands "x+" to two copies of x and "x{n}" to n copies, multiplied for nested groups. It
 * follows all paths through nested "?" and "*". */
static void rejects_expensive_expressions(void **state)
{
	char text[TALLY_PATTERN_REGEX_MAX + 1];

	is_refused("a{1001}", "too many repetitions");
	is_refused("(a{40}){40}", "too many repetitions");
	is_refused("((a{9}){9}){9}{9}", "too many repetitions");
	is_refused("a{1,5000}", "too many repetitions");
	is_refused("a{500,}{9}", "too many repetitions");
	is_refused("i????????++++++++", "too many repetitions");
	is_refused("((((((((((a?)?)?)*)*)*)?)?)?)?)?", "too many repetitions");
	is_refused("{x}(((((((((((a+)+)+)+)+)+)+)+)+)+)+)", "too many repetitions");
	for (size_t i = 0; i < 40; i++)
		strcpy(text + i, i < 39 ? "(" : "(a");
	for (size_t i = 0; i < 40; i++)
		strcpy(text + 41 + 2 * i, ")+");
	is_refused(text, "levels");
}

static void accepts_cheap_expressions(void **state)
{
	static const char *const cheap[] = {"a+b+c+d+e+f+g+h+i+j+k+l+m+n+o+p+",
					    "(ab+c|d*)+[^]x]*(x{1,20}){0,5}", "a{3}b{2,}c{,4}",
					    "(((((((a*)*)*)*)*)*)*)*"};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(cheap); i++) {
		struct tally_pattern pattern;
		const char *why = "";

		if (tally_pattern_init(TALLY_PATTERN_REGEX, cheap[i], &pattern, &why))
			fail_msg("%s: %s", cheap[i], why);
		tally_pattern_free(&pattern);
	}
}

/* Check that any accepted expression compiles and matches quickly. */
static void random_expressions_match_quickly(void **state)
{
	static const char letters[] = "aab(()))+++**??{}{2}{9}{,3}[]^$|.\\x";
	struct random random = random_start();
	char name[301] = {0};
	clock_t start = clock();
	int taken = 0;

	memset(name, 'a', sizeof(name) - 1);
	for (int round = 0; round < 3000; round++) {
		char text[64] = {0};
		struct tally_pattern pattern;
		const char *why;

		for (size_t i = 0; i < 1 + (size_t)round % (sizeof(text) - 1); i++)
			text[i] = letters[random_below(&random, sizeof(letters) - 1)];
		if (tally_pattern_init(TALLY_PATTERN_REGEX, text, &pattern, &why))
			continue;
		taken++;
		(void)tally_pattern_matches(&pattern, name);
		tally_pattern_free(&pattern);
	}
	assert_true(taken > 100);
	assert_true((clock() - start) / CLOCKS_PER_SEC < 60);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_match),
		cmocka_unit_test(expressions_match_bytes),
		cmocka_unit_test(matching_is_not_quadratic),
		cmocka_unit_test(names_do_not_slow_later_matches),
		cmocka_unit_test(only_the_start_of_a_name_counts),
		cmocka_unit_test(rejects_invalid_expressions),
		cmocka_unit_test(rejects_expensive_expressions),
		cmocka_unit_test(accepts_cheap_expressions),
		cmocka_unit_test(random_expressions_match_quickly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
