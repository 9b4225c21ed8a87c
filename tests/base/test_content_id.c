/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include "base/arith.h"
#include "base/content_id.h"

#include <cmocka.h>

/* IDs are stored, so they must never change. The values are SipHash-2-4 with a key of zero, as
 * computed by OpenSSL. */
static void ids_never_change(void **state)
{
	static const uint8_t bytes[15] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
	static const struct {
		size_t len;
		uint64_t hash;
	} cases[] = {
		{0, 0x1e924b9d737700d7},
		{1, 0x8b5a0baa49fbc58d},
		{8, 0xc72b1c24fc2f7938},
		{15, 0xd0567cd44e891363},
	};

	(void)state;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(cases); i++)
		assert_int_equal(tally_content_id(bytes, cases[i].len), cases[i].hash & INT64_MAX);
}

static uint64_t id_of(const char *first, const char *second)
{
	struct tally_str bytes = {0};
	uint64_t id;

	tally_content_add_text(&bytes, first);
	tally_content_add_text(&bytes, second);
	id = tally_content_id(tally_str_text(&bytes), bytes.len);
	assert_int_equal(tally_str_error(&bytes), 0);
	tally_str_free(&bytes);
	return id;
}

static void texts_do_not_run_together(void **state)
{
	(void)state;
	assert_int_equal(id_of("ab", "c"), id_of("ab", "c"));
	assert_int_not_equal(id_of("ab", "c"), id_of("a", "bc"));
	assert_int_not_equal(id_of("", "a"), id_of("a", ""));
	assert_int_not_equal(id_of("", "a"), id_of(NULL, "a"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ids_never_change),
		cmocka_unit_test(texts_do_not_run_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
