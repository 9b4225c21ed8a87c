/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/arith.h"
#include "base/endian.h"
#include "base/intern.h"
#include "base/linked_list.h"
#include "base/map.h"
#include "base/vec.h"

#include <cmocka.h>

static void vec_keeps_what_was_pushed(void **state)
{
	TALLY_VEC(uint64_t) v = {0};
	uint64_t sum = 0;

	for (uint64_t i = 0; i < 10000; i++)
		assert_int_equal(tally_vec_push(&v, i * i), 0);
	for (uint64_t i = 0; i < 10000; i++)
		assert_int_equal(v.data[i], i * i);
	tally_vec_for_each (at, &v)
		sum += *at;
	assert_int_equal(sum, 333283335000ull);
	tally_vec_free(&v);
	assert_null(v.data);
}

static void vec_rejects_overflowing_sizes(void **state)
{
	TALLY_VEC(uint64_t) v = {0};

	assert_int_equal(tally_vec_reserve(&v, SIZE_MAX / 4), -ENOMEM);
	assert_null(v.data);
	assert_int_equal(v.cap, 0);
}

/* Compare the map with an array during random insertions and removals. */
static void map_agrees_with_an_array(void **state)
{
	enum { KEYS = 512 };
	uint64_t truth[KEYS], x = 88172645463325252ull;
	struct tally_map map = {0};
	size_t len = 0, pos = 0, seen = 0;

	memset(truth, 0xff, sizeof(truth));
	for (int i = 0; i < 200000; i++) {
		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		uint64_t key = x % KEYS, value = x >> 20;

		if (x >> 63) {
			assert_int_equal(tally_map_set(&map, key << 32, value), 0);
			truth[key] = value;
		} else {
			assert_int_equal(tally_map_remove(&map, key << 32), truth[key]);
			truth[key] = TALLY_MAP_NONE;
		}
	}
	for (uint64_t key = 0; key < KEYS; key++) {
		assert_int_equal(tally_map_get(&map, key << 32), truth[key]);
		len += truth[key] != TALLY_MAP_NONE;
	}
	assert_int_equal(map.len, len);
	while (tally_map_next(&map, &pos))
		seen++;
	assert_int_equal(seen, len);
	tally_map_free(&map);
}

static void lookups_in_an_empty_map_find_nothing(void **state)
{
	struct tally_map map = {0};
	size_t pos = 0;

	assert_int_equal(tally_map_get(&map, 1), TALLY_MAP_NONE);
	assert_int_equal(tally_map_remove(&map, 1), TALLY_MAP_NONE);
	assert_null(tally_map_next(&map, &pos));
}

static void intern_gives_one_id_per_string(void **state)
{
	struct tally_intern table = {0};
	char name[32];
	uint32_t id;

	for (int round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < 5000; i++) {
			int len = snprintf(name, sizeof(name), "name-%u", i);

			assert_int_equal(tally_intern(&table, name, (size_t)len, &id), 0);
			assert_int_equal(id, i);
		}
	}
	assert_string_equal(tally_intern_text(&table, 4711), "name-4711");
	assert_int_equal(tally_intern(&table, "a\0b", 3, &id), 0);
	assert_int_equal(id, 5000);
	assert_int_equal(tally_intern(&table, "a", 1, &id), 0);
	assert_int_equal(id, 5001);
	tally_intern_free(&table);
}

static void arena_aligns_and_separates(void **state)
{
	struct tally_arena arena = {0};
	unsigned char *blocks[1000];

	for (size_t i = 0; i < 1000; i++) {
		blocks[i] = tally_arena_alloc(&arena, i + 1);
		assert_non_null(blocks[i]);
		assert_int_equal((uintptr_t)blocks[i] & 15, 0);
		memset(blocks[i], (int)i & 0xff, i + 1);
		assert_string_equal(tally_arena_strndup(&arena, "xyz", 2), "xy");
	}
	for (size_t i = 0; i < 1000; i++)
		assert_int_equal(blocks[i][i], i & 0xff);
	assert_null(tally_arena_bytes(&arena, SIZE_MAX - 8));
	tally_arena_free(&arena);
}

/* The iteration returns all strings, with the newest chunk first and no gaps between strings. */
static void arena_strings_are_iterated(void **state)
{
	const struct tally_arena_chunk *at = NULL;
	struct tally_arena arena = {0};
	size_t total = 0, len, nr = 0;
	const char *data;

	assert_null(tally_arena_next(&arena, NULL, &data, &len));
	for (size_t i = 0; i < 3000; i++) {
		assert_non_null(tally_arena_strndup(&arena, "0123456789", i % 11));
		total += i % 11 + 1;
	}
	while ((at = tally_arena_next(&arena, at, &data, &len))) {
		for (size_t i = 0; i < len; i++)
			assert_true(!data[i] || (data[i] >= '0' && data[i] <= '9'));
		total -= len;
		nr++;
	}
	assert_int_equal(total, 0);
	assert_true(nr > 1);
	tally_arena_free(&arena);
}

static void list_inserts_and_removes(void **state)
{
	struct item {
		int value;
		struct tally_list link;
	} items[4] = {{.value = 0}, {.value = 1}, {.value = 2}, {.value = 3}};
	struct tally_list head;
	int seen = 0;

	tally_list_init(&head);
	assert_true(tally_list_empty(&head));
	for (int i = 0; i < 4; i++)
		tally_list_insert(&head, &items[i].link);
	tally_list_remove(&items[1].link);
	tally_list_remove(&items[1].link);
	tally_list_for_each (pos, &head)
		seen = seen * 10 + tally_container_of(pos, struct item, link)->value;
	assert_int_equal(seen, 23);
}

static void arithmetic_holds_at_the_edges(void **state)
{
	assert_true(tally_range_ok(0, 10, 10));
	assert_false(tally_range_ok(1, 10, 10));
	assert_false(tally_range_ok(UINT64_MAX, 2, UINT64_MAX));
	assert_int_equal(tally_mul_div(UINT64_MAX, 3, 4), 0xbfffffffffffffffull);
	assert_int_equal(tally_mul_div(UINT64_MAX, 4, 3), UINT64_MAX);
	assert_int_equal(tally_mul_div(5, 5, 0), 0);
	assert_int_equal(tally_round_up(9, 8), 16);
	assert_true(tally_is_pow2(64));
	assert_false(tally_is_pow2(0));
	assert_int_equal(tally_mirror_u8(0x01), 0x80);
	assert_int_equal(tally_mirror_u8(0x35), 0xac);
	assert_int_equal(tally_load_u32("\1\2\3\4", !TALLY_HOST_BIG_ENDIAN), 0x01020304);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vec_keeps_what_was_pushed),
		cmocka_unit_test(vec_rejects_overflowing_sizes),
		cmocka_unit_test(map_agrees_with_an_array),
		cmocka_unit_test(lookups_in_an_empty_map_find_nothing),
		cmocka_unit_test(intern_gives_one_id_per_string),
		cmocka_unit_test(arena_aligns_and_separates),
		cmocka_unit_test(arena_strings_are_iterated),
		cmocka_unit_test(list_inserts_and_removes),
		cmocka_unit_test(arithmetic_holds_at_the_edges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
