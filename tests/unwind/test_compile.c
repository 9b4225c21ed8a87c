/* SPDX-License-Identifier: BSD-2-Clause */
/* Compile rules from CFI and code: stubs, trampolines, entry points, and overlapping entries. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>
#include <errno.h>
#include <stdlib.h>

#include "base/arith.h"
#include "frame_bytes.h"
#include "rule_text.h"
#include "unwind/arch.h"
#include "unwind/compile.h"

enum { VADDR = 0x400000, OFFSET = 0x1000, CODE = 0x1000 };

/* A file with one segment of code, which has no rules initially. */
struct subject {
	uint8_t code[CODE];
	struct frame_bytes frames, debug_frames;
	struct tally_unwind_segment segment;
	struct tally_unwind_piece piece;
	struct tally_cfi_section sections[2];
	struct tally_unwind_stubs stubs[2];
	struct tally_unwind_source source;
	struct tally_unwind_table table;
	void *block;
};

static struct subject subject;

static int begin(void **state)
{
	memset(&subject, 0, sizeof(subject));
	memset(subject.code, 0x06, sizeof(subject.code));
	subject.debug_frames.is_debug = true;
	subject.segment = (struct tally_unwind_segment){VADDR, CODE, OFFSET};
	subject.piece = (struct tally_unwind_piece){OFFSET, CODE, subject.code};
	subject.source = (struct tally_unwind_source){.machine = EM_X86_64,
						      .segments = &subject.segment,
						      .nr_segments = 1,
						      .code = &subject.piece,
						      .nr_code = 1,
						      .sections = subject.sections,
						      .stubs = subject.stubs};
	return 0;
}

static int end(void **state)
{
	free(subject.block);
	return 0;
}

static int compile(void)
{
	size_t len;
	int ret;

	if (subject.frames.len)
		subject.sections[subject.source.nr_sections++] = section_of(&subject.frames, 0);
	if (subject.debug_frames.len)
		subject.sections[subject.source.nr_sections++] =
			section_of(&subject.debug_frames, 0);
	ret = tally_unwind_compile(&subject.source, &subject.block, &len);
	if (!ret)
		assert_int_equal(tally_unwind_table_open(subject.block, len, &subject.table), 0);
	return ret;
}

/* Return the rule at an offset in the code. */
static const char *at(uint64_t offset)
{
	return rule_text(&subject.table, OFFSET + offset);
}

static void code_put(size_t offset, const void *code, size_t len)
{
	memcpy(subject.code + offset, code, len);
}

/* Add a function at VADDR + `offset` with the CFA %rsp + 8. */
static void function(struct frame_bytes *frames, uint64_t offset, uint64_t size)
{
	code_entry(frames, common_plain(frames), VADDR + offset, size, NULL, 0);
}

/* ---- entries ------------------------------------------------------------------------------- */

static void fails_without_any_rule(void **state)
{
	assert_int_equal(compile(), -ENODATA);
}

static void fails_for_unknown_machines(void **state)
{
	function(&subject.frames, 0, 0x10);
	subject.source.machine = EM_S390;
	assert_int_equal(compile(), -ENOTSUP);
}

static void tables_use_file_offsets(void **state)
{
	function(&subject.frames, 0x20, 0x10);
	assert_int_equal(compile(), 0);
	assert_string_equal(at(0x1f), "none");
	assert_string_equal(at(0x20), "7+8 16@-8");
	assert_string_equal(at(0x2f), "7+8 16@-8");
	assert_string_equal(at(0x30), "none");
	assert_int_equal(subject.table.head.code_start, OFFSET);
	assert_int_equal(subject.table.head.code_end, OFFSET + CODE);
	assert_false(subject.table.head.is_partial);
}

