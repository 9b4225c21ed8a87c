/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/cache.h"
#include "base/json.h"

#include <cmocka.h>

/* Whatever it still knows is what was stored last under that key. */
static void cache_never_lies(void **state)
{
	enum { KEYS = 300 };
	struct tally_cache cache;
	uint64_t truth[KEYS] = {0}, hash, hits = 0;
	char key[KEYS][24];

	assert_int_equal(tally_cache_init(&cache, 64, 1024), 0);
	for (uint64_t i = 0; i < 50000; i++) {
		uint64_t k = i % 5 ? i % 40 : i * 7919 % KEYS, value;
		size_t len = 1 + k % 20;

		memset(key[k], (int)('a' + k % 26), sizeof(key[k]));
		memcpy(key[k], &k, len < 8 ? len : 8);
		value = tally_cache_get(&cache, k, key[k], len, &hash);
		if (value != TALLY_CACHE_MISS) {
			assert_int_equal(value, truth[k]);
			hits++;
		}
		if (i % 3) {
			truth[k] = i;
			tally_cache_put(&cache, k, key[k], len, hash, i);
		}
	}
	assert_true(hits > 0);
	tally_cache_free(&cache);
}

static void cache_finds_what_was_just_put(void **state)
{
	struct tally_cache cache;
	uint64_t hash;

	assert_int_equal(tally_cache_init(&cache, 16, 64), 0);
	assert_int_equal(tally_cache_get(&cache, 1, "abc", 3, &hash), TALLY_CACHE_MISS);
	tally_cache_put(&cache, 1, "abc", 3, hash, 77);
	assert_int_equal(tally_cache_get(&cache, 1, "abc", 3, &hash), 77);
	assert_int_equal(tally_cache_get(&cache, 2, "abc", 3, &hash), TALLY_CACHE_MISS);
	assert_int_equal(tally_cache_get(&cache, 1, "abd", 3, &hash), TALLY_CACHE_MISS);
	tally_cache_free(&cache);
}

static void json_is_well_formed(void **state)
{
	struct tally_str out = {0};

	tally_json_open(&out, NULL, '{');
	tally_json_text(&out, "text", "a\"b\\c\n\x01");
	tally_json_bytes(&out, "bytes", "\xc3\xa9\xff\xed\xa0\x80", 6);
	tally_json_u64(&out, "big", UINT64_MAX);
	tally_json_s64(&out, "small", INT64_MIN);
	tally_json_bool(&out, "yes", true);
	tally_json_double(&out, "pi", 3.14159, 2);
	tally_json_double(&out, "nan", 0.0 / 0.0, 2);
	tally_json_hex(&out, "hex", "\x00\xfe", 2);
	tally_json_open(&out, "list", '[');
	tally_json_u64(&out, NULL, 1);
	tally_json_u64(&out, NULL, 2);
	tally_json_close(&out, ']');
	tally_json_open(&out, "none", '{');
	tally_json_close(&out, '}');
	tally_json_close(&out, '}');
	assert_string_equal(
		tally_str_text(&out),
		"{\"text\":\"a\\\"b\\\\c\\n\\u0001\","
		"\"bytes\":\"\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\","
		"\"big\":18446744073709551615,\"small\":-9223372036854775808,"
		"\"yes\":true,\"pi\":3.14,\"nan\":null,\"hex\":\"00fe\","
		"\"list\":[1,2],\"none\":{}}");
	tally_str_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cache_never_lies),
		cmocka_unit_test(cache_finds_what_was_just_put),
		cmocka_unit_test(json_is_well_formed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
