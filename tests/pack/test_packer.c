/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/arith.h"
#include "base/str.h"
#include "pack/packer.h"
#include "random.h"

#include <cmocka.h>

enum { BLOCK = 1 << 17, MOST = 9 * BLOCK + 1 };

struct collected {
	struct tally_str bytes;
	size_t limit; /* the write that exceeds it fails */
};

static int collect(void *arg, const void *bytes, size_t len)
{
	struct collected *collected = arg;

	if (collected->bytes.len + len > collected->limit)
		return -ENOSPC;
	tally_str_add_bytes(&collected->bytes, bytes, len);
	return 0;
}

/* Return MOST bytes: text that repeats earlier text, even in earlier blocks, and random bytes. */
static char *text_make(void)
{
	char *text = malloc(MOST);
	struct random random = {1};

	assert_non_null(text);
	for (size_t at = 0; at < MOST; at++) {
		uint64_t value = random_u64(&random);

		if (at > 100 && value % 3)
			text[at] = text[at - 1 - value % 100];
		else
			text[at] = (char)(value >> 16);
	}
	return text;
}

/* Compress `len` bytes, in pieces of `piece` bytes. */
static int pack(enum tally_packing format, uint64_t threads, const char *text, size_t len,
		size_t piece, struct collected *collected)
{
	const struct tally_packer_options options = {format, threads, collect, collected};
	struct tally_packer *packer;
	int ret = tally_packer_new(&options, &packer);

	assert_int_equal(ret, 0);
	for (size_t at = 0; at < len && !ret; at += piece)
		ret = tally_packer_add(packer, text + at, TALLY_MIN(len - at, piece));
	if (!ret)
		ret = tally_packer_end(packer);
	tally_packer_free(packer);
	return ret;
}

/* zlib itself checks the checksum, and with gzip the length. */
static void check_unpacked(enum tally_packing format, const struct tally_str *packed,
			   const char *text, size_t len)
{
	z_stream z = {0};
	uint8_t *out = malloc(len + 1);

	assert_non_null(out);
	assert_int_equal(inflateInit2(&z, format == TALLY_PACK_GZIP ? 15 + 16 : 15), Z_OK);
	z.next_in = (uint8_t *)packed->data;
	z.avail_in = (uInt)packed->len;
	z.next_out = out;
	z.avail_out = (uInt)len + 1;
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	assert_int_equal(z.avail_in, 0);
	assert_int_equal(z.total_out, len);
	assert_memory_equal(out, text, len);
	inflateEnd(&z);
	free(out);
}

static const size_t lengths[] = {0,         1,         1000,          BLOCK - 1,     BLOCK,
				 BLOCK + 1, 2 * BLOCK, 2 * BLOCK + 7, 9 * BLOCK + 1, 5 * BLOCK - 1};

static void output_does_not_depend_on_threads_or_pieces(void **state)
{
	static const uint64_t threads[] = {1, 2, 3, 8, 100};
	static const size_t pieces[] = {MOST, 1 << 16, 99991, BLOCK};
	char *text = text_make();

	for (size_t i = 0; i < 2 * TALLY_ARRAY_SIZE(lengths); i++) {
		enum tally_packing format = i % 2 ? TALLY_PACK_GZIP : TALLY_PACK_ZLIB;
		struct collected first = {.limit = SIZE_MAX};
		size_t len = lengths[i / 2];

		assert_int_equal(pack(format, 0, text, len, MOST, &first), 0);
		check_unpacked(format, &first.bytes, text, len);
		for (size_t k = 0; k < TALLY_ARRAY_SIZE(threads); k++) {
			struct collected next = {.limit = SIZE_MAX};

			assert_int_equal(
				pack(format, threads[k], text, len, pieces[(i + k) % 4], &next), 0);
			assert_int_equal(next.bytes.len, first.bytes.len);
			assert_memory_equal(next.bytes.data, first.bytes.data, first.bytes.len);
			tally_str_free(&next.bytes);
		}
		tally_str_free(&first.bytes);
	}
	free(text);
}

/* Check that dividing the stream into blocks costs less than 1 % of its size. */
static void repetitions_across_blocks_are_found(void **state)
{
	struct collected collected = {.limit = SIZE_MAX};
	char *text = text_make();
	uLongf whole = compressBound(MOST);
	uint8_t *out = malloc(whole);

	assert_non_null(out);
	assert_int_equal(compress(out, &whole, (const Bytef *)text, MOST), Z_OK);
	assert_int_equal(pack(TALLY_PACK_ZLIB, 2, text, MOST, MOST, &collected), 0);
	assert_true(collected.bytes.len < whole + whole / 100);
	tally_str_free(&collected.bytes);
	free(out);
	free(text);
}

static void the_first_failed_write_ends_the_stream(void **state)
{
	struct collected whole = {.limit = SIZE_MAX};
	char *text = text_make();

	assert_int_equal(pack(TALLY_PACK_GZIP, 1, text, MOST, MOST, &whole), 0);
	for (uint64_t threads = 1; threads < 4; threads++) {
		for (size_t limit = 0; limit < whole.bytes.len; limit += BLOCK / 3) {
			struct collected cut = {.limit = limit};

			assert_int_equal(pack(TALLY_PACK_GZIP, threads, text, MOST, 10000, &cut),
					 -ENOSPC);
			assert_memory_equal(cut.bytes.data, whole.bytes.data, cut.bytes.len);
			tally_str_free(&cut.bytes);
		}
	}
	tally_str_free(&whole.bytes);
	free(text);
}

static void a_stream_may_be_abandoned(void **state)
{
	struct collected collected = {.limit = SIZE_MAX};
	const struct tally_packer_options options = {TALLY_PACK_ZLIB, 3, collect, &collected};
	struct tally_packer *packer;
	char *text = text_make();

	for (size_t len = 0; len < MOST; len += 2 * BLOCK) {
		assert_int_equal(tally_packer_new(&options, &packer), 0);
		assert_int_equal(tally_packer_add(packer, text, len), 0);
		tally_packer_free(packer);
	}
	tally_packer_free(NULL);
	tally_str_free(&collected.bytes);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(output_does_not_depend_on_threads_or_pieces),
		cmocka_unit_test(repetitions_across_blocks_are_found),
		cmocka_unit_test(the_first_failed_write_ends_the_stream),
		cmocka_unit_test(a_stream_may_be_abandoned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
