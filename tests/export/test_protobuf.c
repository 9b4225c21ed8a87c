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
		assert_int_equal(tally_varint_size(cases[i].value), cases[i].len);
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

static void numbers_of_eight_bytes(void **state)
{
	struct tally_str out = {0};

	tally_protobuf_fixed64(&out, 3, 0x0102030405060708);
	tally_protobuf_add_fixed64(&out, UINT64_MAX);
	check(&out, "\x19\x08\x07\x06\x05\x04\x03\x02\x01\xff\xff\xff\xff\xff\xff\xff\xff", 17);
	tally_str_free(&out);
}

static void sizes_are_those_of_written_fields(void **state)
{
	static const size_t lens[] = {0, 1, 127, 128, 16383, 16384, 70000};
	static const unsigned fields[] = {1, 15, 16, 2047, 2048};
	static const char bytes[70000];

	for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		for (size_t k = 0; k < sizeof(fields) / sizeof(fields[0]); k++) {
			struct tally_str out = {0}, head = {0};

			tally_protobuf_bytes(&out, fields[k], bytes, lens[i]);
			tally_protobuf_head(&head, fields[k], lens[i]);
			assert_int_equal(tally_protobuf_size(fields[k], lens[i]), out.len);
			assert_int_equal(head.len + lens[i], out.len);
			assert_memory_equal(tally_str_text(&head), tally_str_text(&out), head.len);
			tally_str_free(&out);
			tally_str_free(&head);
		}
	}
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
		cmocka_unit_test(numbers_of_eight_bytes),
		cmocka_unit_test(sizes_are_those_of_written_fields),
		cmocka_unit_test(messages_inside_of_messages),
		cmocka_unit_test(long_messages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
