/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/str.h"

#include <cmocka.h>

static void appends_of_every_kind(void **state)
{
	struct tally_str str = {0};

	assert_string_equal(tally_str_text(&str), "");
	tally_str_add(&str, "a");
	tally_str_add_char(&str, '=');
	tally_str_add_u64(&str, 18446744073709551615ull);
	tally_str_addf(&str, " %s %d ", "b", -1);
	tally_str_add_hex(&str, 0xbeef, 6);
	tally_str_add_hex(&str, 0, 0);
	tally_str_pad_to(&str, 40);
	tally_str_add_bytes(&str, "|xx", 1);
	assert_string_equal(tally_str_text(&str), "a=18446744073709551615 b -1 00beef0     |");
	assert_int_equal(str.len, 41);
	tally_str_clear(&str);
	assert_string_equal(tally_str_text(&str), "");
	assert_int_equal(tally_str_error(&str), 0);
	tally_str_free(&str);
}

/* Compare the output with printf's, for values with any number of digits and for all widths. */
static void hexadecimal_as_printf_has_it(void **state)
{
	struct tally_str str = {0};
	char want[32];

	for (int bit = 0; bit < 64; bit++) {
		for (int off = -1; off <= 1; off++) {
			uint64_t value =
				0x9e3779b97f4a7c15ull % ((1ull << bit) + (uint64_t)off + 1);

			for (int width = 0; width <= 16; width++) {
				snprintf(want, sizeof(want), "%0*llx", width,
					 (unsigned long long)value);
				tally_str_clear(&str);
				tally_str_add_hex(&str, value, width);
				assert_string_equal(tally_str_text(&str), want);
			}
		}
	}
	tally_str_free(&str);
}

static void failure_is_remembered(void **state)
{
	struct tally_str str = {0};

	tally_str_add(&str, "kept");
	assert_null(tally_str_reserve(&str, SIZE_MAX - 2));
	tally_str_add(&str, " on");
	assert_string_equal(tally_str_text(&str), "kept on");
	assert_int_not_equal(tally_str_error(&str), 0);
	tally_str_free(&str);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(appends_of_every_kind),
		cmocka_unit_test(hexadecimal_as_printf_has_it),
		cmocka_unit_test(failure_is_remembered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
