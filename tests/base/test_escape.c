/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/escape.h"
#include "base/json.h"

#include <cmocka.h>

static const struct {
	const char *text, *shown;
} cases[] = {
	{"", ""},
	{"plain text of more than eight bytes", "plain text of more than eight bytes"},
	{"\x1b]0;title\x07", "\\x1b]0;title\\x07"},
	{"two\nlines\tand\rmore", "two\\nlines\\tand\\rmore"},
	{"\x7f", "\\x7f"},
	/* Printable UTF-8 and backslashes are unchanged. */
	{"na\xc3\xafve \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x8e\x89",
	 "na\xc3\xafve \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x8e\x89"},
	{"dev-disk\\x2duuid", "dev-disk\\x2duuid"},
	/* C1 control characters, bidirectional controls, line separators. */
	{"\xc2\x9b"
	 "31m",
	 "\\u009b31m"},
	{"\xe2\x80\xae"
	 "gpj.exe",
	 "\\u202egpj.exe"},
	{"a\xe2\x80\xa8"
	 "b\xe2\x81\xa6",
	 "a\\u2028b\\u2066"},
	/* Invalid UTF-8: truncated, overlong, a surrogate, beyond Unicode, and stray bytes. */
	{"bad\xff\xfe", "bad\\xff\\xfe"},
	{"\xc3", "\\xc3"},
	{"\xc0\x8a", "\\xc0\\x8a"},
	{"\xed\xa0\x80", "\\xed\\xa0\\x80"},
	{"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},
	{"t\xc3(", "t\\xc3("},
};

static void unprintable_text_is_escaped(void **state)
{
	struct tally_str str = {0};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		tally_str_clear(&str);
		tally_str_add(&str, "\x1b[0m"); /* text before the start is not escaped */
		tally_str_add_escaped(&str, cases[i].text);
		assert_memory_equal(tally_str_text(&str), "\x1b[0m", 4);
		assert_string_equal(tally_str_text(&str) + 4, cases[i].shown);
		assert_int_equal(str.len, 4 + strlen(cases[i].shown));
	}
	tally_str_free(&str);
}

/* Test every byte at every position in a string, once among the lowest and once among the highest
 * printable characters. */
static void nonprintable_bytes_are_found_at_every_position(void **state)
{
	char text[19];

	for (int byte = 1; byte < 256; byte++) {
		bool plain = byte >= 0x20 && byte < 0x7f;

		for (size_t at = 0; at < sizeof(text); at++) {
			for (int next = 0x20; next < 0x7f; next += 0x5e) {
				memset(text, next, sizeof(text));
				text[at] = (char)byte;
				for (size_t len = 0; len <= sizeof(text); len++)
					assert_int_equal(tally_text_is_plain(text, len),
							 plain || at >= len);
			}
		}
	}
}

static void newlines_are_kept_in_lines(void **state)
{
	struct tally_str str = {0};

	tally_str_add(&str, "a\tb\n\x1b[2J\n");
	tally_str_escape_lines(&str, 0);
	assert_string_equal(tally_str_text(&str), "a\tb\n\\x1b[2J\n");
	tally_str_clear(&str);
	tally_str_add_line(&str, "%s: %d", "x\ny", 1);
	assert_string_equal(tally_str_text(&str), "x\\ny: 1\n");
	tally_str_free(&str);
}

static void json_leaves_nothing_for_terminals(void **state)
{
	struct tally_str str = {0};

	tally_json_text(&str, NULL, "\x1b\x7f\xc2\x9b\xe2\x80\xae\xc3\xaf\xff");
	assert_string_equal(tally_str_text(&str),
			    "\"\\u001b\\u007f\\u009b\\u202e\xc3\xaf\xef\xbf\xbd\"");
	tally_str_free(&str);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unprintable_text_is_escaped),
		cmocka_unit_test(nonprintable_bytes_are_found_at_every_position),
		cmocka_unit_test(newlines_are_kept_in_lines),
		cmocka_unit_test(json_leaves_nothing_for_terminals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
