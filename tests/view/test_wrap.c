/* SPDX-License-Identifier: BSD-2-Clause */
/* Wrapped lines. No text may be lost, and no line may be wider than requested. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "random.h"
#include "view/width.h"
#include "view/wrap.h"

#include <cmocka.h>

static void check(const char *text, size_t columns, size_t indent, const char *wanted)
{
	struct tally_str out = {0};

	tally_wrap_text(text, columns, indent, &out);
	assert_string_equal(tally_str_text(&out), wanted);
	tally_str_free(&out);
}

static void wraps_lines(void **state)
{
	check("", 10, 2, "");
	check("short", 10, 2, "short\n");
	check("one\ntwo\n", 10, 2, "one\ntwo\n");
	check("one two three four", 10, 2, "one two\n  three\n  four\n");
	check("one two   three", 7, 2, "one two\n  three\n");
	check("exactly so", 10, 2, "exactly so\n");
	/* A word that is wider than a line is broken. Lines are not broken at leading blanks. */
	check("abcdefghij", 4, 1, "abcd\n efg\n hij\n");
	check("   abcdefghij", 6, 1, "   abc\n defgh\n ij\n");
	/* An indentation that leaves too little space is ignored. */
	check("abcdefgh", 4, 2, "abcd\nefgh\n");
	check("\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2", 5, 1,
	      "\xe6\xbc\xa2\xe6\xbc\xa2\n \xe6\xbc\xa2\n");
}

static void add_solid(const char *text, struct tally_str *out)
{
	for (; *text; text++) {
		if (*text != ' ' && *text != '\n')
			tally_str_add_char(out, *text);
	}
}

/* Check that all text except blanks is kept, and that all lines fit. */
static void check_any(const char *text, size_t columns, size_t indent)
{
	struct tally_str out = {0}, was = {0}, is = {0};
	const char *line;

	tally_wrap_text(text, columns, indent, &out);
	add_solid(text, &was);
	add_solid(tally_str_text(&out), &is);
	assert_string_equal(tally_str_text(&is), tally_str_text(&was));
	line = tally_str_text(&out);
	for (size_t len; *line; line += len + 1) {
		len = strcspn(line, "\n");
		assert_true(tally_width(line, len) <= columns);
		assert_int_equal(line[len], '\n');
	}
	tally_str_free(&out);
	tally_str_free(&was);
	tally_str_free(&is);
}

static void wrapping_keeps_all_text(void **state)
{
	static const char some[] = "ab  \n\xe6\xbc\xa2\xcc\x81.";
	struct random random = random_start();

	for (int i = 0; i < 5000; i++) {
		char text[120];
		size_t len = random_below(&random, sizeof(text) - 1);

		for (size_t at = 0; at < len; at++)
			text[at] = some[random_below(&random, sizeof(some) - 1)];
		text[len] = '\0';
		check_any(text, 2 + random_below(&random, 40), random_below(&random, 6));
	}
}

static void check_unmarked(const char *text, const char *wanted)
{
	struct tally_str out = {0};

	tally_str_add(&out, "# stays\n");
	tally_str_add(&out, text);
	tally_unmark_comments(&out, 8);
	assert_int_equal(out.len, 8 + strlen(wanted));
	assert_string_equal(tally_str_text(&out) + 8, wanted);
	tally_str_free(&out);
}

static void removes_marks(void **state)
{
	check_unmarked("", "");
	check_unmarked("# one\n#   goes on\n# two\n", "one\n  goes on\ntwo\n");
	check_unmarked("#\n# \n\n#no blank\nno mark\n# # twice", "no blank\nno mark\n# twice");
	check_unmarked("#", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wraps_lines),
		cmocka_unit_test(wrapping_keeps_all_text),
		cmocka_unit_test(removes_marks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
