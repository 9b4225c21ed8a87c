/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "jit_image.h"
#include "symbols/jit/jitdump.h"

static const char *name_when(struct tally_jit *jit, uint64_t addr, uint64_t time)
{
	const struct tally_jit_code *code = tally_jit_find(jit, addr, time);

	return code ? code->symbol->name_text : NULL;
}

static size_t parse(const struct jit_image *image, struct tally_jit *jit)
{
	size_t used = 0;

	assert_int_equal(tally_jitdump_parse(image->data, image->len, 0, jit, &used, NULL), 0);
	assert_int_equal(tally_jit_finish(jit), 0);
	return used;
}

/* Check both byte orders, one of which is the host's. */
static void finds_code_by_time(void **state)
{
	for (int swaps = 0; swaps < 2; swaps++) {
		struct jit_image image = jit_image_begin(7, swaps);
		struct tally_jit jit = {0};

		jit_image_load(&image, 100, 0x1000, 0x40, 1, "first");
		jit_image_load(&image, 200, 0x1000, 0x20, 2, "second");
		jit_image_load(&image, 300, 0x2000, 0x10, 3, "other");
		assert_int_equal(parse(&image, &jit), image.len);
		assert_int_equal(tally_jitdump_header(&jit)->pid, 7);
		assert_false(tally_jitdump_header(&jit)->has_arch_clock);
		assert_null(name_when(&jit, 0x1000, 99));
		assert_string_equal(name_when(&jit, 0x1000, 100), "first");
		assert_string_equal(name_when(&jit, 0x101f, 199), "first");
		assert_string_equal(name_when(&jit, 0x101f, 200), "second");
		/* The part of the first function that was not overwritten is still found. */
		assert_string_equal(name_when(&jit, 0x1020, 1000), "first");
		assert_null(name_when(&jit, 0x1040, 1000));
		assert_null(name_when(&jit, 0x2000, 299));
		assert_string_equal(name_when(&jit, 0x200f, TALLY_JIT_ALWAYS), "other");
		assert_int_equal(jit.nr_guesses, 0);
		/* If the timestamp is unknown, the address may belong to either of two
		 * functions. */
		assert_string_equal(name_when(&jit, 0x1000, TALLY_JIT_ALWAYS), "second");
		assert_int_equal(jit.nr_guesses, 1);
		assert_int_equal(jit.nr_skipped, 0);
		tally_jit_free(&jit);
		jit_image_free(&image);
	}
}

/* Code is identified by the offset of its bytes in the dump, which is never reused. */
static void identifies_code_by_its_offset_in_the_dump(void **state)
{
	struct jit_image image = jit_image_begin(7, false);
	const struct tally_jit_code *code;
	struct tally_jit jit = {0};

	jit_image_load(&image, 100, 0x1000, 0x40, 1, "first");
	jit_image_load(&image, 200, 0x1000, 0x20, 2, "second");
	parse(&image, &jit);
	for (uint64_t time = 100; time <= 200; time += 100) {
		code = tally_jit_find(&jit, 0x1000, time);
		assert_non_null(code);
		for (uint64_t at = code->symbol->start; at < code->symbol->end; at++)
			assert_int_equal(image.data[at], JIT_IMAGE_CODE);
		assert_ptr_equal(tally_jit_find_place(&jit, code->symbol->start), code->symbol);
		assert_ptr_equal(tally_jit_find_place(&jit, code->symbol->end - 1), code->symbol);
		assert_null(tally_jit_find_place(&jit, code->symbol->end));
	}
	assert_null(tally_jit_find_place(&jit, 0));
	tally_jit_free(&jit);
	jit_image_free(&image);
}