static void ignores_entries_outside_of_code(void **state)
{
	struct frame_bytes *frames = &subject.frames;
	size_t common = common_plain(frames);

	code_entry(frames, common, VADDR - 0x10, 0x20, NULL, 0); /* starts before the code */
	code_entry(frames, common, VADDR + CODE, 0x20, NULL, 0);
	code_entry(frames, common, VADDR + 0x100, 0, NULL, 0); /* empty */
	code_entry(frames, common, UINT64_MAX, UINT64_MAX, NULL, 0);
	code_entry(frames, common, VADDR + CODE - 8, 0x100, NULL, 0); /* ends after the code */
	assert_int_equal(compile(), 0);
	assert_string_equal(at(0), "none");
	assert_string_equal(at(0x100), "none");
	assert_string_equal(at(CODE - 9), "none");
	assert_string_equal(at(CODE - 8), "7+8 16@-8");
	assert_string_equal(at(CODE), "none");
}

/* Offsets in tables have 32 bits. */
static void ignores_offsets_above_32_bits(void **state)
{
	function(&subject.frames, 0, 0x10);
	subject.segment.offset = subject.piece.offset = UINT32_MAX - 4;
	assert_int_equal(compile(), -ENODATA);
}

static void ignores_entries_with_another_return_register(void **state)
{
	struct frame_bytes *frames = &subject.frames;
	size_t common = common_begin(frames, 1, "", 5);

	put(frames, (uint8_t[]){0x0c, RSP, 8}, 3);
	entry_end(frames);
	code_entry(frames, common, VADDR, 0x10, NULL, 0);
	assert_int_equal(compile(), -ENODATA);
}

/* .eh_frame takes precedence over .debug_frame, which only adds rules for other code. */
static void prefers_eh_frame_to_debug_frame(void **state)
{
	static const uint8_t program[] = {0x0e, 16};
	struct frame_bytes *frames = &subject.debug_frames;
	size_t common = common_plain(frames);

	function(&subject.frames, 0x20, 0x10);
	code_entry(frames, common, VADDR + 0x20, 0x10, program, sizeof(program));
	code_entry(frames, common, VADDR + 0x40, 0x10, program, sizeof(program));
	assert_int_equal(compile(), 0);
	assert_string_equal(at(0x20), "7+8 16@-8");
	assert_string_equal(at(0x40), "7+16 16@-8");
}

/* Entries for code that the linker discarded have address 0, where libraries have other code. */
static void ignores_entries_of_discarded_code(void **state)
{
	static const uint8_t program[] = {0x0e, 64};
	struct frame_bytes *frames = &subject.debug_frames;

	subject.segment.vaddr = 0;
	code_entry(frames, common_plain(frames), 0, 0x800, program, sizeof(program));
	code_entry(frames, common_plain(frames), 0x100, 0x10, NULL, 0);
	assert_int_equal(compile(), 0);
	assert_string_equal(at(0x80), "none");
	assert_string_equal(at(0x100), "7+8 16@-8");
}

/* A broken entry, or a section that ends in broken data, does not affect other entries. */
static void keeps_other_entries_next_to_broken_ones(void **state)
{
	static const uint8_t bad[] = {0x44, 0x3f};
	struct frame_bytes *frames = &subject.frames;
	size_t common = common_plain(frames);

	code_entry(frames, common, VADDR, 0x10, bad, sizeof(bad));
	code_entry(frames, common, VADDR + 0x20, 0x10, NULL, 0);
	put_u32(frames, 0x7fffffff);
	assert_int_equal(compile(), 0);
	assert_string_equal(at(0), "7+8 16@-8");
	assert_string_equal(at(4), "none");
	assert_string_equal(at(0x20), "7+8 16@-8");
	assert_true(subject.table.head.is_partial);
}

/* Compile a table that has rows but no rules. */
static void fails_if_no_entry_has_a_rule(void **state)
{
	static const uint8_t bad[] = {0x3f};
	struct frame_bytes *frames = &subject.frames;
	size_t common = common_begin(frames, 1, "", RIP);

	entry_end(frames);
	code_entry(frames, common, VADDR, 0x10, bad, sizeof(bad));
	assert_int_equal(compile(), 0);
	assert_string_equal(at(0), "none");
	assert_int_equal(subject.table.head.nr_words, 0);
	assert_false(subject.table.head.has_frame_pointers);
}

