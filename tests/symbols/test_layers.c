/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "symbols/jit/layers.h"

/* Find a layer by checking each range. */
static struct tally_layers_found find_by_hand(const struct tally_layer *list, uint32_t nr,
					      uint64_t addr, uint32_t before)
{
	struct tally_layers_found found = {TALLY_LAYER_NONE, TALLY_LAYER_NONE, 0};

	for (uint32_t i = 0; i < nr; i++) {
		if (addr < list[i].start || addr >= list[i].end)
			continue;
		if (i >= before) {
			found.next = i;
			break;
		}
		found.below += found.number != TALLY_LAYER_NONE;
		found.number = i;
	}
	return found;
}

static void expect_same(const struct tally_layer *list, uint32_t nr, uint64_t addr_max)
{
	struct tally_layers layers;

	assert_int_equal(tally_layers_build(list, sizeof(*list), nr, &layers), 0);
	for (uint64_t addr = 0; addr <= addr_max; addr++) {
		for (uint32_t before = 0; before <= nr; before++) {
			struct tally_layers_found got = tally_layers_find(&layers, addr, before);
			struct tally_layers_found want = find_by_hand(list, nr, addr, before);

			assert_int_equal(got.number, want.number);
			assert_int_equal(got.next, want.next);
			assert_int_equal(got.below, want.below);
		}
	}
	tally_layers_free(&layers);
}

static void finds_nothing_without_layers(void **state)
{
	struct tally_layers layers;

	assert_int_equal(tally_layers_build(NULL, 16, 0, &layers), 0);
	assert_int_equal(tally_layers_find(&layers, 5, 7).number, TALLY_LAYER_NONE);
	tally_layers_free(&layers);
}

static void finds_the_layer_among_few(void **state)
{
	static const struct tally_layer list[] = {
		{10, 20}, {10, 20}, {15, 16}, {0, 5}, {5, 10}, {19, 30}, {12, 13},
	};

	for (uint32_t nr = 1; nr <= sizeof(list) / sizeof(list[0]); nr++)
		expect_same(list, nr, 31);
}

/* Compare lookups in random layers, which overlap in all possible ways, with a linear search. */
static void matches_a_linear_search_for_random_layers(void **state)
{
	struct tally_layer list[40];

	srand(1);
	for (int round = 0; round < 60; round++) {
		uint32_t nr = 1 + (uint32_t)rand() % 40;

		for (uint32_t i = 0; i < nr; i++) {
			list[i].start = (uint64_t)rand() % 100;
			list[i].end = list[i].start + 1 + (uint64_t)rand() % (round + 1);
		}
		expect_same(list, nr, 170);
	}
}

static void handles_the_ends_of_the_address_space(void **state)
{
	static const struct tally_layer list[] = {{0, UINT64_MAX}, {UINT64_MAX - 1, UINT64_MAX}};
	struct tally_layers layers;

	assert_int_equal(tally_layers_build(list, sizeof(*list), 2, &layers), 0);
	assert_int_equal(tally_layers_find(&layers, UINT64_MAX - 1, 2).number, 1);
	assert_int_equal(tally_layers_find(&layers, UINT64_MAX - 2, 2).number, 0);
	assert_int_equal(tally_layers_find(&layers, UINT64_MAX, 2).number, TALLY_LAYER_NONE);
	tally_layers_free(&layers);
}

enum { MANY = 1 << 20 };

static struct tally_layer *many(uint64_t step, uint64_t size)
{
	struct tally_layer *list = malloc(MANY * sizeof(*list));

	assert_non_null(list);
	for (uint64_t i = 0; i < MANY; i++)
		list[i] = (struct tally_layer){i * step, i * step + size};
	return list;
}

/* Finding a layer among a million at one address must cost no more than finding one among a million
 * adjacent layers. The test would not finish if lookups searched all entries of a node. */
static void finds_layers_among_a_million_at_one_address(void **state)
{
	struct tally_layer *list = many(0, 1);
	struct tally_layers layers;

	assert_int_equal(tally_layers_build(list, sizeof(*list), MANY, &layers), 0);
	for (uint32_t before = 1; before < MANY; before++) {
		struct tally_layers_found found = tally_layers_find(&layers, 0, before);

		assert_int_equal(found.number, before - 1);
		assert_int_equal(found.below, before - 1);
	}
	tally_layers_free(&layers);
	free(list);
}

/* An unrealistic case in which each layer covers half of the others. */
static void finds_layers_among_a_million_overlapping_ones(void **state)
{
	struct tally_layer *list = many(1, MANY);
	struct tally_layers layers = {0};

	assert_int_equal(tally_layers_build(list, sizeof(*list), MANY, &layers), 0);
	for (uint64_t addr = 0; addr < 2 * MANY - 1; addr += 7) {
		uint32_t before = (uint32_t)(addr * 31 % MANY);
		struct tally_layers_found found = tally_layers_find(&layers, addr, before);
		uint64_t first = addr < MANY ? 0 : addr - MANY + 1;

		if (before <= first)
			assert_int_equal(found.number, TALLY_LAYER_NONE);
		else
			assert_int_equal(found.number, addr < before ? addr : before - 1);
	}
	tally_layers_free(&layers);
	free(list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_nothing_without_layers),
		cmocka_unit_test(finds_the_layer_among_few),
		cmocka_unit_test(matches_a_linear_search_for_random_layers),
		cmocka_unit_test(handles_the_ends_of_the_address_space),
		cmocka_unit_test(finds_layers_among_a_million_at_one_address),
		cmocka_unit_test(finds_layers_among_a_million_overlapping_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
