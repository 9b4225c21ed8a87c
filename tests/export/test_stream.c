/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <zlib.h>

#include "base/json.h"
#include "export/stream.h"

#include <cmocka.h>

enum { ROWS = 100000 };

struct collected {
	struct tally_str bytes;
	size_t writes, most; /* number of writes; size of the largest one */
	size_t room;         /* capacity */
};

static int collect(void *arg, const void *bytes, size_t len)
{
	struct collected *collected = arg;

	if (collected->bytes.len + len > collected->room)
		return -ENOSPC;
	collected->writes++;
	collected->most = len > collected->most ? len : collected->most;
	tally_str_add_bytes(&collected->bytes, bytes, len);
	return 0;
}

static int write_rows(struct collected *collected, bool packs)
{
	const struct tally_export export = {.sink = {collect, collected}};
	struct tally_export_stream stream;
	int ret = tally_export_stream_start(&stream, &export, packs);

	assert_int_equal(ret, 0);
	tally_json_open(&stream.text, NULL, '[');
	for (uint64_t i = 0; i < ROWS && !ret; i++) {
		tally_json_u64(&stream.text, NULL, i);
		ret = tally_export_flush_some(&stream);
	}
	tally_json_close(&stream.text, ']');
	return tally_export_stream_end(&stream, ret);
}

static void check_rows(const struct tally_str *text)
{
	struct tally_str want = {0};

	for (uint64_t i = 0; i < ROWS; i++) {
		tally_str_add_char(&want, i ? ',' : '[');
		tally_str_add_u64(&want, i);
	}
	tally_str_add_char(&want, ']');
	assert_int_equal(text->len, want.len);
	assert_string_equal(tally_str_text(text), tally_str_text(&want));
	tally_str_free(&want);
}

/* Check that commas are correct no matter where the text is split. */
static void text_comes_in_pieces(void **state)
{
	struct collected collected = {.room = SIZE_MAX};

	assert_int_equal(write_rows(&collected, false), 0);
	check_rows(&collected.bytes);
	assert_true(collected.writes > 5);
	assert_true(collected.most < 1 << 17);
	tally_str_free(&collected.bytes);
}

static void packed_text_is_the_same(void **state)
{
	struct collected collected = {.room = SIZE_MAX};
	struct tally_str text = {0};
	char *room;
	z_stream z = {0};

	assert_int_equal(write_rows(&collected, true), 0);
	room = tally_str_reserve(&text, 10 * ROWS);
	assert_non_null(room);
	assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
	z.next_in = (unsigned char *)collected.bytes.data;
	z.avail_in = (unsigned)collected.bytes.len;
	z.next_out = (unsigned char *)room;
	z.avail_out = 10 * ROWS;
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	assert_int_equal(z.avail_in, 0);
	text.len = z.total_out;
	room[text.len] = '\0';
	check_rows(&text);
	inflateEnd(&z);
	tally_str_free(&text);
	tally_str_free(&collected.bytes);
}

static void the_first_error_ends_the_stream(void **state)
{
	for (size_t room = 0; room < 150000; room += 70000) {
		for (int packs = 0; packs < 2; packs++) {
			struct collected collected = {.room = room};

			assert_int_equal(write_rows(&collected, packs), -ENOSPC);
			assert_true(collected.bytes.len <= room);
			tally_str_free(&collected.bytes);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_comes_in_pieces),
		cmocka_unit_test(packed_text_is_the_same),
		cmocka_unit_test(the_first_error_ends_the_stream),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