/* ---- entry points ------------------------------------------------------------------------- */

static void marks_the_entry_point_as_outermost(void **state)
{
	function(&subject.frames, 0x30, 0x10);
	subject.source.entry = VADDR + 0x10;
	assert_int_equal(compile(), 0);
	assert_string_equal(at(0xf), "none");
	assert_string_equal(at(0x10), "outermost");
	assert_string_equal(at(0x2f), "outermost");
	assert_string_equal(at(0x30), "7+8 16@-8");
	assert_string_equal(at(0x40), "none");
}

/* Existing rules for the entry point are kept. glibc's rules mark the outermost frame. */
static void keeps_rules_of_the_entry_point(void **state)
{
	function(&subject.frames, 0x10, 0x10);
	subject.source.entry = VADDR + 0x10;
	assert_int_equal(compile(), 0);
	assert_string_equal(at(0x10), "7+8 16@-8");
}

/* ---- stubs ----------------------------------------------------------------------------------- */

struct stub_row {
	const char *name;
	uint16_t machine;
	uint8_t len, code[64];
	struct {
		uint8_t at;
		const char *text;
	} rules[8];
};

#define X86_BEFORE "7+8 16@-8"
#define X86_PUSHED "7+16 16@-8"
#define X86_FIRST  "7+24 16@-8"

static const struct stub_row stub_rows[] = {
	{"ld, bound lazily",
	 EM_X86_64,
	 32,
	 {0xff, 0x35, 1, 1, 1, 1, 0xff, 0x25, 1, 1, 1, 1,    0x0f, 0x1f, 0x40, 0,
	  0xff, 0x25, 1, 1, 1, 1, 0x68, 0,    0, 0, 0, 0xe9, 1,    1,    1,    1},
	 {{0, X86_PUSHED},
	  {5, X86_PUSHED},
	  {6, X86_FIRST},
	  {12, X86_BEFORE},
	  {16, X86_BEFORE},
	  {26, X86_BEFORE},
	  {27, X86_PUSHED},
	  {31, X86_PUSHED}}},
	{"ld, with endbr64",
	 EM_X86_64,
	 32,
	 {0xff, 0x35, 1,    1,    1,    1, 0xf2, 0xff, 0x25, 1,    1,    1, 1, 0x0f, 0x1f, 0,
	  0xf3, 0x0f, 0x1e, 0xfa, 0x68, 0, 0,    0,    0,    0xf2, 0xe9, 1, 1, 1,    1,    0x90},
	 {{6, X86_FIRST}, {16, X86_BEFORE}, {20, X86_BEFORE}, {25, X86_PUSHED}, {30, X86_PUSHED}}},
	{".plt.sec",
	 EM_X86_64,
	 32,
	 {0xf3, 0x0f, 0x1e, 0xfa, 0xff, 0x25, 1, 1, 1, 1, 0x66, 0x0f, 0x1f, 0x44, 0, 0,
	  0xf3, 0x0f, 0x1e, 0xfa, 0xff, 0x25, 1, 1, 1, 1, 0x66, 0x0f, 0x1f, 0x44, 0, 0},
	 {{0, X86_BEFORE}, {15, X86_BEFORE}, {31, X86_BEFORE}}},
	{"a static program's, 8 bytes each",
	 EM_X86_64,
	 24,
	 {0xff, 0x25, 1,    1,    1,    1,    0x66, 0x90, 0xff, 0x25, 1,    1,
	  1,    1,    0x66, 0x90, 0xff, 0x25, 1,    1,    1,    1,    0x66, 0x90},
	 {{0, X86_BEFORE}, {6, X86_BEFORE}, {11, X86_BEFORE}, {23, X86_BEFORE}}},
	{"mold",
	 EM_X86_64,
	 32,
	 {0xf3, 0x0f, 0x1e, 0xfa, 0x41, 0x53, 0xff, 0x35, 1,    1,    1, 1, 0xff, 0x25, 1,    1,
	  1,    1,    0xcc, 0xcc, 0xf3, 0x0f, 0x1e, 0xfa, 0x41, 0xbb, 0, 0, 0,    0,    0x90, 0x90},
	 {{0, X86_BEFORE},
	  {6, X86_PUSHED},
	  {11, X86_PUSHED},
	  {12, X86_FIRST},
	  {18, X86_BEFORE},
	  {31, X86_BEFORE}}},
	{"an instruction that is not known",
	 EM_X86_64,
	 16,
	 {0x68, 0, 0, 0, 0, 0xe8, 1, 1, 1, 1, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90},
	 {{0, X86_BEFORE}, {5, "none"}, {15, "none"}}},
	{"an instruction that is cut",
	 EM_X86_64,
	 3,
	 {0x90, 0x68, 0},
	 {{0, X86_BEFORE}, {1, "none"}, {2, "none"}}},
	{"AArch64",
	 EM_AARCH64,
	 48,
	 {0xf0, 0x7b, 0xbf, 0xa9, 0x10, 0,    0,    0x90, 0x11, 0xfe, 0x47, 0xf9,
	  0x10, 0xe2, 0x3f, 0x91, 0x20, 0x02, 0x1f, 0xd6, 0x1f, 0x20, 0x03, 0xd5,
	  0x1f, 0x20, 0x03, 0xd5, 0x1f, 0x20, 0x03, 0xd5, 0x10, 0,    0,    0xb0,
	  0x11, 0x02, 0x40, 0xf9, 0x10, 0x02, 0,    0x91, 0x20, 0x02, 0x1f, 0xd6},
	 {{0, "31+0"},
	  {4, "31+16 30@-8"},
	  {16, "31+16 30@-8"},
	  {20, "31+0"},
	  {32, "31+0"},
	  {44, "31+0"}}},
	/* bti c at the start; autia1716 before the jump */
	{"AArch64, with branch protection",
	 EM_AARCH64,
	 32,
	 {0x5f, 0x24, 0x03, 0xd5, 0xf0, 0x7b, 0xbf, 0xa9, 0x10, 0,    0,
	  0x90, 0x11, 0xfe, 0x47, 0xf9, 0x10, 0xe2, 0x3f, 0x91, 0x20, 0x02,
	  0x1f, 0xd6, 0x1f, 0x20, 0x03, 0xd5, 0x5f, 0x24, 0x03, 0xd5},
	 {{0, "31+0"}, {4, "31+0"}, {8, "31+16 30@-8"}, {23, "31+16 30@-8"}, {24, "31+0"}}},
};

