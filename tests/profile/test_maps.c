/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "profile/process/maps.h"
#include "random.h"

#include <cmocka.h>

enum { PAGES = 256 };

static struct tally_dso *dso(uintptr_t number)
{
	return (struct tally_dso *)(number << 4);
}

/* Compare random mappings with an array that contains the mapping of each page. Pages are large
 * enough for lookups to use several cache slots. */
static void maps_agree_with_an_array(void **state)
{
	enum { PAGE_BITS = 21 };
	struct random random = random_start();
	uint64_t next_space = 1;
	struct tally_maps *maps = tally_maps_new(&next_space);
	struct tally_mapping truth[PAGES] = {{0}};

	for (uintptr_t n = 1; n < 3000; n++) {
		uint64_t start = random_below(&random, PAGES), len = random_below(&random, 20);
		struct tally_mapping mapping = {start << PAGE_BITS, (start + len) << PAGE_BITS,
						n * 1000, dso(n), 0};

		assert_int_equal(tally_maps_insert(&maps, &mapping, &next_space), 0);
		for (uint64_t page = start; page < start + len && page < PAGES; page++) {
			truth[page] = mapping;
			truth[page].shift = (page << PAGE_BITS) + mapping.shift;
		}
		for (uint64_t page = 0; page < PAGES; page++) {
			uint64_t addr = page << PAGE_BITS;
			const struct tally_mapping *found = tally_maps_find(maps, addr);

			assert_ptr_equal(found ? found->dso : NULL, truth[page].dso);
			if (found)
				assert_int_equal(tally_mapping_to_dso(found, addr),
						 truth[page].shift);
		}
	}
	tally_maps_put(maps);
}

static void shared_maps_are_copied_on_write(void **state)
{
	uint64_t next_space = 1;
	struct tally_maps *parent = tally_maps_new(&next_space), *child;
	struct tally_mapping a = {10, 20, 0, dso(1), 0}, b = {15, 18, 0, dso(2), 0};
	uint64_t space;

	assert_int_equal(tally_maps_insert(&parent, &a, &next_space), 0);
	child = tally_maps_get(parent);
	space = parent->space;
	assert_int_equal(tally_maps_insert(&child, &b, &next_space), 0);
	assert_ptr_not_equal(parent, child);
	assert_ptr_equal(tally_maps_find(parent, 16)->dso, dso(1));
	assert_ptr_equal(tally_maps_find(child, 16)->dso, dso(2));
	assert_ptr_equal(tally_maps_find(child, 19)->dso, dso(1));
	assert_int_equal(parent->space, space);
	assert_int_not_equal(child->space, space);
	tally_maps_put(parent);
	tally_maps_put(child);
}

static void space_number_changes_only_after_a_lookup(void **state)
{
	uint64_t next_space = 1, space;
	struct tally_maps *maps = tally_maps_new(&next_space);
	struct tally_mapping a = {1, 2, 0, dso(1), 0}, b = {3, 4, 0, dso(1), 0};

	space = maps->space;
	assert_int_equal(tally_maps_insert(&maps, &a, &next_space), 0);
	assert_int_equal(maps->space, space);
	assert_null(tally_maps_find(maps, 3));
	assert_int_equal(tally_maps_insert(&maps, &b, &next_space), 0);
	assert_int_not_equal(maps->space, space);
	assert_int_equal(tally_mapping_to_dso(tally_maps_find(maps, 3), 3), 3);
	tally_maps_put(maps);
	tally_maps_put(NULL);
}

/* Compare each address space with an array of its own. The spaces are forked repeatedly and share
 * most of their mappings, but mapping in one space must not affect the others. */
static void spaces_that_share_agree_with_arrays(void **state)
{
	enum { SPACES = 12, STEPS = 4000 };
	static uintptr_t truth[SPACES][PAGES];
	struct random random = random_start();
	struct tally_maps *spaces[SPACES];
	uint64_t next_space = 1;

	for (int i = 0; i < SPACES; i++)
		spaces[i] = tally_maps_new(&next_space);
	for (uintptr_t n = 1; n < STEPS; n++) {
		uint64_t at = random_below(&random, SPACES), from = random_below(&random, SPACES);
		uint64_t start = random_below(&random, PAGES), len = random_below(&random, 20);
		struct tally_mapping mapping = {start, start + len, 0, dso(n), 0};

		if (at != from && n % 3 == 0) {
			tally_maps_put(spaces[at]);
			spaces[at] = tally_maps_get(spaces[from]);
			memcpy(truth[at], truth[from], sizeof(truth[at]));
		}
		assert_int_equal(tally_maps_insert(&spaces[at], &mapping, &next_space), 0);
		for (uint64_t page = start; page < start + len && page < PAGES; page++)
			truth[at][page] = n;
		for (uint64_t page = 0; page < PAGES; page++) {
			const struct tally_mapping *found = tally_maps_find(spaces[from], page);

			assert_ptr_equal(found ? found->dso : NULL,
					 truth[from][page] ? dso(truth[from][page]) : NULL);
		}
	}
	for (int i = 0; i < SPACES; i++)
		tally_maps_put(spaces[i]);
}

static void count_one(void *arg, struct tally_mapping *map)
{
	++*(size_t *)arg;
}

/* Insert mappings top down, which is mmap's usual order and used to take quadratic time. Then do
 * enough lookups for the index to be built. */
static void finds_mappings_inserted_top_down(void **state)
{
	enum { MAPS = 50000 };
	uint64_t next_space = 1;
	struct tally_maps *maps = tally_maps_new(&next_space);
	size_t nr = 0;

	for (uint64_t i = MAPS; i; i--) {
		struct tally_mapping mapping = {4 * i, 4 * i + 2, 0, dso(i), 0};

		assert_int_equal(tally_maps_insert(&maps, &mapping, &next_space), 0);
	}
	for (int pass = 0; pass < 4; pass++) {
		for (uint64_t i = 1; i <= MAPS; i++) {
			assert_ptr_equal(tally_maps_find(maps, 4 * i + 1)->dso, dso(i));
			assert_null(tally_maps_find(maps, 4 * i + 2));
		}
	}
	assert_non_null(maps->index->all);
	tally_maps_walk(maps, count_one, &nr);
	assert_int_equal(nr, MAPS);
	tally_maps_put(maps);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(maps_agree_with_an_array),
		cmocka_unit_test(shared_maps_are_copied_on_write),
		cmocka_unit_test(space_number_changes_only_after_a_lookup),
		cmocka_unit_test(spaces_that_share_agree_with_arrays),
		cmocka_unit_test(finds_mappings_inserted_top_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
