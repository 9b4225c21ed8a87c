/* SPDX-License-Identifier: BSD-2-Clause */
/* Division and 128-bit products, computed with native types or, with TALLY_ARITH_32, as on 32-bit
 * machines. The results are compared with the compiler's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/arith.h"

typedef unsigned __int128 wide;

static const uint64_t edges[] = {
	0,
	1,
	2,
	3,
	7,
	1000000000,
	UINT32_MAX - 1,
	UINT32_MAX,
	UINT64_C(1) << 32,
	(UINT64_C(1) << 32) + 1,
	UINT64_C(0x123456789abcdef0),
	UINT64_C(1) << 63,
	(UINT64_C(1) << 63) + 1,
	UINT64_MAX - 1,
	UINT64_MAX,
};

static void check(uint64_t a, uint64_t b, uint64_t c)
{
	struct tally_wide product = tally_mul_wide(a, b), half = tally_wide_half(product);
	wide whole = (wide)a * b;

	assert_true(whole == ((wide)product.high << 64 | product.low));
	assert_true(whole >> 1 == ((wide)half.high << 64 | half.low));
	if (!c) {
		assert_int_equal(tally_mul_div(a, b, c), 0);
		return;
	}
	assert_true(tally_div(a, c) == a / c);
	assert_true(tally_mul_div(a, b, c) ==
		    (whole / c > UINT64_MAX ? UINT64_MAX : (uint64_t)(whole / c)));
	if (product.high < c)
		assert_true(tally_wide_div(product, c) == (uint64_t)(whole / c));
}

static void edge_cases_agree_with_the_compiler(void **state)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(edges); i++)
		for (size_t j = 0; j < TALLY_ARRAY_SIZE(edges); j++)
			for (size_t k = 0; k < TALLY_ARRAY_SIZE(edges); k++)
				check(edges[i], edges[j], edges[k]);
}

/* Return a random number of random length, to combine short and long operands. */
static uint64_t random_of_any_length(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (*state ^ *state >> 29) >> (*state >> 58);
}

static void random_numbers_agree_with_the_compiler(void **state)
{
	uint64_t random = 1;

	for (int i = 0; i < 200000; i++) {
		uint64_t a = random_of_any_length(&random), b = random_of_any_length(&random);

		check(a, b, random_of_any_length(&random));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(edge_cases_agree_with_the_compiler),
		cmocka_unit_test(random_numbers_agree_with_the_compiler),
	};

	return cmocka_run_group_tests_name("base/arith", tests, NULL, NULL);
}
