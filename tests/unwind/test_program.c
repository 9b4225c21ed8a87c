/* SPDX-License-Identifier: BSD-2-Clause */
/* All call frame instructions, and the resulting rules at offsets in the code. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>
#include <errno.h>
#include <string.h>

#include "base/arith.h"
#include "rule_text.h"
#include "unwind/unwind_program.h"

enum { START = 0x10000, SIZE = 0x1000, PLACE = 0x400 }; /* PLACE: offset of START in the table */

struct made {
	struct tally_unwind_build build;
	struct tally_unwind_table table;
	void *block;
	int ret; /* result of the run */
};

/* Run a program. Its CIE begins with `common`. */
static struct made make(const uint8_t *common, size_t common_len, const uint8_t *code, size_t len,
			uint64_t budget)
{
	struct made made = {.build = {.max_words = 4096}};
	const struct tally_unwind_arch *arch = tally_unwind_arch(EM_X86_64);
	struct tally_unwind_range stretch = {.start = PLACE, .end = PLACE + SIZE};
	struct tally_cfi_run run = {.arch = arch,
				    .build = &made.build,
				    .shift = PLACE - (uint64_t)START,
				    .budget = budget};
	struct tally_cfi_entry entry = {.common = {.code_align = 1,
						   .data_align = -8,
						   .ra = 16,
						   .start = {common, common_len}},
					.start = START,
					.size = SIZE,
					.program = {code, len}};
	size_t block_len;

	assert_int_equal(tally_unwind_build_begin(&made.build, &stretch), 0);
	made.ret = tally_cfi_run(&run, &entry, PLACE + SIZE);
	assert_int_equal(tally_unwind_build_finish(&made.build, arch, &made.block, &block_len), 0);
	assert_int_equal(tally_unwind_table_open(made.block, block_len, &made.table), 0);
	return made;
}

static void made_free(struct made *made)
{
	tally_unwind_build_free(&made->build);
	free(made->block);
}

/* All programs begin with these instructions: the CFA is %rsp + 8, and the return address is in the
 * word below the CFA. */
static const uint8_t common[] = {0x0c, 7, 8, 0x90, 1};

struct row {
	const char *name;
	uint8_t len, code[24];
	struct {
		unsigned at;
		const char *text;
	} rules[4];
};

