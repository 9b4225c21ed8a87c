/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <regex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arith.h"
#include "base/str.h"
#include "jevents/models.h"

#include <cmocka.h>

#include "../random.h"

static const struct {
	const char *pattern, *cpuid;
	bool match;
} rows[] = {
	{"GenuineIntel-6-37", "GenuineIntel-6-37-8", true}, /* a pattern may omit the stepping */
	{"GenuineIntel-6-37", "GenuineIntel-6-37", true},
	{"GenuineIntel-6-3", "GenuineIntel-6-37-8", false},
	{"GenuineIntel-6-37", "GenuineIntel-6-3-37", false},
	{"GenuineIntel-6-55-[56789ABCDEF]", "GenuineIntel-6-55-7", true},
	{"GenuineIntel-6-55-[56789ABCDEF]", "GenuineIntel-6-55-4", false},
	{"GenuineIntel-6-55-[56789ABCDEF]", "GenuineIntel-6-55", false},
	{"GenuineIntel-6-(97|9A|B7|BA|BF)", "GenuineIntel-6-BA-2", true},
	{"GenuineIntel-6-(97|9A|B7|BA|BF)", "GenuineIntel-6-B-2", false},
	{"GenuineIntel-6-1[AEF]", "GenuineIntel-6-1F-1", true},
	{"AuthenticAMD-25-([245][[:xdigit:]]|[[:xdigit:]])", "AuthenticAMD-25-21-0", true},
	{"AuthenticAMD-25-([245][[:xdigit:]]|[[:xdigit:]])", "AuthenticAMD-25-1-1", true},
	{"AuthenticAMD-25-([245][[:xdigit:]]|[[:xdigit:]])", "AuthenticAMD-25-61-2", false},
	{"AuthenticAMD-23-.+", "AuthenticAMD-23-1-2", true},
	{"004e[[:xdigit:]]{4}", "004e0200", true},
	{"004e[[:xdigit:]]{4}", "004e020", false},
	{"0x489-0x8000000000000007-0x[[:xdigit:]]+", "0x489-0x8000000000000007-0x4210427", true},
	/* RISC-V CPU IDs have no stepping that a pattern could omit. */
	{"0x489-0x8000000000000007", "0x489-0x8000000000000007-0x4210427", false},
	{"^IBM.393[12].*3\\.7.[[:xdigit:]]+$", "IBM,3931,704,A01,3.7,002f", true},
	{"^IBM.393[12].*3\\.7.[[:xdigit:]]+$", "IBM,3931,704,A01,3x7,002f", false},
	{"(434|436|43c|43a).*", "43c01", true},
	{"i.MX8MQ", "i.MX8MQ", true},
	{"a{2,3}", "aaa", true},
	{"a{2,3}", "aaaa", false},
	{"a{2,}", "aaaa", true},
	{"(ab|a)(bc|c)?", "abc", true},
	{"(a*)*b", "aaab", true},
	{"(a|b)*c|", "", true},
	{"[]a]", "]", true},
	{"[^]a]", "b", true},
	{"[a-]", "-", true},
	{"()", "", true},
	{"x^", "x", false},
	{"", "", true},
};

static void patterns_match_as_a_whole(void **state)
{
	(void)state;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(rows); i++)
		if (tally_cpuid_match(rows[i].pattern, rows[i].cpuid) != rows[i].match)
			fail_msg("'%s' and '%s'", rows[i].pattern, rows[i].cpuid);
	assert_false(tally_compat_match("a-b-c", "a-b-c-d"));
	assert_true(tally_compat_match("a-b-c-d", "a-b-c-d"));
}

static void reports_invalid_patterns(void **state)
{
	static const char *const bad[] = {
		"(",   ")",  "(a",   "a)",     "[a",     "[",   "[b-a]", "[[:nosuch:]]", "*",
		"a**", "a{", "a{x}", "a{3,2}", "a{256}", "a\\", "+a",    "a|*"};
	const char *why = NULL;

	(void)state;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(bad); i++) {
		if (tally_cpuid_check(bad[i], &why) != -EINVAL)
			fail_msg("'%s' is taken for a pattern", bad[i]);
		assert_non_null(why);
		assert_false(tally_cpuid_match(bad[i], "a"));
	}
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(rows); i++)
		assert_int_equal(tally_cpuid_check(rows[i].pattern, &why), 0);
}

/* Check patterns that other matchers take very long to match, and strings that are too long to be
 * CPU IDs. */
static void work_is_bounded(void **state)
{
	char text[1000], nested[200];
	const char *why;

	(void)state;
	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_false(tally_cpuid_match("a*", text));
	text[127] = '\0';
	assert_true(tally_cpuid_match("a*", text));
	assert_false(tally_cpuid_match("(a*)*b", text));
	assert_false(tally_cpuid_match("(((((a*)*)*)*)*)*b", text));
	assert_false(tally_cpuid_match("((((a{1,255}){1,255}){1,255}){1,255}){255}b", text));
	memset(nested, '(', sizeof(nested) - 1);
	nested[sizeof(nested) - 1] = '\0';
	assert_int_equal(tally_cpuid_check(nested, &why), -EINVAL);
}

/* Generate a random pattern from a few letters. */
static void pattern_write(struct random *random, int depth, struct tally_str *out)
{
	static const char *const atoms[] = {"a",  "b", "-", ".", "[ab]", "[^a]", "[[:digit:]1]",
					    "\\."};
	static const char *const repeats[] = {"", "", "", "*", "+", "?", "{2}", "{1,2}", "{0,}"};

	for (unsigned i = random_below(random, 3) + 1; i--;) {
		if (depth && !random_below(random, 3)) {
			tally_str_add(out, "(");
			pattern_write(random, depth - 1, out);
			if (random_below(random, 2)) {
				tally_str_add(out, "|");
				pattern_write(random, depth - 1, out);
			}
			tally_str_add(out, ")");
		} else {
			tally_str_add(out, atoms[random_below(random, TALLY_ARRAY_SIZE(atoms))]);
		}
		tally_str_add(out, repeats[random_below(random, TALLY_ARRAY_SIZE(repeats))]);
	}
}

/* Return true if the C library's matcher matches the whole string. */
static bool library_match(const char *pattern, const char *text)
{
	struct tally_str whole = {0};
	regex_t regex;
	bool match;

	tally_str_addf(&whole, "^(%s)$", pattern);
	assert_int_equal(regcomp(&regex, whole.data, REG_EXTENDED | REG_NOSUB), 0);
	match = !regexec(&regex, text, 0, NULL, 0);
	regfree(&regex);
	tally_str_free(&whole);
	return match;
}

static void matches_like_the_c_library(void **state)
{
	struct random random = random_start();
	int matches = 0;

	(void)state;
	for (int round = 0; round < 4000; round++) {
		struct tally_str pattern = {0};
		char text[8] = "";

		pattern_write(&random, 2, &pattern);
		for (unsigned i = 0, len = random_below(&random, sizeof(text)); i < len; i++)
			text[i] = "ab-1."[random_below(&random, 5)];
		if (tally_compat_match(pattern.data, text) != library_match(pattern.data, text))
			fail_msg("'%s' and '%s'", pattern.data, text);
		matches += library_match(pattern.data, text);
		tally_str_free(&pattern);
	}
	assert_in_range(matches, 100, 3900); /* both results occurred */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(patterns_match_as_a_whole),
		cmocka_unit_test(reports_invalid_patterns),
		cmocka_unit_test(work_is_bounded),
		cmocka_unit_test(matches_like_the_c_library),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
