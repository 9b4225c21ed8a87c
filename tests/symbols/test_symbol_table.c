/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "test_names.h"
#include "symbols/tree_shape.h"
#include "symbols/symbols_table.h"

#define L TALLY_SYMBOL_LOCAL
#define G TALLY_SYMBOL_GLOBAL
#define W TALLY_SYMBOL_WEAK

/* Pairs of symbols with the same start address, in file order, and which of the two is kept. */
static const struct {
	const char *why, *first, *second;
	uint64_t first_size, second_size;
	uint8_t first_binding, second_binding;
	int stays;
} aliases[] = {
	{"a size beats a strong name", "a", "b", 0, 8, G, W, 1},
	{"strong beats weak", "aaa", "b", 8, 8, W, L, 1},
	{"global beats local", "aaa", "b", 8, 8, L, G, 1},
	{"fewer underscores", "__long_name", "x", 8, 8, G, G, 1},
	{"the longer name", "ab", "abc", 8, 8, G, G, 1},
	{"the longer name first", "abc", "ab", 8, 8, G, G, 0},
	{"the earlier one of equals", "abc", "xyz", 8, 8, G, G, 0},
	{"but no alias of a system call", "SyS_x", "sys_x", 8, 8, G, G, 1},
	{"nor a compatible one", "compat_SyS_x", "compat_sys_x", 8, 8, G, G, 1},
	/* The first symbol ends where the second one starts, so its size is 0. */
	{"the last unsized one", "aaaa", "b", 0, 0, G, W, 1},
};

static void chooses_among_aliases(void **state)
{
	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++) {
		struct tally_symtab table = {0};
		const char *want = aliases[i].stays ? aliases[i].second : aliases[i].first;

		tally_symtab_add(&table,
				 &(struct tally_symtab_entry){.start = 0x100,
							      .end = 0x100 + aliases[i].first_size,
							      .name = aliases[i].first,
							      .binding = aliases[i].first_binding});
		tally_symtab_add(
			&table, &(struct tally_symtab_entry){.start = 0x100,
							     .end = 0x100 + aliases[i].second_size,
							     .name = aliases[i].second,
							     .binding = aliases[i].second_binding});
		tally_symtab_add(&table, &(struct tally_symtab_entry){
						 .start = 0x200, .end = 0x210, .name = "next"});
		assert_int_equal(tally_symtab_finish(&table, NULL), 0);
		assert_int_equal(table.len, 2);
		if (strcmp(name_at(&table, 0x104), want))
			fail_msg("%s", aliases[i].why);
		tally_symtab_free(&table);
	}
}

static const char *demangle_f(void *arg, const char *raw)
{
	return !strcmp(raw, "_Z1fv") ? "f" : raw;
}

/* A symbol without a size ends at its limit or at the start of the next symbol. */
static void ends_unsized_symbols_at_their_limit(void **state)
{
	static const struct tally_symtab_entry entries[] = {
		{.start = 0x100, .end = 0x100, .limit = 0x110, .name = "short"},
		{.start = 0x200, .end = 0x200, .limit = 0x400, .name = "next"},
		{.start = 0x300, .end = 0x310, .limit = 0x304, .name = "sized"},
		{.start = 0x400, .end = 0x400, .name = "free"},
		{.start = 0x500, .end = 0x500, .limit = 0x501, .name = "last"},
	};
	struct tally_symtab table = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++)
		assert_int_equal(tally_symtab_add(&table, &entries[i]), 0);
	assert_int_equal(tally_symtab_finish(&table, NULL), 0);
	assert_string_equal(name_at(&table, 0x10f), "short");
	assert_null(tally_symtab_find(&table, 0x110));
	assert_string_equal(name_at(&table, 0x2ff), "next");
	assert_string_equal(name_at(&table, 0x30f), "sized");
	assert_string_equal(name_at(&table, 0x4ff), "free");
	assert_string_equal(name_at(&table, 0x500), "last");
	assert_null(tally_symtab_find(&table, 0x501));
	tally_symtab_free(&table);
}

/* Demangled names are compared, not raw names. */
static void compares_aliases_by_demangled_name(void **state)
{
	struct tally_symtab_options options = {.shown_name = demangle_f};
	struct tally_symtab table = {0};

	tally_symtab_add(&table, &(struct tally_symtab_entry){.end = 8, .name = "ff"});
	tally_symtab_add(&table, &(struct tally_symtab_entry){.end = 8, .name = "_Z1fv"});
	assert_int_equal(tally_symtab_finish(&table, &options), 0);
	assert_string_equal(name_at(&table, 0), "ff");
	tally_symtab_free(&table);
}

static void edges_of_the_address_space(void **state)
{
	struct tally_symtab table = {0};

	assert_int_equal(tally_symtab_finish(&table, NULL), 0);
	assert_null(tally_symtab_find(&table, 0));
	tally_symtab_free(&table);
	tally_symtab_free(NULL);
	tally_symtab_add(&table, &(struct tally_symtab_entry){UINT64_MAX, UINT64_MAX, "end"});
	tally_symtab_add(&table, &(struct tally_symtab_entry){0, 1, "zero"});
	assert_int_equal(tally_symtab_finish(&table, NULL), 0);
	assert_string_equal(name_at(&table, 0), "zero");
	assert_string_equal(name_at(&table, UINT64_MAX), "end");
	assert_null(tally_symtab_find(&table, 1));
	tally_symtab_free(&table);
}

