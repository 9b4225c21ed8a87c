/* SPDX-License-Identifier: BSD-2-Clause */
/* Unwind complete stacks in generated memory, and check their frames and the reasons why the stacks
 * end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>
#include <string.h>

#include "base/arith.h"
#include "frame_bytes.h"
#include "unwind/unwind_build.h"
#include "unwind/rule_words.h"
#include "unwind/walk.h"

enum { STACK = 0x70000, WORDS = 256, MAX = 32 };

/* Mapped pages of 0x100 bytes, which contain functions with different rules. Page n is at address
 * 0x100 * n. */
enum page {
	PLAIN = 0x10, /* CFA: %rsp + 16 */
	ALSO_PLAIN,   /* the same rule in the next page */
	BY_POINTER,   /* CFA: %rbp + 16; the caller's %rbp is saved */
	OUTERMOST,
	TRAMPOLINE,     /* rule starts at the second byte, as if found by its instructions */
	STUCK,          /* CFA: %rsp */
	NO_RULE,        /* code with frame pointers */
	NO_RULE_AT_ALL, /* code without frame pointers */
	NO_FILE,
	ANONYMOUS,
	BY_EXPRESSION, /* CFA: the value of the word at %rsp + 8 */
	SLOW,          /* CFA: %rsp + 16, computed by an expression of 1000 operations */
	SLOW_REGISTER, /* like SLOW, with %rbx computed by an endless expression */
	NR_PAGES,
};

static uint64_t words[WORDS];
static struct tally_unwind_build build = {.max_words = 1000, .code_end = 0x10000};
static struct tally_unwind_table table;
static void *block;
static uint64_t not_behind_a_call;

static void rule(enum page page, uint32_t from, uint8_t cfa, uint8_t cfa_reg, int32_t value)
{
	struct tally_unwind_range stretch = {.start = 0x100u * (uint32_t)page + from,
					     .end = 0x100u * (uint32_t)page + 0x100};
	uint32_t regs[] = {rule_reg_pack((struct tally_unwind_reg){RBP, TALLY_REG_OFFSET, -16}),
			   rule_reg_pack((struct tally_unwind_reg){RIP, TALLY_REG_OFFSET, -8})};
	struct tally_unwind_rule made = {.cfa = cfa, .cfa_reg = cfa_reg, .cfa_value = value};

	made.is_signal = cfa == TALLY_CFA_CONTEXT;
	made.nr_regs = cfa == TALLY_CFA_REGISTER || cfa == TALLY_CFA_EXPRESSION ? 2 : 0;
	made.regs = regs;
	if (cfa_reg == RSP) {
		made.nr_regs--;
		made.regs++;
	}
	if (cfa == TALLY_CFA_EXPRESSION)
		assert_int_equal(tally_unwind_build_expression(&build, (uint8_t[]){0x77, 8, 0x06},
							       3, &made.cfa_value),
				 0);
	assert_int_equal(tally_unwind_build_begin(&build, &stretch), 0);
	assert_int_equal(tally_unwind_build_row(&build, stretch.start, &made), 0);
}

/* Add rules with unusually long expressions. */
static void slow_rules(void)
{
	uint8_t slow[1001] = {0x77, 16};
	int32_t value;
	uint32_t regs[] = {0, rule_reg_pack((struct tally_unwind_reg){RIP, TALLY_REG_OFFSET, -8})};
	struct tally_unwind_rule made = {.cfa = TALLY_CFA_EXPRESSION};

	memset(slow + 2, 0x96, sizeof(slow) - 2);
	assert_int_equal(tally_unwind_build_expression(&build, slow, sizeof(slow), &made.cfa_value),
			 0);
	assert_int_equal(
		tally_unwind_build_expression(&build, (uint8_t[]){0x2f, 0xfd, 0xff}, 3, &value), 0);
	regs[0] = rule_reg_pack((struct tally_unwind_reg){RBX, TALLY_REG_EXPRESSION, value});
	for (unsigned i = 0; i < 2; i++) {
		struct tally_unwind_range stretch = {.start = 0x100 * (SLOW + i)};

		stretch.end = stretch.start + 0x100;
		made.nr_regs = (uint8_t)(1 + i);
		made.regs = regs + 1 - i;
		assert_int_equal(tally_unwind_build_begin(&build, &stretch), 0);
		assert_int_equal(tally_unwind_build_row(&build, stretch.start, &made), 0);
	}
}

