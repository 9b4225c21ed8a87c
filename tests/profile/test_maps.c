/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "profile/maps.h"
#include "random.h"

#include <cmocka.h>

enum { PAGES = 256 };

static struct tally_dso *dso(uintptr_t number)
{
	return (struct tally_dso *)(number << 4);
}

/* Random maps against an array that says for each page what is there. Pages are as large as makes
 * look-ups remember what they found in several places. */
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

static void shared_maps_part_when_one_changes(void **state)
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

static void number_changes_only_after_a_look(void **state)
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(maps_agree_with_an_array),
		cmocka_unit_test(shared_maps_part_when_one_changes),
		cmocka_unit_test(number_changes_only_after_a_look),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
