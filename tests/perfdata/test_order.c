/* SPDX-License-Identifier: BSD-2-Clause */
/* Compare the queue that sorts records by time with a stable sort. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "perfdata/order.h"

enum { MANY = 20000 };

static uint64_t random_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static int entry_compare(const void *a, const void *b)
{
	const struct tally_order_entry *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* Return a timestamp for this kind of input: random, decreasing, increasing, constant, or
 * increasing in runs as if from eight rings. */
static uint64_t time_of(int kind, uint64_t i, uint64_t *seed)
{
	switch (kind) {
	case 0: return random_next(seed) % 5000;
	case 1: return MANY - i;
	case 2: return i;
	case 3: return 7;
	default: return (i / 800) * 100 + i % 100;
	}
}

static void test_sorts_like_a_stable_sort(void **state)
{
	struct tally_order_entry *all = calloc(MANY, sizeof(*all)), got;
	uint64_t seed = 88172645463325252ull;

	(void)state;
	for (int kind = 0; kind < 5; kind++) {
		struct tally_order order = {0};

		for (uint64_t i = 0; i < MANY; i++) {
			all[i] = (struct tally_order_entry){.time = time_of(kind, i, &seed),
							    .number = i};
			assert_non_null(tally_order_add(&order, all[i].time, i));
		}
		tally_order_end(&order);
		qsort(all, MANY, sizeof(*all), entry_compare);
		for (uint64_t i = 0; i < MANY; i++) {
			assert_true(tally_order_pop(&order, &got));
			assert_int_equal(got.time, all[i].time);
			assert_int_equal(got.number, all[i].number);
		}
		assert_false(tally_order_pop(&order, &got));
		tally_order_free(&order);
	}
	free(all);
}

/* Empty four rings in turn. The queue must release records early and in timestamp order, and must
 * never hold more than a few records. */
static void test_rounds_release_early(void **state)
{
	struct tally_order order = {0};
	struct tally_order_entry got;
	uint64_t last = 0, number = 0, taken = 0, most = 0;

	(void)state;
	for (uint64_t round = 0; round < 200; round++) {
		for (uint64_t ring = 0; ring < 4; ring++) {
			for (uint64_t i = 0; i < 50; i++) {
				uint64_t time = 1 + 1000 * round + 10 * i + ring;

				assert_non_null(tally_order_add(&order, time, number++));
			}
		}
		tally_order_round(&order);
		for (; tally_order_pop(&order, &got); taken++) {
			assert_true(got.time > last);
			last = got.time;
		}
		most = number - taken > most ? number - taken : most;
	}
	assert_true(most <= 3 * 200);
	assert_int_equal(order.runs.len <= 8, 1);
	tally_order_end(&order);
	while (tally_order_pop(&order, &got))
		taken++;
	assert_int_equal(taken, number);
	tally_order_free(&order);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sorts_like_a_stable_sort),
		cmocka_unit_test(test_rounds_release_early),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
