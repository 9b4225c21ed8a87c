/* SPDX-License-Identifier: BSD-2-Clause */
/* Test the hash table index with deliberate collisions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/slots.h"
#include "random.h"

enum { NUMBERS = 5000 };

/* Return how often a lookup by hash finds `number`. All numbers found must have the same hash. */
static int times_found(const struct tally_slots *slots, const uint32_t *hashes, uint32_t number)
{
	uint32_t found;
	int times = 0;

	for (size_t pos = hashes[number]; tally_slots_next(slots, hashes[number], &pos, &found);) {
		assert_true(found < NUMBERS);
		assert_int_equal(hashes[found], hashes[number]);
		times += found == number;
	}
	return times;
}

static void numbers_are_found_once(void **state)
{
	static uint32_t hashes[NUMBERS];
	struct random random = random_start();
	struct tally_slots slots = {0};

	for (uint32_t i = 0; i < NUMBERS; i++) {
		/* A small range of low bits causes long probes; a small range of values causes
		 * equal hashes. */
		hashes[i] = (uint32_t)random_below(&random, 64) << 20 |
			    (uint32_t)random_below(&random, 16);
		assert_int_equal(times_found(&slots, hashes, i), 0);
		assert_int_equal(tally_slots_add(&slots, hashes[i], i), 0);
	}
	assert_int_equal(slots.len, NUMBERS);
	for (uint32_t i = 0; i < NUMBERS; i++)
		assert_int_equal(times_found(&slots, hashes, i), 1);
	tally_slots_free(&slots);
}

static void empty_index_has_nothing(void **state)
{
	struct tally_slots slots = {0};
	size_t pos = 7;
	uint32_t number;

	assert_false(tally_slots_next(&slots, 7, &pos, &number));
	assert_int_equal(tally_slots_add(&slots, UINT32_MAX, 3), 0);
	assert_false(tally_slots_next(&slots, 7, &pos, &number));
	pos = UINT32_MAX;
	assert_true(tally_slots_next(&slots, UINT32_MAX, &pos, &number));
	assert_int_equal(number, 3);
	assert_false(tally_slots_next(&slots, UINT32_MAX, &pos, &number));
	tally_slots_free(&slots);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_found_once),
		cmocka_unit_test(empty_index_has_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