static int make(void **state)
{
	size_t len;

	rule(PLAIN, 0, TALLY_CFA_REGISTER, RSP, 16);
	rule(ALSO_PLAIN, 0, TALLY_CFA_REGISTER, RSP, 16);
	rule(BY_POINTER, 0, TALLY_CFA_REGISTER, RBP, 16);
	rule(OUTERMOST, 0, TALLY_CFA_NONE, 0, 0);
	rule(TRAMPOLINE, 1, TALLY_CFA_CONTEXT, 0, 0);
	rule(STUCK, 0, TALLY_CFA_REGISTER, RSP, 0);
	rule(BY_EXPRESSION, 0, TALLY_CFA_EXPRESSION, 0, 0);
	slow_rules();
	if (tally_unwind_build_finish(&build, tally_unwind_arch(EM_X86_64), &block, &len))
		return -1;
	return tally_unwind_table_open(block, len, &table);
}

static int unmake(void **state)
{
	tally_unwind_build_free(&build);
	free(block);
	return 0;
}

static const struct tally_unwind_code *find(void *arg, uint64_t ip)
{
	static struct tally_unwind_code code;
	uint64_t page = ip >> 8;

	code = (struct tally_unwind_code){.why = TALLY_UNWIND_UNMAPPED};
	if (page < PLAIN || page >= NR_PAGES)
		return &code;
	if (page == NO_FILE || page == ANONYMOUS) {
		code.why = page == NO_FILE ? TALLY_UNWIND_NO_FILE : TALLY_UNWIND_ANONYMOUS;
		code.may_have_pointer = page == ANONYMOUS;
		return &code;
	}
	code.table = &table;
	code.has_rule = tally_unwind_table_find(&table, ip, &code.rule);
	code.may_have_pointer = page != NO_RULE_AT_ALL;
	return &code;
}

static bool is_return(void *arg, uint64_t ip)
{
	return ip != not_behind_a_call;
}

/* Return the address at an offset in a page. */
static uint64_t in(enum page page, uint64_t offset)
{
	return 0x100 * (uint64_t)page + offset;
}

struct result {
	struct tally_unwind_step steps[MAX];
	struct tally_unwind_stack stack;
};

static struct result unwind(uint64_t ip, uint64_t sp, uint64_t fp, uint64_t nr_words)
{
	struct tally_unwind_thread thread = {
		.arch = tally_unwind_arch(EM_X86_64),
		.memory = {.stack = (const uint8_t *)words, .start = STACK, .len = 8 * nr_words},
		.find = find,
		.is_return = is_return};
	struct tally_unwind_regs regs = {.known = 0};
	struct result result;

	result.stack = (struct tally_unwind_stack){.steps = result.steps, .max = MAX};
	tally_unwind_reg_set(&regs, RIP, ip);
	tally_unwind_reg_set(&regs, RSP, sp);
	tally_unwind_reg_set(&regs, RBP, fp);
	tally_unwind_walk(&thread, &regs, &result.stack);
	return result;
}

static int clear(void **state)
{
	memset(words, 0, sizeof(words));
	not_behind_a_call = 0;
	return 0;
}

static void check(const struct result *result, enum tally_unwind_end end, size_t nr,
		  const uint64_t *calls)
{
	assert_string_equal(tally_unwind_end_text(result->stack.end), tally_unwind_end_text(end));
	assert_int_equal(result->stack.nr, nr);
	for (size_t i = 0; i < nr; i++)
		assert_int_equal(result->steps[i].call, calls[i]);
	assert_int_equal(result->stack.end_ip, result->steps[nr - 1].ip);
}

#define CHECK(result, end, ...) \
	check(result, end, sizeof((uint64_t[]){__VA_ARGS__}) / 8, (uint64_t[]){__VA_ARGS__})

/* ---- ends --------------------------------------------------------------------------------- */

static void ends_at_the_outermost_frame(void **state)
{
	struct result result;

	words[1] = in(PLAIN, 0x50);
	words[3] = in(OUTERMOST, 0x20);
	result = unwind(in(PLAIN, 0), STACK, 0, WORDS);
	CHECK(&result, TALLY_UNWIND_BOTTOM, in(PLAIN, 0), in(PLAIN, 0x4f), in(OUTERMOST, 0x1f));
	assert_int_equal(result.steps[1].ip, in(PLAIN, 0x50));
}