static void follows_moved_code(void **state)
{
	struct jit_image image = jit_image_begin(7, false);
	const struct tally_jit_code *before, *after;
	struct tally_jit jit = {0};

	jit_image_load(&image, 100, 0x1000, 0x40, 1, "moved");
	jit_image_move(&image, 200, 0x1000, 0x3000, 0x40, 1);
	jit_image_load(&image, 300, 0x1000, 0x40, 2, "new");
	jit_image_move(&image, 400, 0x9000, 0xa000, 0x40, 77);
	parse(&image, &jit);
	assert_null(name_when(&jit, 0x3000, 199));
	before = tally_jit_find(&jit, 0x1008, 100);
	after = tally_jit_find(&jit, 0x3008, 250);
	assert_non_null(before);
	assert_non_null(after);
	assert_ptr_equal(before->symbol, after->symbol);
	assert_string_equal(name_when(&jit, 0x1008, 300), "new");
	assert_string_equal(name_when(&jit, 0x3008, 300), "moved");
	/* The code that was moved is unknown. */
	assert_null(name_when(&jit, 0xa000, 500));
	assert_int_equal(jit.nr_skipped, 1);
	tally_jit_free(&jit);
	jit_image_free(&image);
}

/* Threads do not necessarily write their records in timestamp order. */
static void sorts_records_by_time(void **state)
{
	struct jit_image image = jit_image_begin(7, false);
	struct tally_jit jit = {0};

	jit_image_load(&image, 200, 0x1000, 0x40, 2, "second");
	jit_image_load(&image, 100, 0x1000, 0x40, 1, "first");
	jit_image_load(&image, 200, 0x1000, 0x40, 3, "third");
	parse(&image, &jit);
	assert_string_equal(name_when(&jit, 0x1000, 150), "first");
	assert_string_equal(name_when(&jit, 0x1000, 200), "third");
	tally_jit_free(&jit);
	jit_image_free(&image);
}

static void finds_lines_of_code(void **state)
{
	static const struct jit_image_line list[] = {
		{0x1010, 7, "b.js"},
		{0x1000, 3, "a.js"},
		{0x1008, 5, "\xff"},
		{0x1040, 9, "c.js"},
	};
	struct jit_image image = jit_image_begin(7, false);
	const struct tally_line *line;
	struct tally_span span;
	struct tally_jit jit = {0};
	uint64_t start;

	jit_image_lines(&image, 90, 0x1000, list, 4);
	jit_image_load(&image, 100, 0x1000, 0x40, 1, "f");
	jit_image_lines(&image, 110, 0x5000, list, 4);
	jit_image_load(&image, 120, 0x1000, 0x40, 2, "without");
	parse(&image, &jit);
	start = tally_jit_find(&jit, 0x1000, 100)->symbol->start;
	line = tally_jit_find_line(&jit, start + 0xf, &span);
	assert_non_null(line);
	assert_int_equal(line->line, 5);
	assert_int_equal(span.start, start + 8);
	assert_int_equal(span.end, start + 0x10);
	/* The marker "the same file" refers to the preceding entry in the dump. */
	assert_string_equal(line->file, "a.js");
	assert_int_equal(tally_jit_find_line(&jit, start + 0x3f, &span)->line, 7);
	assert_string_equal(tally_jit_find_line(&jit, start + 0x3f, &span)->file, "b.js");
	assert_null(tally_jit_find_line(&jit, start + 0x40, &span));
	start = tally_jit_find(&jit, 0x1000, 120)->symbol->start;
	assert_null(tally_jit_find_line(&jit, start, &span));
	assert_int_equal(jit.nr_skipped, 0);
	tally_jit_free(&jit);
	jit_image_free(&image);
}

/* Line entries outside the function are invalid and are skipped. */
static void skips_lines_outside_of_the_function(void **state)
{
	static const struct jit_image_line list[] = {{0x1000, 3, "a.js"}, {0x1041, 5, "b.js"}};
	struct jit_image image = jit_image_begin(7, false);
	struct tally_jit jit = {0};

	jit_image_lines(&image, 90, 0x1000, list, 2);
	jit_image_load(&image, 100, 0x1000, 0x40, 1, "f");
	jit_image_lines(&image, 110, 0x2008, list, 1);
	jit_image_load(&image, 120, 0x2008, 0x40, 2, "g");
	parse(&image, &jit);
	assert_int_equal(jit.codes.len, 2);
	assert_int_equal(jit.lines.len, 0);
	assert_int_equal(jit.nr_skipped, 2);
	tally_jit_free(&jit);
	jit_image_free(&image);
}

