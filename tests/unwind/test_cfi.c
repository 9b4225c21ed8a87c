/* SPDX-License-Identifier: BSD-2-Clause */
/* .eh_frame and .debug_frame entries in all possible forms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>

#include "base/arith.h"
#include "frame_bytes.h"

enum { VADDR = 0x5000 };

static struct frame_bytes bytes;

static int begin(void **state)
{
	memset(&bytes, 0, sizeof(bytes));
	return 0;
}

static int next_of(struct tally_cfi_walk *walk, struct tally_cfi_entry *entry)
{
	if (!walk->section.data)
		walk->section = section_of(&bytes, VADDR);
	return tally_cfi_next(walk, entry);
}

static void check_one(uint64_t start, uint64_t size)
{
	struct tally_cfi_walk walk = {.at = 0};
	struct tally_cfi_entry entry;

	assert_int_equal(next_of(&walk, &entry), 1);
	assert_int_equal(entry.start, start);
	assert_int_equal(entry.size, size);
	assert_int_equal(entry.program.len, 1);
	assert_int_equal(entry.program.code[0], 0x42);
	assert_int_equal(entry.common.ra, RIP);
	assert_int_equal(entry.common.code_align, 1);
	assert_int_equal(entry.common.data_align, -8);
	assert_int_equal(next_of(&walk, &entry), 0);
}

static const uint8_t one[] = {0x42};

static void plain_entries_of_both_sections_and_widths(void **state)
{
	for (int i = 0; i < 4; i++) {
		begin(NULL);
		bytes.is_debug = i & 1;
		bytes.is_wide = i & 2;
		code_entry(&bytes, common_plain(&bytes), 0x1234567890, 0x40, one, 1);
		check_one(0x1234567890, 0x40);
	}
}

static void reads_all_versions(void **state)
{
	static const struct {
		unsigned version;
		bool is_known;
	} versions[] = {{0, false}, {1, true}, {2, false}, {3, true}, {4, true}, {5, false}};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(versions); i++) {
		struct tally_cfi_walk walk = {.at = 0};
		struct tally_cfi_entry entry;
		size_t common;

		begin(NULL);
		bytes.is_debug = true;
		common = common_begin(&bytes, versions[i].version, "", RIP);
		entry_end(&bytes);
		code_entry(&bytes, common, 0x100, 0x10, one, 1);
		if (versions[i].is_known)
			check_one(0x100, 0x10);
		else
			assert_int_equal(next_of(&walk, &entry), 0);
	}
}

/* In version 4, a CIE contains the size of addresses. Only 8 bytes are supported. */
static void skips_entries_with_4_byte_addresses(void **state)
{
	struct tally_cfi_walk walk = {.at = 0};
	struct tally_cfi_entry entry;
	size_t common;

	bytes.is_debug = true;
	common = common_begin(&bytes, 4, "", RIP);
	bytes.data[common + 4 + 4 + 2] = 4;
	entry_end(&bytes);
	code_entry(&bytes, common, 0x100, 0x10, one, 1);
	assert_int_equal(next_of(&walk, &entry), 0);
}

/* Read address encodings, both relative to the address of the field and absolute. */
static void reads_all_address_encodings(void **state)
{
	static const struct {
		uint8_t encoding, size;
		int64_t value; /* as stored */
		bool is_known;
	} rows[] = {
		{0x00, 8, 0x12345678, true}, {0x02, 2, 0xf234, true}, {0x03, 4, 0x80001234, true},
		{0x04, 8, 0x1000, true},     {0x0a, 2, -0x100, true}, {0x0b, 4, -0x2000, true},
		{0x0c, 8, -0x300, true},     {0x1b, 4, 0x7000, true}, {0x1c, 8, 0x7000, true},
		{0x10, 8, 0x7000, true},     {0x1a, 2, -0x10, true},  {0x2b, 4, 0x10, false},
		{0x3b, 4, 0x10, false},      {0x4b, 4, 0x10, false},  {0x9b, 4, 0x10, false},
		{0x05, 8, 0x10, false},      {0x50, 8, 0x10, false},
	};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(rows); i++) {
		struct tally_cfi_walk walk = {.at = 0};
		struct tally_cfi_entry entry;
		uint64_t start = (uint64_t)rows[i].value;
		size_t common;

		begin(NULL);
		common = common_begin(&bytes, 1, "zR", RIP);
		put_uleb(&bytes, 1);
		put_u8(&bytes, rows[i].encoding);
		entry_end(&bytes);
		code_begin(&bytes, common);
		if (rows[i].encoding & 0x10)
			start += VADDR + bytes.len;
		put(&bytes, &rows[i].value, rows[i].size);
		put(&bytes, (uint64_t[]){0x40}, rows[i].size);
		put_uleb(&bytes, 0);
		put(&bytes, one, 1);
		entry_end(&bytes);
		if (rows[i].is_known)
			check_one(start, 0x40);
		else
			assert_int_equal(next_of(&walk, &entry), 0);
	}
}