/* A lookup among overlapping symbols returns a symbol that covers the address. Tables that were
 * filled in the same order return the same symbols. */
static void finds_symbols_among_overlapping_ones(void **state)
{
	struct tally_symtab table = {0};
	uint64_t seed = 1;

	for (int i = 0; i < 3000; i++) {
		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		tally_symtab_add(&table, &(struct tally_symtab_entry){
						 .start = seed >> 40 & 0xffff,
						 .end = (seed >> 40 & 0xffff) + (seed >> 30 & 255),
						 .name = "s",
						 .pass = seed >> 20 & 3 ? 0 : seed >> 22 & 2});
	}
	assert_int_equal(tally_symtab_finish(&table, NULL), 0);
	assert_non_null(table.left);
	for (uint64_t addr = 0; addr < 0x10000; addr++) {
		const struct tally_symbol *symbol = tally_symtab_find(&table, addr);

		assert_true(!symbol || (addr >= symbol->start &&
					(addr < symbol->end || symbol->start == symbol->end)));
	}
	tally_symtab_free(&table);
}

/* Check the subtree at `key`, with keys in [low, high). Returns its black height. */
static int check_subtree(const struct tally_shape *shape, uint32_t key, uint32_t low, uint32_t high,
			 uint32_t *nr)
{
	int left, right;

	if (key == TALLY_SHAPE_NONE)
		return 0;
	assert_true(key >= low && key < high);
	for (int side = 0; side < 2; side++) {
		uint32_t child = shape->child[side][key];

		if (child != TALLY_SHAPE_NONE) {
			assert_int_equal(shape->parent[child], key);
			assert_false(shape->red[key] && shape->red[child]);
		}
	}
	++*nr;
	left = check_subtree(shape, shape->child[0][key], low, key, nr);
	right = check_subtree(shape, shape->child[1][key], key + 1, high, nr);
	assert_int_equal(left, right);
	return left + !shape->red[key];
}

static void tree_stays_red_black(void **state)
{
	enum { KEYS = 200 };
	struct tally_shape shape;
	bool there[KEYS] = {0};
	uint64_t seed = 7;
	uint32_t nr = 0, seen;

	assert_int_equal(tally_shape_init(&shape, KEYS), 0);
	for (int i = 0; i < 20000; i++) {
		uint32_t key;

		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		key = (uint32_t)(seed >> 33) % KEYS;
		if (there[key])
			tally_shape_remove(&shape, key);
		else
			tally_shape_insert(&shape, key);
		nr += there[key] ? -1u : 1;
		there[key] = !there[key];
		seen = 0;
		check_subtree(&shape, shape.root, 0, KEYS, &seen);
		assert_int_equal(seen, nr);
	}
	tally_shape_free(&shape);
}

/* Check that lookups in large tables, which have an index, return the same symbols as a linear
 * search. */
static void large_tables_match_a_linear_search(void **state)
{
	enum { SYMBOLS = 500 };
	struct tally_symtab table = {0};
	uint64_t at = 0x1000, seed = 3;

	for (int i = 0; i < SYMBOLS; i++) {
		struct tally_symtab_entry entry = {.name = "f", .binding = G};

		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		/* Gaps of all sizes, some of them large. */
		at += (seed >> 40 & 0xff) << (i % 50 ? 0 : 16);
		entry.start = at;
		at = entry.end = at + 1 + (seed >> 50 & 0x3f);
		assert_int_equal(tally_symtab_add(&table, &entry), 0);
	}
	assert_int_equal(tally_symtab_finish(&table, NULL), 0);
	assert_int_equal(table.len, SYMBOLS);
	assert_non_null(table.index);
	tally_symtab_shift(&table, 0x10000000);
	for (size_t i = 0; i < table.len; i++) {
		const struct tally_symbol *symbol = &table.symbols[i];
		bool touches = i + 1 < table.len && symbol[1].start == symbol->end;

		assert_ptr_equal(tally_symtab_find(&table, symbol->start), symbol);
		assert_ptr_equal(tally_symtab_find(&table, symbol->end - 1), symbol);
		assert_ptr_equal(tally_symtab_find(&table, symbol->end),
				 touches ? symbol + 1 : NULL);
	}
	assert_null(tally_symtab_find(&table, table.symbols[0].start - 1));
	assert_null(tally_symtab_find(&table, 0));
	assert_null(tally_symtab_find(&table, UINT64_MAX));
	tally_symtab_free(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chooses_among_aliases),
		cmocka_unit_test(ends_unsized_symbols_at_their_limit),
		cmocka_unit_test(compares_aliases_by_demangled_name),
		cmocka_unit_test(edges_of_the_address_space),
		cmocka_unit_test(finds_symbols_among_overlapping_ones),
		cmocka_unit_test(tree_stays_red_black),
		cmocka_unit_test(large_tables_match_a_linear_search),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
