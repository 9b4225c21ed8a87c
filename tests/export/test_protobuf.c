/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include "base/varint.h"
#include "export/protobuf.h"

#include <cmocka.h>

/* Compare the output with bytes that are given in the encoding's specification or follow from
 * it. */
static void check(const struct tally_str *out, const void *want, size_t len)
{
	assert_int_equal(tally_str_error(out), 0);
	assert_int_equal(out->len, len);
	assert_memory_equal(tally_str_text(out), want, len);
}

static void numbers_of_every_length(void **state)
{
	static const struct {
		uint64_t value;
		const char *bytes;
		size_t len;
	} cases[] = {
		{0, "\x00", 1},
		{1, "\x01", 1},
		{127, "\x7f", 1},
		{128, "\x80\x01", 2},
		{150, "\x96\x01", 2},
		{16383, "\xff\x7f", 2},
		{16384, "\x80\x80\x01", 3},
		{UINT32_MAX, "\xff\xff\xff\xff\x0f", 5},
		{(uint64_t)1 << 63, "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 10},
		{UINT64_MAX, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tally_str out = {0};

		tally_str_add_varint(&out, cases[i].value);
		check(&out, cases[i].bytes, cases[i].len);
		tally_str_free(&out);
	}
}

static void fields_have_tags(void **state)
{
	struct tally_str out = {0};

	tally_protobuf_u64(&out, 1, 150);
	tally_protobuf_bytes(&out, 2, "testing", 7);
	tally_protobuf_bytes(&out, 16, "", 0);
	tally_protobuf_u64(&out, 66, 0);
	check(&out, "\x08\x96\x01\x12\x07testing\x82\x01\x00\x90\x04\x00", 18);
	tally_str_free(&out);
}

static void messages_inside_of_messages(void **state)
{
	struct tally_str out = {0};
	size_t outer, inner;

	tally_str_add(&out, "before");
	outer = tally_protobuf_open(&out, 3);
	inner = tally_protobuf_open(&out, 4);
	tally_protobuf_u64(&out, 1, 150);
	tally_protobuf_close(&out, inner);
	tally_protobuf_close(&out, tally_protobuf_open(&out, 5));
	tally_protobuf_close(&out, outer);
	check(&out, "before\x1a\x07\x22\x03\x08\x96\x01\x2a\x00", 15);
	tally_str_free(&out);
}

/* Check that a message's contents are moved if its length field needs several bytes. */
static void long_messages(void **state)
{
	enum { LENGTH = 20000 };
	struct tally_str out = {0};
	size_t message = tally_protobuf_open(&out, 1);

	for (int i = 0; i < LENGTH; i++)
		tally_str_add_char(&out, (char)('a' + i % 26));
	tally_protobuf_close(&out, message);
	assert_int_equal(out.len, 1 + 3 + LENGTH);
	assert_memory_equal(tally_str_text(&out), "\x0a\xa0\x9c\x01", 4);
	for (int i = 0; i < LENGTH; i++)
		assert_int_equal(out.data[4 + i], 'a' + i % 26);
	tally_str_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_of_every_length),
		cmocka_unit_test(fields_have_tags),
		cmocka_unit_test(messages_inside_of_messages),
		cmocka_unit_test(long_messages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