static void ends_at_a_return_address_of_0(void **state)
{
	struct result result = unwind(in(PLAIN, 8), STACK, 0, WORDS);

	CHECK(&result, TALLY_UNWIND_BOTTOM, in(PLAIN, 8));
}

static void ends_at_the_end_of_the_dump(void **state)
{
	struct result result;

	words[1] = in(PLAIN, 0x50);
	result = unwind(in(PLAIN, 0), STACK, 0, 3);
	CHECK(&result, TALLY_UNWIND_SHORT, in(PLAIN, 0), in(PLAIN, 0x4f));
	words[3] = in(BY_EXPRESSION, 0x10);
	result = unwind(in(PLAIN, 0), STACK, 0, 4);
	CHECK(&result, TALLY_UNWIND_SHORT, in(PLAIN, 0), in(PLAIN, 0x4f), in(BY_EXPRESSION, 0xf));
	result = unwind(in(PLAIN, 0), STACK, 0, 0);
	CHECK(&result, TALLY_UNWIND_SHORT, in(PLAIN, 0));
}

static void ends_at_code_without_rules(void **state)
{
	static const struct {
		enum page page;
		enum tally_unwind_end end;
	} rows[] = {{NO_RULE, TALLY_UNWIND_NO_RULES},
		    {NO_RULE_AT_ALL, TALLY_UNWIND_NO_RULES},
		    {NO_FILE, TALLY_UNWIND_NO_FILE},
		    {ANONYMOUS, TALLY_UNWIND_ANONYMOUS},
		    {NR_PAGES, TALLY_UNWIND_UNMAPPED}};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(rows); i++) {
		struct result result;

		words[1] = in(rows[i].page, 0x50);
		result = unwind(in(PLAIN, 0), STACK, 3, WORDS);
		CHECK(&result, rows[i].end, in(PLAIN, 0), in(rows[i].page, 0x4f));
	}
}

static void ends_at_frames_that_do_not_move_the_stack_pointer(void **state)
{
	struct result result;

	/* A caller's frame cannot be empty, because it contains at least the return address. */
	words[1] = in(STUCK, 0x50);
	words[2] = in(STUCK, 0x50);
	result = unwind(in(PLAIN, 0), STACK, 0, WORDS);
	CHECK(&result, TALLY_UNWIND_BAD_RULE, in(PLAIN, 0), in(STUCK, 0x4f));
	/* The next frame must not be at a lower address. */
	words[1] = in(BY_POINTER, 0x50);
	result = unwind(in(PLAIN, 0), STACK + 64, STACK, WORDS);
	assert_int_equal(result.stack.end, TALLY_UNWIND_BOTTOM);
	words[9] = in(BY_POINTER, 0x50);
	result = unwind(in(PLAIN, 0), STACK + 64, STACK, WORDS);
	CHECK(&result, TALLY_UNWIND_BAD_RULE, in(PLAIN, 0), in(BY_POINTER, 0x4f));
}

static void ends_at_the_limit_of_frames(void **state)
{
	struct result result;

	for (size_t i = 0; i < WORDS; i++)
		words[i] = in(PLAIN, 0x50);
	result = unwind(in(PLAIN, 0), STACK, 0, WORDS);
	assert_int_equal(result.stack.nr, MAX);
	assert_int_equal(result.stack.end, TALLY_UNWIND_LIMIT);
}

/* The expressions for one stack may execute 16384 operations in total, more than the expressions
 * for a single frame can. Expressions for registers that are not needed also count against the
 * limit: exceeding the limit ends the stack instead of making the register unknown. */
static void limits_expression_steps_of_a_stack(void **state)
{
	struct result result;

	for (size_t i = 0; i < WORDS; i++)
		words[i] = in(SLOW, 0x50);
	result = unwind(in(SLOW, 0), STACK, 0, WORDS);
	assert_int_equal(result.stack.nr, 17);
	assert_int_equal(result.stack.end, TALLY_UNWIND_BAD_RULE);
	for (size_t i = 0; i < WORDS; i++)
		words[i] = in(SLOW_REGISTER, 0x50);
	result = unwind(in(SLOW_REGISTER, 0), STACK, 0, WORDS);
	assert_int_equal(result.stack.nr, 9);
	assert_int_equal(result.stack.end, TALLY_UNWIND_BAD_RULE);
	/* The limit applies to each stack separately, so the next stack is complete. */
	words[1] = in(SLOW, 0x50);
	words[3] = in(OUTERMOST, 0x20);
	result = unwind(in(PLAIN, 0), STACK, 0, WORDS);
	CHECK(&result, TALLY_UNWIND_BOTTOM, in(PLAIN, 0), in(SLOW, 0x4f), in(OUTERMOST, 0x1f));
}

