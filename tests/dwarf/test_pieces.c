/* SPDX-License-Identifier: BSD-2-Clause */
/* Find the innermost piece of code at an address, and compare the result with a linear search. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "dwarf/pieces.h"

enum { NR = 2000, SPACE = 6000 };

struct numbered {
	struct dwarf_piece at;
	uint32_t number;
};

static int by_number(const void *a, const void *b)
{
	const struct numbered *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

static const struct numbered *find(const struct numbered *all, size_t nr, uint64_t addr,
				   struct dwarf_part *part)
{
	*part = (struct dwarf_part){0, UINT64_MAX};
	return dwarf_pieces_find(all, sizeof(*all), nr, addr, part);
}

/* Return the last match in the pieces' sort order. */
static const struct numbered *search_all(const struct numbered *all, size_t nr, uint64_t addr)
{
	const struct numbered *found = NULL;

	for (size_t i = 0; i < nr; i++) {
		if (all[i].at.start <= addr && addr < all[i].at.end)
			found = &all[i];
	}
	return found;
}

/* Check that the result is correct, and that lookups at both ends of the returned part find the
 * same piece. */
static void assert_found(const struct numbered *all, size_t nr, uint64_t addr)
{
	const struct numbered *wanted = search_all(all, nr, addr);
	struct dwarf_part part, other;

	assert_ptr_equal(find(all, nr, addr, &part), wanted);
	assert_true(part.start <= addr && addr < part.end);
	assert_ptr_equal(find(all, nr, part.start, &other), wanted);
	assert_int_equal(other.end, part.end);
	if (part.end != UINT64_MAX)
		assert_ptr_equal(find(all, nr, part.end - 1, &other), wanted);
}

static void random_pieces_agree_with_a_linear_search(void **state)
{
	static struct numbered all[NR];
	uint64_t seed = 1;

	(void)state;
	for (uint32_t i = 0; i < NR; i++) {
		uint64_t start;

		seed = seed * 6364136223846793005u + 1442695040888963407u;
		start = (seed >> 33) % SPACE;
		all[i] = (struct numbered){
			.at = {start, start + 1 + (seed >> 20) % (i % 40 ? 5 : 2000), 0},
			.number = i};
	}
	dwarf_pieces_sort(all, sizeof(*all), NR, by_number);
	for (uint64_t addr = 0; addr < SPACE + 2100; addr++)
		assert_found(all, NR, addr);
}

/* Find a unit with a range that encloses the code of many other units. */
static void a_long_piece_is_found_behind_many_short_ones(void **state)
{
	static struct numbered all[NR];
	struct dwarf_part part;

	(void)state;
	all[0] = (struct numbered){.at = {100, 100 + 10 * NR, 0}};
	for (uint32_t i = 1; i < NR; i++)
		all[i] = (struct numbered){.at = {100 + 10 * i, 105 + 10 * i, 0}, .number = i};
	dwarf_pieces_sort(all, sizeof(*all), NR, by_number);
	assert_ptr_equal(find(all, NR, 99 + 10 * NR, &part), &all[0]);
	assert_int_equal(part.start, 105 + 10 * (NR - 1));
	assert_int_equal(part.end, 100 + 10 * NR);
	assert_ptr_equal(find(all, NR, 104 + 10 * (NR - 1), &part), &all[NR - 1]);
	assert_null(find(all, NR, 100 + 10 * NR, &part));
	assert_int_equal(part.start, 100 + 10 * NR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_pieces_agree_with_a_linear_search),
		cmocka_unit_test(a_long_piece_is_found_behind_many_short_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