/* V8's line addresses are all 64 bytes too high. */
static void corrects_line_addresses_of_v8(void **state)
{
	static const struct jit_image_line list[] = {
		{0x1040, 3, "a.js"},
		{0x1048, 5, "a.js"},
		{0x107f, 7, "a.js"},
		{0x1080, 9, "a.js"},
	};
	struct jit_image image = jit_image_begin(7, false);
	struct tally_jit jit = {0};
	struct tally_span span;
	uint64_t start;

	jit_image_lines(&image, 90, 0x1000, list, 4);
	jit_image_load(&image, 100, 0x1000, 0x40, 1, "f");
	parse(&image, &jit);
	start = tally_jit_find(&jit, 0x1000, 100)->symbol->start;
	assert_int_equal(tally_jit_find_line(&jit, start, &span)->line, 3);
	assert_int_equal(tally_jit_find_line(&jit, start + 8, &span)->line, 5);
	assert_int_equal(tally_jit_find_line(&jit, start + 0x3f, &span)->line, 7);
	tally_jit_free(&jit);
	jit_image_free(&image);
}

/* A dump that is still being written is read in chunks that may end anywhere. */
static void reads_a_dump_in_pieces(void **state)
{
	struct jit_image image = jit_image_begin(7, false);

	jit_image_load(&image, 100, 0x1000, 0x40, 1, "first");
	jit_image_move(&image, 200, 0x1000, 0x3000, 0x40, 1);
	jit_image_load(&image, 300, 0x1000, 0x40, 2, "second");
	for (size_t first = JIT_IMAGE_HEADER; first <= image.len; first++) {
		struct tally_jit jit = {0};
		size_t used = 0, more = 0;

		assert_int_equal(tally_jitdump_parse(image.data, first, 0, &jit, &used, NULL), 0);
		assert_int_equal(tally_jit_finish(&jit), 0);
		assert_true(used <= first);
		assert_int_equal(tally_jitdump_parse(image.data + used, image.len - used, used,
						     &jit, &more, NULL),
				 0);
		assert_int_equal(tally_jit_finish(&jit), 0);
		assert_int_equal(used + more, image.len);
		assert_string_equal(name_when(&jit, 0x3000, 250), "first");
		assert_string_equal(name_when(&jit, 0x1000, 300), "second");
		assert_int_equal(jit.nr_skipped, 0);
		tally_jit_free(&jit);
	}
	jit_image_free(&image);
}

static void rejects_wrong_headers(void **state)
{
	static const struct {
		size_t at;
		uint32_t value;
	} changes[] = {{0, 0x46454c7f}, {4, 2}, {8, 39}, {8, 0x10000}};
	struct jit_image image = jit_image_begin(7, false);
	struct tally_jit jit = {0};
	size_t used;

	jit_image_load(&image, 100, 0x1000, 0x40, 1, "f");
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		uint8_t *copy = malloc(image.len);

		memcpy(copy, image.data, image.len);
		memcpy(copy + changes[i].at, &changes[i].value, 4);
		assert_int_equal(tally_jitdump_parse(copy, image.len, 0, &jit, &used, NULL),
				 -EBADMSG);
		free(copy);
	}
	for (size_t len = 0; len < JIT_IMAGE_HEADER; len++)
		assert_int_equal(tally_jitdump_parse(image.data, len, 0, &jit, &used, NULL),
				 -ENODATA);
	tally_jit_free(&jit);
	jit_image_free(&image);
}