static void reads_leb128_addresses(void **state)
{
	size_t common = common_begin(&bytes, 1, "zR", RIP);

	put_uleb(&bytes, 1);
	put_u8(&bytes, 0x01);
	entry_end(&bytes);
	code_begin(&bytes, common);
	put_uleb(&bytes, 0x123456);
	put_uleb(&bytes, 300);
	put_uleb(&bytes, 0);
	put(&bytes, one, 1);
	entry_end(&bytes);
	check_one(0x123456, 300);
}

/* Skip the personality, language-specific data and the data of all other augmentation letters. */
static void skips_augmentation_data(void **state)
{
	size_t common = common_begin(&bytes, 1, "zPLRSB", RIP);
	struct tally_cfi_walk walk = {.at = 0};
	struct tally_cfi_entry entry;

	put_uleb(&bytes, 7);
	put_u8(&bytes, 0x9b); /* encoding of the personality, which is skipped */
	put_u32(&bytes, 0x11111111);
	put_u8(&bytes, 0x1b);
	put_u8(&bytes, 0x00);
	put_u8(&bytes, 0x0c);
	entry_end(&bytes);
	code_begin(&bytes, common);
	put_u64(&bytes, 0x4000);
	put_u64(&bytes, 0x40);
	put_uleb(&bytes, 4);
	put_u32(&bytes, 0x22222222);
	put(&bytes, one, 1);
	entry_end(&bytes);
	check_one(0x4000, 0x40);
	assert_int_equal(next_of(&walk, &entry), 1);
	assert_true(entry.common.is_signal);
	assert_int_equal(entry.common.start.len, 1);
	assert_int_equal(entry.common.start.code[0], 0x0c);
}

static void skips_entries_with_unknown_augmentations(void **state)
{
	static const char *const letters[] = {"eh", "zX", "zRX", "y"};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(letters); i++) {
		struct tally_cfi_walk walk = {.at = 0};
		struct tally_cfi_entry entry;
		size_t common;

		begin(NULL);
		common = common_begin(&bytes, 1, letters[i], RIP);
		put_uleb(&bytes, 2);
		put_u16(&bytes, 0);
		entry_end(&bytes);
		code_entry(&bytes, common, 0x4000, 0x40, one, 1);
		/* Later entries are still found. */
		code_entry(&bytes, common_plain(&bytes), 0x6000, 0x40, one, 1);
		assert_int_equal(next_of(&walk, &entry), 1);
		assert_int_equal(entry.start, 0x6000);
		assert_int_equal(next_of(&walk, &entry), 0);
	}
}

/* In .debug_frame, a CIE may follow its FDEs, and FDEs of several CIEs may alternate. */
static void finds_cies_anywhere_in_debug_frame(void **state)
{
	struct tally_cfi_walk walk = {.at = 0};
	struct tally_cfi_entry entry;
	size_t first, second;

	bytes.is_debug = true;
	first = common_plain(&bytes);
	second = common_begin(&bytes, 3, "", 33);
	entry_end(&bytes);
	for (int i = 0; i < 4; i++)
		code_entry(&bytes, i & 1 ? second : first, 0x100u * (unsigned)i, 0x10, one, 1);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(next_of(&walk, &entry), 1);
		assert_int_equal(entry.start, 0x100 * i);
		assert_int_equal(entry.common.ra, i & 1 ? 33 : RIP);
	}
	assert_int_equal(next_of(&walk, &entry), 0);
}

static void rejects_references_to_other_entries(void **state)
{
	static const uint64_t places[] = {3, 0x1000, UINT32_MAX - 1};
	struct tally_cfi_entry entry;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(places); i++) {
		struct tally_cfi_walk walk = {.at = 0};

		begin(NULL);
		bytes.is_debug = true;
		common_plain(&bytes);
		code_entry(&bytes, places[i], 0x100, 0x10, one, 1);
		assert_int_equal(next_of(&walk, &entry), 0);
	}
	/* An entry refers to itself, or to another FDE. */
	for (int i = 0; i < 2; i++) {
		struct tally_cfi_walk walk = {.at = 0};

		begin(NULL);
		bytes.is_debug = true;
		code_entry(&bytes, 0, 0x100, 0x10, one, 1);
		code_entry(&bytes, 0, 0x200, 0x10, one, 1);
		assert_int_equal(next_of(&walk, &entry), 0);
	}
}

/* If the length of the section is unknown, an entry of length 0 ends the section. Otherwise the
 * entry is padding, which linkers leave between entries. */
