/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/scan.h"

#include <cmocka.h>

static void numbers(void **state)
{
	static const struct {
		const char *text;
		unsigned base; /* 0 for tally_scan_prefixed() */
		int ret;
		uint64_t value;
		size_t used;
	} rows[] = {
		{"", 10, -EINVAL, 0, 0},
		{"x", 10, -EINVAL, 0, 0},
		{"-1", 10, -EINVAL, 0, 0},
		{"12ab", 10, 0, 12, 2},
		{"12aBg", 16, 0, 0x12ab, 4},
		{"778", 8, 0, 077, 2},
		{"18446744073709551615", 10, 0, UINT64_MAX, 20},
		{"18446744073709551616,", 10, -ERANGE, 0, 20},
		{"00000000000000000000000001", 10, 0, 1, 26},
		{"0x1F", 0, 0, 31, 4},
		{"0X1f", 0, 0, 31, 4},
		{"0x", 0, -EINVAL, 0, 2},
		{"0y", 0, 0, 0, 1},
		{"10000000000000000", 16, -ERANGE, 0, 17},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tally_scan scan = tally_scan_of(rows[i].text, strlen(rows[i].text));
		uint64_t value = 0;
		int ret = rows[i].base ? tally_scan_number(&scan, rows[i].base, &value)
				       : tally_scan_prefixed(&scan, &value);

		print_message("# %s\n", rows[i].text);
		assert_int_equal(ret, rows[i].ret);
		assert_int_equal(value, rows[i].value);
		assert_int_equal(scan.at - rows[i].text, rows[i].used);
	}
}

static void fractions(void **state)
{
	static const char text[] = "25x";
	struct tally_scan scan = tally_scan_of(text, 3);

	(void)state;
	assert_int_equal(tally_scan_fraction(&scan, 1000), 250);
	assert_int_equal(tally_scan_peek(&scan), 'x');
	assert_int_equal(tally_scan_fraction(&scan, 1000), 0);
	scan = tally_scan_of("1234567890123456789012345", 25);
	assert_int_equal(tally_scan_fraction(&scan, 1000), 123);
	assert_true(scan.at == scan.end);
}

static void the_end_is_respected(void **state)
{
	static const char text[] = " \t12]";
	struct tally_scan scan = tally_scan_of(text, 3);
	uint64_t value;

	(void)state;
	tally_scan_blanks(&scan);
	assert_int_equal(tally_scan_number(&scan, 10, &value), 0);
	assert_int_equal(value, 1);
	assert_int_equal(tally_scan_peek(&scan), '\0');
	assert_false(tally_scan_char(&scan, '2'));
	assert_false(tally_scan_text(&scan, "2"));
	assert_int_equal(tally_scan_number(&scan, 10, &value), -EINVAL);
	scan.end += 2;
	assert_true(tally_scan_text(&scan, "2]"));
	assert_true(scan.at == scan.end);
}

static void characters(void **state)
{
	(void)state;
	assert_true(tally_is_blank(' ') && tally_is_blank('\v') && !tally_is_blank('\0'));
	assert_int_equal(tally_digit('F'), 15);
	assert_int_equal(tally_digit('g'), 16);
	assert_int_equal(tally_digit('@'), 16);
	assert_int_equal(tally_digit('\x10'), 16); /* '0' without bit 0x20 */
	assert_true(tally_is_digit('9') && !tally_is_digit('a'));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),
		cmocka_unit_test(fractions),
		cmocka_unit_test(the_end_is_respected),
		cmocka_unit_test(characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