static void generates_rules_for_stubs(void **state)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(stub_rows); i++) {
		const struct stub_row *row = &stub_rows[i];

		begin(NULL);
		subject.source.machine = row->machine;
		subject.source.nr_stubs = 1;
		subject.stubs[0] = (struct tally_unwind_stubs){VADDR + 0x40, row->len};
		code_put(0x40, row->code, row->len);
		assert_int_equal(compile(), 0);
		for (int j = 0; j < 8 && row->rules[j].text; j++) {
			const char *text = at(0x40u + row->rules[j].at);

			if (strcmp(text, row->rules[j].text))
				fail_msg("%s: at %u: %s", row->name, row->rules[j].at, text);
		}
		assert_string_equal(at(0x3f), "none");
		assert_string_equal(at(0x40 + (uint64_t)row->len), "none");
		end(NULL);
	}
	subject.block = NULL;
}

/* Stubs generated by ld have rules, which are kept. */
static void keeps_rules_of_stubs(void **state)
{
	code_put(0x40, stub_rows[0].code, stub_rows[0].len);
	subject.source.nr_stubs = 1;
	subject.stubs[0] = (struct tally_unwind_stubs){VADDR + 0x40, 32};
	function(&subject.frames, 0x40, 32);
	assert_int_equal(compile(), 0);
	assert_string_equal(at(0x46), "7+8 16@-8");
}