static void fails_without_registers(void **state)
{
	struct tally_unwind_thread thread = {.arch = tally_unwind_arch(EM_X86_64), .find = find};
	struct tally_unwind_regs regs = {.known = 0};
	struct tally_unwind_step step;
	struct tally_unwind_stack stack = {.steps = &step, .max = 1};

	tally_unwind_walk(&thread, &regs, &stack);
	assert_int_equal(stack.nr, 0);
	assert_int_equal(stack.end, TALLY_UNWIND_BAD_RULE);
}

/* ---- frames ---------------------------------------------------------------------------------- */

/* If a call is the last instruction, its return address is in the next function. */
static void uses_the_rule_of_the_call_at_the_end_of_a_function(void **state)
{
	struct result result;

	words[1] = in(BY_POINTER, 0); /* the call is the last instruction of ALSO_PLAIN */
	words[3] = in(OUTERMOST, 4);
	result = unwind(in(PLAIN, 0), STACK, 0, WORDS);
	CHECK(&result, TALLY_UNWIND_BOTTOM, in(PLAIN, 0), in(ALSO_PLAIN, 0xff), in(OUTERMOST, 3));
}

/* A handler returns to the trampoline, which resumes the interrupted code: here at the first
 * instruction of a function, and on another stack. */
static void continues_through_signal_frames(void **state)
{
	struct result result;

	words[1] = in(TRAMPOLINE, 1); /* the byte before this address has no rule */
	words[2 + 168 / 8] = in(ALSO_PLAIN, 0);
	words[2 + 160 / 8] = STACK + 800;
	words[101] = in(OUTERMOST, 8);
	result = unwind(in(PLAIN, 0), STACK, 0, WORDS);
	CHECK(&result, TALLY_UNWIND_BOTTOM, in(PLAIN, 0), in(TRAMPOLINE, 1), in(ALSO_PLAIN, 0),
	      in(OUTERMOST, 7));
	words[2 + 160 / 8] = 0x123450;
	result = unwind(in(PLAIN, 0), STACK, 0, WORDS);
	CHECK(&result, TALLY_UNWIND_OTHER_STACK, in(PLAIN, 0), in(TRAMPOLINE, 1),
	      in(ALSO_PLAIN, 0));
	/* The dump contains only part of the signal context. */
	result = unwind(in(PLAIN, 0), STACK, 0, 10);
	CHECK(&result, TALLY_UNWIND_SHORT, in(PLAIN, 0), in(TRAMPOLINE, 1));
}

static void removes_signatures_of_return_addresses(void **state)
{
	struct tally_unwind_thread thread = {
		.arch = tally_unwind_arch(EM_AARCH64),
		.memory = {.stack = (const uint8_t *)words, .start = STACK, .len = sizeof(words)},
		.find = find};
	struct tally_unwind_regs regs = {.known = 0};
	struct tally_unwind_step steps[4];
	struct tally_unwind_stack stack = {.steps = steps, .max = 4};

	/* x29 points to {STACK + 32, signed address}; the code has no rule. */
	words[2] = STACK + 32;
	words[3] = 0x0055000000000000 | in(NO_RULE, 0x10);
	words[5] = 0xffff000000001234; /* a kernel address, not a signature */
	tally_unwind_reg_set(&regs, 32, in(NO_RULE, 0));
	tally_unwind_reg_set(&regs, 31, STACK);
	tally_unwind_reg_set(&regs, 29, STACK + 16);
	tally_unwind_walk(&thread, &regs, &stack);
	assert_int_equal(stack.nr, 2);
	assert_int_equal(steps[1].ip, in(NO_RULE, 0x10));
	assert_int_equal(stack.end, TALLY_UNWIND_NO_RULES);
}

/* ---- frame pointers -------------------------------------------------------------------------- */