static void skips_padding_or_ends_at_length_0(void **state)
{
	struct tally_cfi_walk walk = {.at = 0};
	struct tally_cfi_entry entry;
	size_t common = common_plain(&bytes);

	code_entry(&bytes, common, 0x100, 0x10, one, 1);
	put_u32(&bytes, 0);
	code_entry(&bytes, common, 0x200, 0x10, one, 1);
	walk.section = section_of(&bytes, VADDR);
	walk.section.is_open = true;
	assert_int_equal(tally_cfi_next(&walk, &entry), 1);
	assert_int_equal(tally_cfi_next(&walk, &entry), 0);
	walk = (struct tally_cfi_walk){.section = section_of(&bytes, VADDR)};
	assert_int_equal(tally_cfi_next(&walk, &entry), 1);
	assert_int_equal(tally_cfi_next(&walk, &entry), 1);
	assert_int_equal(entry.start, 0x200);
}

/* Up to 16 entries of length 0 in a row are skipped; more of them end the section. */
static void many_entries_of_length_0_end_the_section(void **state)
{
	struct tally_cfi_walk walk = {.at = 0};
	struct tally_cfi_entry entry;
	size_t common = common_plain(&bytes), empty;

	for (uint64_t i = 1; i <= 3; i++) {
		for (unsigned j = 0; j < 16 + (i == 3); j++)
			put_u32(&bytes, 0);
		code_entry(&bytes, common, 0x100 * i, 0x10, one, 1);
	}
	for (uint64_t i = 1; i <= 2; i++) {
		assert_int_equal(next_of(&walk, &entry), 1);
		assert_int_equal(entry.start, 0x100 * i);
	}
	empty = walk.at;
	assert_int_equal(next_of(&walk, &entry), 0);
	assert_true(walk.at - empty <= 16 * 4);
	assert_int_equal(next_of(&walk, &entry), 0);
}

static void rejects_lengths_beyond_the_section(void **state)
{
	struct tally_cfi_walk walk = {.at = 0};
	struct tally_cfi_entry entry;
	size_t common = common_plain(&bytes);

	code_entry(&bytes, common, 0x100, 0x10, one, 1);
	put_u32(&bytes, 0x1000);
	put_u32(&bytes, 0);
	assert_int_equal(next_of(&walk, &entry), 1);
	assert_int_equal(next_of(&walk, &entry), -EINVAL);
}

/* Truncate a section anywhere. Nothing beyond its end may be read, which ASan checks. */
static void reads_sections_truncated_anywhere(void **state)
{
	size_t common = common_begin(&bytes, 1, "zPLR", RIP);
	struct tally_cfi_entry entry;
	size_t whole;

	put_uleb(&bytes, 7);
	put_u8(&bytes, 0x9b);
	put_u32(&bytes, 0x11111111);
	put_u8(&bytes, 0x1b);
	put_u8(&bytes, 0x1b);
	entry_end(&bytes);
	code_begin(&bytes, common);
	put_u32(&bytes, 0x4000);
	put_u32(&bytes, 0x40);
	put_uleb(&bytes, 0);
	entry_end(&bytes);
	whole = bytes.len;
	for (size_t len = 0; len <= whole; len++) {
		uint8_t *copy = malloc(len ? len : 1);
		struct tally_cfi_walk walk = {.section = {.data = copy, .len = len}};
		int nr = 0;

		memcpy(copy, bytes.data, len);
		while (tally_cfi_next(&walk, &entry) > 0)
			nr++;
		assert_int_equal(nr, len == whole);
		free(copy);
	}
}

static void reads_leb128_numbers(void **state)
{
	static const uint8_t data[] = {0x7f, 0xff, 0x7e, 0x80, 0x80, 0x01, 0xff, 0xff, 0xff,
				       0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0x80};
	struct tally_bytes_reader reader = {data, data + sizeof(data), false, false};

	assert_int_equal(tally_bytes_sleb(&reader), -1);
	assert_int_equal(tally_bytes_sleb(&reader), -129);
	assert_int_equal(tally_bytes_uleb(&reader), 1 << 14);
	assert_int_equal(tally_bytes_uleb(&reader), UINT64_MAX);
	assert_false(reader.failed);
	assert_int_equal(tally_bytes_uleb(&reader), 0);
	assert_true(reader.failed);
}

#define TEST(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(plain_entries_of_both_sections_and_widths),
		TEST(reads_all_versions),
		TEST(skips_entries_with_4_byte_addresses),
		TEST(reads_all_address_encodings),
		TEST(reads_leb128_addresses),
		TEST(skips_augmentation_data),
		TEST(skips_entries_with_unknown_augmentations),
		TEST(finds_cies_anywhere_in_debug_frame),
		TEST(rejects_references_to_other_entries),
		TEST(skips_padding_or_ends_at_length_0),
		TEST(many_entries_of_length_0_end_the_section),
		TEST(rejects_lengths_beyond_the_section),
		TEST(reads_sections_truncated_anywhere),
		TEST(reads_leb128_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