static void ignores_stubs_outside_of_code(void **state)
{
	subject.source.nr_stubs = 2;
	subject.stubs[0] = (struct tally_unwind_stubs){VADDR + CODE, 16};
	subject.stubs[1] = (struct tally_unwind_stubs){VADDR + CODE - 4, UINT64_MAX};
	code_put(CODE - 4, (uint8_t[]){0x90, 0x90, 0x90, 0x68}, 4);
	assert_int_equal(compile(), 0);
	assert_string_equal(at(CODE - 4), "7+8 16@-8");
	assert_string_equal(at(CODE - 1), "none");
}

/* ---- signal trampolines --------------------------------------------------------------------- */

static const uint8_t restore_rt[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};

/* musl's trampoline has no rule, but the code before it does. */
static void finds_trampolines_without_rules(void **state)
{
	code_put(0x100, restore_rt, sizeof(restore_rt));
	code_put(0x200, (uint8_t[]){0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05}, 7);
	function(&subject.frames, 0x40, 0x10);
	assert_int_equal(compile(), 0);
	assert_string_equal(at(0xfe), "none");
	/* The byte before the trampoline also needs the rule, in case an unwinder mistakes the
	 * trampoline for a caller. */
	assert_string_equal(at(0xff), "context");
	assert_string_equal(at(0x100), "context");
	assert_string_equal(at(0x108), "context");
	assert_string_equal(at(0x109), "none");
	assert_string_equal(at(0x200), "context");
	assert_string_equal(at(0x207), "none");
}

/* A trampoline at the start of the code has no byte before it. */
static void finds_a_trampoline_at_the_start_of_code(void **state)
{
	code_put(0, restore_rt, sizeof(restore_rt));
	assert_int_equal(compile(), 0);
	assert_string_equal(rule_text(&subject.table, OFFSET - 1), "none");
	assert_string_equal(at(0), "context");
	assert_int_equal(subject.table.starts[0], subject.table.head.code_start);
}

/* Ordinary functions with rules are not searched for trampolines, but signal frames and small
 * functions in .debug_frame are. */
static void does_not_search_trampolines_in_ordinary_functions(void **state)
{
	code_put(0x100, restore_rt, sizeof(restore_rt));
	function(&subject.frames, 0xf0, 0x100);
	function(&subject.debug_frames, 0x300, 0x100);
	code_put(0x310, restore_rt, sizeof(restore_rt));
	assert_int_equal(compile(), 0);
	assert_string_equal(at(0x100), "7+8 16@-8");
	assert_string_equal(at(0x310), "7+8 16@-8");
}

/* Go's rules describe its trampoline as an ordinary function. */
static void finds_trampolines_of_go(void **state)
{
	function(&subject.debug_frames, 0x100, 0x10);
	code_put(0x102, restore_rt, sizeof(restore_rt));
	assert_int_equal(compile(), 0);
	assert_string_equal(at(0x100), "7+8 16@-8");
	assert_string_equal(at(0x102), "context");
	assert_string_equal(at(0x10a), "context");
	assert_string_equal(at(0x10b), "7+8 16@-8");
}

/* Add an FDE for signal code. Several FDEs may describe the same code. */
static void signal_entry(size_t common, uint64_t offset, uint64_t size)
{
	code_begin(&subject.frames, common);
	put_u64(&subject.frames, VADDR + offset);
	put_u64(&subject.frames, size);
	put_uleb(&subject.frames, 0);
	entry_end(&subject.frames);
}

static size_t signal_common(void)
{
	size_t common = common_begin(&subject.frames, 1, "zS", RIP);

	put_uleb(&subject.frames, 0);
	put(&subject.frames, (uint8_t[]){0x0c, RSP, 8, 0x80 | RIP, 1}, 5);
	entry_end(&subject.frames);
	return common;
}

/* Find trampolines that have rules, like those in the vdso and in glibc. */
static void finds_trampolines_with_rules(void **state)
{
	signal_entry(signal_common(), 0xff, 0x20);
	code_put(0x100, restore_rt, sizeof(restore_rt));
	assert_int_equal(compile(), 0);
	assert_string_equal(at(0xff), "context");
	assert_string_equal(at(0x108), "context");
	assert_string_equal(at(0x109), "7+8 16@-8 signal");
}