static void continues_by_frame_pointers(void **state)
{
	struct result result;

	words[4] = STACK + 64;
	words[5] = in(NO_RULE, 0x20);
	words[8] = 0;
	words[9] = in(ANONYMOUS, 0x30);
	result = unwind(in(NO_RULE, 0), STACK, STACK + 32, WORDS);
	CHECK(&result, TALLY_UNWIND_BOTTOM, in(NO_RULE, 0), in(NO_RULE, 0x1f), in(ANONYMOUS, 0x2f));
	/* A return address of 0 also ends the stack. */
	words[8] = STACK + 80;
	words[10] = words[11] = 0;
	result = unwind(in(NO_RULE, 0), STACK, STACK + 32, WORDS);
	CHECK(&result, TALLY_UNWIND_BOTTOM, in(NO_RULE, 0), in(NO_RULE, 0x1f), in(ANONYMOUS, 0x2f));
}

/* In code that uses the frame pointer register for other purposes, frame pointers are invalid. This
 * does not mean that the stack ends there. */
static void ends_at_invalid_frame_pointers(void **state)
{
	struct result result;

	result = unwind(in(NO_RULE, 0), STACK, 0, WORDS);
	CHECK(&result, TALLY_UNWIND_NO_RULES, in(NO_RULE, 0));
	result = unwind(in(ANONYMOUS, 0), STACK, 0, WORDS);
	CHECK(&result, TALLY_UNWIND_ANONYMOUS, in(ANONYMOUS, 0));
	result = unwind(in(NO_RULE, 0), STACK, STACK + 32, WORDS);
	CHECK(&result, TALLY_UNWIND_NO_RULES, in(NO_RULE, 0));
	words[5] = 0xdead0000;
	result = unwind(in(NO_RULE, 0), STACK, STACK + 32, WORDS);
	CHECK(&result, TALLY_UNWIND_NO_RULES, in(NO_RULE, 0));
	words[5] = not_behind_a_call = in(PLAIN, 0x20);
	result = unwind(in(NO_RULE, 0), STACK, STACK + 32, WORDS);
	CHECK(&result, TALLY_UNWIND_NO_RULES, in(NO_RULE, 0));
	not_behind_a_call = 0;
	result = unwind(in(NO_RULE_AT_ALL, 0), STACK, STACK + 32, WORDS);
	CHECK(&result, TALLY_UNWIND_NO_RULES, in(NO_RULE_AT_ALL, 0));
	result = unwind(in(NO_RULE, 0), STACK, STACK + 32, WORDS);
	CHECK(&result, TALLY_UNWIND_BOTTOM, in(NO_RULE, 0), in(PLAIN, 0x1f));
}

/* Unwind by rules, then by frame pointers, and by rules again. */
static void combines_rules_and_frame_pointers(void **state)
{
	struct result result;

	words[1] = in(NO_RULE, 0x20);
	words[4] = STACK + 64;
	words[5] = in(BY_POINTER, 0x30);
	words[8] = 0;
	words[9] = in(NO_RULE, 0x40);
	result = unwind(in(PLAIN, 0), STACK, STACK + 32, WORDS);
	/* The frame pointer of 0 was restored by a rule, so it does not end the stack. */
	CHECK(&result, TALLY_UNWIND_NO_RULES, in(PLAIN, 0), in(NO_RULE, 0x1f), in(BY_POINTER, 0x2f),
	      in(NO_RULE, 0x3f));
}

#define TEST(name) cmocka_unit_test_setup(name, clear)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(ends_at_the_outermost_frame),
		TEST(ends_at_a_return_address_of_0),
		TEST(ends_at_the_end_of_the_dump),
		TEST(ends_at_code_without_rules),
		TEST(ends_at_frames_that_do_not_move_the_stack_pointer),
		TEST(ends_at_the_limit_of_frames),
		TEST(limits_expression_steps_of_a_stack),
		TEST(fails_without_registers),
		TEST(uses_the_rule_of_the_call_at_the_end_of_a_function),
		TEST(continues_through_signal_frames),
		TEST(removes_signatures_of_return_addresses),
		TEST(continues_by_frame_pointers),
		TEST(ends_at_invalid_frame_pointers),
		TEST(combines_rules_and_frame_pointers),
	};

	return cmocka_run_group_tests(tests, make, unmake);
}