static const struct row rows[] = {
	{"nothing", 0, {0}, {{0, "7+8 16@-8"}, {SIZE - 1, "7+8 16@-8"}, {SIZE, "none"}}},
	{"nop", 2, {0, 0}, {{0, "7+8 16@-8"}}},
	{"advance_loc", 3, {0x44, 0x0e, 16}, {{3, "7+8 16@-8"}, {4, "7+16 16@-8"}}},
	{"advance_loc by 0", 3, {0x40, 0x0e, 16}, {{0, "7+16 16@-8"}}},
	{"advance_loc1", 4, {2, 200, 0x0e, 16}, {{199, "7+8 16@-8"}, {200, "7+16 16@-8"}}},
	{"advance_loc2", 5, {3, 0, 3, 0x0e, 16}, {{0x2ff, "7+8 16@-8"}, {0x300, "7+16 16@-8"}}},
	{"advance_loc4",
	 7,
	 {4, 1, 3, 0, 0, 0x0e, 16},
	 {{0x300, "7+8 16@-8"}, {0x301, "7+16 16@-8"}}},
	{"advance beyond the end",
	 7,
	 {4, 0, 0, 1, 0, 0x0e, 16},
	 {{SIZE - 1, "7+8 16@-8"}, {SIZE, "none"}}},
	{"set_loc",
	 11,
	 {1, 0x20, 0, 1, 0, 0, 0, 0, 0, 0x0e, 16},
	 {{0x1f, "7+8 16@-8"}, {0x20, "7+16 16@-8"}}},
	{"set_loc backwards",
	 11,
	 {0x42, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0x0e},
	 {{0, "7+8 16@-8"}, {2, "none"}}},
	{"offset", 4, {0x0e, 16, 0x86, 2}, {{0, "7+16 6@-16 16@-8"}}},
	{"offset_extended", 5, {0x0e, 16, 5, 6, 2}, {{0, "7+16 6@-16 16@-8"}}},
	{"offset_extended_sf", 3, {0x11, 6, 0x7e}, {{0, "7+8 6@+16 16@-8"}}},
	{"negative_offset_extended", 3, {0x2f, 6, 2}, {{0, "7+8 6@+16 16@-8"}}},
	{"restore to nothing",
	 6,
	 {0x86, 1, 0x42, 0xc6, 0x42, 0},
	 {{0, "7+8 6@-8 16@-8"}, {2, "7+8 16@-8"}}},
	{"restore", 6, {0x90, 3, 0x42, 0xd0, 0x42, 0}, {{0, "7+8 16@-24"}, {2, "7+8 16@-8"}}},
	{"restore_extended",
	 7,
	 {0x90, 3, 0x42, 6, 16, 0x42, 0},
	 {{0, "7+8 16@-24"}, {2, "7+8 16@-8"}}},
	{"undefined", 2, {7, 6}, {{0, "7+8 6? 16@-8"}}},
	{"undefined return address", 4, {0x42, 7, 16, 0}, {{0, "7+8 16@-8"}, {2, "outermost"}}},
	{"same_value", 2, {8, 6}, {{0, "7+8 6same 16@-8"}}},
	{"register", 3, {9, 6, 3}, {{0, "7+8 6=r3 16@-8"}}},
	{"register that is not followed", 4, {0x42, 9, 6, 50}, {{1, "7+8 16@-8"}, {2, "none"}}},
	{"remember and restore",
	 10,
	 {0x0e, 16, 0x86, 2, 0x0a, 0x42, 0x0e, 32, 0xc6, 0x42},
	 {{0, "7+16 6@-16 16@-8"}, {2, "7+32 16@-8"}}},
	{"restore_state",
	 12,
	 {0x0e, 16, 0x86, 2, 0x0a, 0x42, 0x0e, 32, 0xc6, 0x42, 0x0b, 0x42},
	 {{0, "7+16 6@-16 16@-8"}, {2, "7+32 16@-8"}, {4, "7+16 6@-16 16@-8"}}},
	{"restore_state of nothing", 2, {0x42, 0x0b}, {{0, "7+8 16@-8"}, {2, "none"}}},
	{"def_cfa", 4, {0x0c, 6, 0x90, 1}, {{0, "6+144 16@-8"}}},
	{"def_cfa_sf", 3, {0x12, 6, 0x7e}, {{0, "6+16 16@-8"}}},
	{"def_cfa_register", 2, {0x0d, 6}, {{0, "6+8 16@-8"}}},
	{"def_cfa_offset", 2, {0x0e, 64}, {{0, "7+64 16@-8"}}},
	{"def_cfa_offset_sf", 2, {0x13, 0x7c}, {{0, "7+32 16@-8"}}},
	{"def_cfa_expression", 4, {0x0f, 2, 0x77, 8}, {{0, "{77 08} 16@-8"}}},
	{"CFA by a register that is not followed", 3, {0x0c, 50, 8}, {{0, "none"}}},
	/* While the CFA is an expression, a new offset is remembered, but does not change the
	 * expression. */
	{"def_cfa_register behind an expression",
	 9,
	 {0x0e, 56, 0x0f, 2, 0x77, 8, 0x42, 0x0d, 7},
	 {{0, "{77 08} 16@-8"}, {2, "7+56 16@-8"}}},
	{"def_cfa_offset behind an expression",
	 10,
	 {0x0f, 2, 0x77, 8, 0x0e, 0x80, 0x80, 1, 0x42, 0},
	 {{0, "{77 08} 16@-8"}}},
	{"def_cfa_offset_sf behind an expression",
	 9,
	 {0x0f, 2, 0x77, 8, 0x13, 0x7c, 0x42, 0x0d, 7},
	 {{0, "{77 08} 16@-8"}, {2, "7+32 16@-8"}}},
	{"expression", 5, {0x10, 6, 2, 0x77, 8}, {{0, "7+8 6@{77 08} 16@-8"}}},
	{"val_expression", 5, {0x16, 6, 2, 0x77, 8}, {{0, "7+8 6={77 08} 16@-8"}}},
	{"an empty expression", 3, {0x10, 6, 0}, {{0, "7+8 6@{} 16@-8"}}},
	{"an expression that is too long",
	 6,
	 {0x42, 0x0f, 100, 1, 2, 3},
	 {{0, "7+8 16@-8"}, {2, "none"}}},
	{"val_offset", 3, {0x14, 6, 2}, {{0, "7+8 6=cfa-16 16@-8"}}},
	{"val_offset_sf", 3, {0x15, 6, 0x7e}, {{0, "7+8 6=cfa+16 16@-8"}}},
	{"window_save, negate_ra_state", 4, {0x2c, 0x2d, 0x42, 0}, {{0, "7+8 16@-8"}}},
	{"GNU_args_size", 5, {0x2e, 0x80, 1, 0x0e, 16}, {{0, "7+16 16@-8"}}},
	{"a register beyond those that are followed", 3, {5, 50, 2}, {{0, "7+8 16@-8"}}},
	{"an instruction that is not known", 3, {0x42, 0x1c, 0}, {{0, "7+8 16@-8"}, {2, "none"}}},
	{"an instruction that is cut", 2, {0x42, 0x0e}, {{0, "7+8 16@-8"}, {2, "none"}}},
	{"an offset that is too large", 7, {0x86, 0x80, 0x80, 0x80, 0x80, 1, 0}, {{0, "none"}}},
	/* push %rbp; pop %rbp: the slot is below the stack pointer again, and %rbp has its original
	 * value. */
	{"a register that is back",
	 8,
	 {0x41, 0x0e, 16, 0x86, 2, 0x44, 0x0e, 8},
	 {{0, "7+8 16@-8"}, {1, "7+16 6@-16 16@-8"}, {5, "7+8 6same 16@-8"}}},
	{"a register that is back, by frame pointer",
	 11,
	 {0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x44, 0x0c, 7},
	 {{1, "7+16 6@-16 16@-8"}, {4, "6+16 6@-16 16@-8"}}},
	/* The slot is in the red zone from the start, and the function may use the red zone. */
	{"a register in the red zone",
	 5,
	 {0x41, 0x86, 2, 0x44, 0},
	 {{1, "7+8 6@-16 16@-8"}, {6, "7+8 6@-16 16@-8"}}},
};