/* Code that many entries share is searched only once. Other trampolines must be found as well:
 * across the end of an entry, at the end of the last entry, and without rules. */
static void finds_trampolines_in_overlapping_entries(void **state)
{
	size_t common = signal_common();

	for (unsigned i = 0; i < 40; i++)
		signal_entry(common, 0x100 + i % 2, 0x40);
	signal_entry(common, 0x120, 0x100);
	code_put(0x108, restore_rt, sizeof(restore_rt));
	code_put(0x141 - 4, restore_rt, sizeof(restore_rt));
	code_put(0x220 - sizeof(restore_rt), restore_rt, sizeof(restore_rt));
	code_put(0x300, restore_rt, sizeof(restore_rt));
	assert_int_equal(compile(), 0);
	assert_string_equal(at(0x100), "7+8 16@-8 signal");
	assert_string_equal(at(0x108), "context");
	assert_string_equal(at(0x141), "context");
	assert_string_equal(at(0x150), "7+8 16@-8 signal");
	assert_string_equal(at(0x21f), "context");
	assert_string_equal(at(0x300), "context");
}

/* Signal entries larger than 4096 bytes are not searched for trampolines. */
static void searches_only_small_signal_entries(void **state)
{
	static uint8_t code[3 * 4096];
	size_t common = signal_common();

	memset(code, 0x06, sizeof(code));
	memcpy(code + 0x100, restore_rt, sizeof(restore_rt));
	memcpy(code + 4097 + 0x100, restore_rt, sizeof(restore_rt));
	subject.piece.data = code;
	subject.segment.size = subject.piece.size = sizeof(code);
	signal_entry(common, 0, 4097);
	signal_entry(common, 4097, 4096);
	assert_int_equal(compile(), 0);
	assert_string_equal(at(0x100), "7+8 16@-8 signal");
	assert_string_equal(at(4097 + 0x100), "context");
}

static void finds_trampolines_of_arm64(void **state)
{
	static const uint8_t code[] = {0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4};

	subject.source.machine = EM_AARCH64;
	code_put(0x100, code, sizeof(code));
	assert_int_equal(compile(), 0);
	assert_string_equal(at(0x100), "context");
	assert_string_equal(at(0x107), "context");
	assert_string_equal(at(0x108), "none");
}

static void limits_the_number_of_trampolines(void **state)
{
	for (size_t i = 0; i + 16 <= CODE; i += 16)
		code_put(i, restore_rt, sizeof(restore_rt));
	assert_int_equal(compile(), 0);
	assert_true(subject.table.head.nr_rows <= 2 * 16 + 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(fails_without_any_rule),
		TEST(fails_for_unknown_machines),
		TEST(tables_use_file_offsets),
		TEST(ignores_entries_outside_of_code),
		TEST(ignores_offsets_above_32_bits),
		TEST(ignores_entries_with_another_return_register),
		TEST(prefers_eh_frame_to_debug_frame),
		TEST(ignores_entries_of_discarded_code),
		TEST(keeps_other_entries_next_to_broken_ones),
		TEST(fails_if_no_entry_has_a_rule),
		TEST(marks_the_entry_point_as_outermost),
		TEST(keeps_rules_of_the_entry_point),
		TEST(generates_rules_for_stubs),
		TEST(keeps_rules_of_stubs),
		TEST(ignores_stubs_outside_of_code),
		TEST(finds_trampolines_without_rules),
		TEST(finds_a_trampoline_at_the_start_of_code),
		TEST(does_not_search_trampolines_in_ordinary_functions),
		TEST(finds_trampolines_of_go),
		TEST(finds_trampolines_with_rules),
		TEST(finds_trampolines_in_overlapping_entries),
		TEST(searches_only_small_signal_entries),
		TEST(finds_trampolines_of_arm64),
		TEST(limits_the_number_of_trampolines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