/* Records with wrong sizes are skipped, and later records are read. */
static void skips_records_with_wrong_sizes(void **state)
{
	static const struct {
		size_t at; /* offset in the record */
		uint64_t value;
	} changes[] = {
		{16 + 24, 0},
		{16 + 24, 0x41},
		{16 + 24, UINT64_MAX},
		{16 + 16, UINT64_MAX - 0x3f},
	};

	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		struct jit_image image = jit_image_begin(7, false);
		struct tally_jit jit = {0};

		jit_image_load(&image, 100, 0x1000, 0x40, 1, "bad");
		memcpy(image.data + JIT_IMAGE_HEADER + changes[i].at, &changes[i].value, 8);
		jit_image_load(&image, 200, 0x2000, 0x40, 2, "good");
		assert_int_equal(parse(&image, &jit), image.len);
		assert_int_equal(jit.nr_skipped, 1);
		assert_int_equal(jit.codes.len, 1);
		assert_string_equal(name_when(&jit, 0x2000, 200), "good");
		tally_jit_free(&jit);
		jit_image_free(&image);
	}
}

/* An invalid record ends the dump. So do zeros, which may be left by a crash. */
static void an_invalid_record_ends_the_dump(void **state)
{
	struct jit_image image = jit_image_begin(7, false);
	struct tally_jit jit = {0};
	size_t bad;

	jit_image_load(&image, 100, 0x1000, 0x40, 1, "good");
	bad = image.len;
	jit_image_load(&image, 200, 0x2000, 0x40, 2, "lost");
	memset(image.data + bad, 0, 16);
	assert_int_equal(parse(&image, &jit), image.len);
	assert_string_equal(name_when(&jit, 0x1000, 200), "good");
	assert_null(name_when(&jit, 0x2000, 200));
	assert_int_equal(jit.nr_skipped, 1);
	tally_jit_free(&jit);
	jit_image_free(&image);
}

/* Add a million functions at one address, and do a million lookups with different timestamps. */
static void finds_a_million_functions_at_one_address(void **state)
{
	enum { MANY = 1000000 };
	struct jit_image image = jit_image_begin(7, false);
	struct tally_jit jit = {0};

	for (uint64_t i = 0; i < MANY; i++)
		jit_image_load(&image, i, 0x1000, 1, i, "f");
	parse(&image, &jit);
	assert_int_equal(jit.codes.len, MANY);
	for (uint64_t i = 0; i < MANY; i++) {
		/* Alternate between early and late timestamps, so that no lookup benefits from the
		 * previous one. */
		uint64_t time = i & 1 ? MANY - i : i;

		assert_int_equal(tally_jit_find(&jit, 0x1000, time)->time, time);
	}
	tally_jit_free(&jit);
	jit_image_free(&image);
}

static void arch_clock(void **state)
{
	struct jit_image image = jit_image_begin(7, false);
	struct tally_jit jit = {0};
	uint64_t flags = 1;

	memcpy(image.data + 32, &flags, 8);
	parse(&image, &jit);
	assert_true(tally_jitdump_header(&jit)->has_arch_clock);
	tally_jit_free(&jit);
	jit_image_free(&image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_code_by_time),
		cmocka_unit_test(identifies_code_by_its_offset_in_the_dump),
		cmocka_unit_test(follows_moved_code),
		cmocka_unit_test(sorts_records_by_time),
		cmocka_unit_test(finds_lines_of_code),
		cmocka_unit_test(skips_lines_outside_of_the_function),
		cmocka_unit_test(corrects_line_addresses_of_v8),
		cmocka_unit_test(reads_a_dump_in_pieces),
		cmocka_unit_test(rejects_wrong_headers),
		cmocka_unit_test(skips_records_with_wrong_sizes),
		cmocka_unit_test(an_invalid_record_ends_the_dump),
		cmocka_unit_test(finds_a_million_functions_at_one_address),
		cmocka_unit_test(arch_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