static void executes_all_instructions(void **state)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(rows); i++) {
		struct made made = make(common, sizeof(common), rows[i].code, rows[i].len, 1 << 20);

		for (int j = 0; j < 4 && rows[i].rules[j].text; j++) {
			const char *text = rule_text(&made.table, PLACE + rows[i].rules[j].at);

			if (strcmp(text, rows[i].rules[j].text))
				fail_msg("%s: at %u: %s", rows[i].name, rows[i].rules[j].at, text);
		}
		made_free(&made);
	}
}

/* Check that instructions that are invalid in a CIE are rejected. */
static void rejects_instructions_that_a_cie_cannot_have(void **state)
{
	static const struct {
		uint8_t len, code[8];
	} bad[] = {{1, {0x41}}, {2, {2, 1}}, {1, {0x0b}}, {1, {0x1c}}};
	static const uint8_t restores[] = {0x0c, 7, 8, 0x90, 1, 0xd0};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(bad); i++) {
		struct made made = make(bad[i].code, bad[i].len, NULL, 0, 1 << 20);

		assert_int_equal(made.ret, -EINVAL);
		assert_string_equal(rule_text(&made.table, PLACE), "none");
		made_free(&made);
	}
	/* A CIE cannot restore a rule, because no rule is defined before it. */
	struct made made = make(restores, sizeof(restores), NULL, 0, 1 << 20);

	assert_string_equal(rule_text(&made.table, PLACE), "7+8");
	made_free(&made);
}

static void limits_the_depth_of_remembered_states(void **state)
{
	uint8_t code[64];

	for (int depth = 8; depth <= 9; depth++) {
		struct made made;

		memset(code, 0x0a, (size_t)depth);
		memset(code + depth, 0x0b, (size_t)depth);
		made = make(common, sizeof(common), code, 2 * (size_t)depth, 1 << 20);
		assert_string_equal(rule_text(&made.table, PLACE),
				    depth == 8 ? "7+8 16@-8" : "none");
		made_free(&made);
	}
}

/* The work would be quadratic if many FDEs shared a CIE with many instructions, so it is
 * limited. */
static void fails_if_the_budget_is_exceeded(void **state)
{
	static const uint8_t code[] = {0x41, 0x0e, 16};
	struct made made = make(common, sizeof(common), code, sizeof(code), sizeof(common) + 2);

	assert_int_equal(made.ret, -E2BIG);
	made_free(&made);
	made = make(common, sizeof(common), code, sizeof(code), sizeof(common) + 3);
	assert_int_equal(made.ret, 0);
	made_free(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(executes_all_instructions),
		cmocka_unit_test(rejects_instructions_that_a_cie_cannot_have),
		cmocka_unit_test(limits_the_depth_of_remembered_states),
		cmocka_unit_test(fails_if_the_budget_is_exceeded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
