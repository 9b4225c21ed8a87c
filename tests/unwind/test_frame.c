/* SPDX-License-Identifier: BSD-2-Clause */
/* Take a single step to the caller, with each kind of rule for each register, and with the frame
 * pointer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>
#include <errno.h>
#include <string.h>

#include "base/arith.h"
#include "frame_bytes.h"
#include "unwind/unwind_build.h"
#include "unwind/frame.h"
#include "unwind/rule_words.h"

enum { STACK = 0x7000, WORDS = 128, LR = 30, FP = 29, SP = 31, PC = 32 };

static uint64_t words[WORDS];

static const struct tally_unwind_memory memory = {
	.stack = (const uint8_t *)words, .start = STACK, .len = sizeof(words)};

/* A rule and the table that contains its expressions. */
struct subject {
	struct tally_unwind_build build;
	struct tally_unwind_table table;
	void *block;
	struct tally_unwind_rule rule;
	uint32_t regs[8];
	uint16_t machine;
};

static struct subject begin(uint16_t machine, uint8_t cfa_reg, int32_t cfa_value)
{
	return (struct subject){.machine = machine,
				.build = {.max_words = 1000},
				.rule = {.cfa_reg = cfa_reg, .cfa_value = cfa_value}};
}

static void reg(struct subject *subject, uint8_t number, uint8_t how, int32_t value)
{
	subject->regs[subject->rule.nr_regs++] =
		rule_reg_pack((struct tally_unwind_reg){number, how, value});
}

static int32_t expression(struct subject *subject, const uint8_t *code, size_t len)
{
	int32_t value;

	assert_int_equal(tally_unwind_build_expression(&subject->build, code, len, &value), 0);
	return value;
}

static int step(struct subject *subject, struct tally_unwind_regs *regs, uint64_t *ret_missing)
{
	const struct tally_unwind_arch *arch = tally_unwind_arch(subject->machine);
	unsigned steps = 1000;
	size_t len;
	int ret;

	assert_int_equal(tally_unwind_build_finish(&subject->build, arch, &subject->block, &len),
			 0);
	assert_int_equal(tally_unwind_table_open(subject->block, len, &subject->table), 0);
	subject->rule.regs = subject->regs;
	ret = tally_unwind_frame_by_rule(arch, &subject->table, &subject->rule, &memory, &steps,
					 regs, ret_missing);
	tally_unwind_build_free(&subject->build);
	free(subject->block);
	return ret;
}

/* Return x86-64 registers, all known. Register n is 0x100 + n, except for the stack pointer. */
static struct tally_unwind_regs x86_regs(uint64_t sp)
{
	struct tally_unwind_regs regs = {.known = 0};

	for (uint8_t i = 0; i < 17; i++)
		tally_unwind_reg_set(&regs, i, 0x100 + i);
	tally_unwind_reg_set(&regs, RSP, sp);
	return regs;
}

static uint64_t value_of(const struct tally_unwind_regs *regs, uint8_t number)
{
	uint64_t value;

	assert_true(tally_unwind_reg(regs, number, &value));
	return value;
}

static int fill(void **state)
{
	for (uint64_t i = 0; i < WORDS; i++)
		words[i] = 0x5000 + i;
	return 0;
}

static void restores_registers_by_offset(void **state)
{
	struct subject subject = begin(EM_X86_64, RSP, 32);
	struct tally_unwind_regs regs = x86_regs(STACK);
	uint64_t missing;

	reg(&subject, RBX, TALLY_REG_OFFSET, -24);
	reg(&subject, RBP, TALLY_REG_OFFSET, -16);
	reg(&subject, RIP, TALLY_REG_OFFSET, -8);
	assert_int_equal(step(&subject, &regs, &missing), 0);
	assert_int_equal(value_of(&regs, RSP), STACK + 32);
	assert_int_equal(value_of(&regs, RIP), 0x5003);
	assert_int_equal(value_of(&regs, RBP), 0x5002);
	assert_int_equal(value_of(&regs, RBX), 0x5001);
	/* Callee-saved registers keep their values; other registers are lost. */
	assert_int_equal(value_of(&regs, R12), 0x10c);
	for (uint8_t i = 0; i < 17; i++)
		assert_int_equal(regs.known >> i & 1,
				 i == RBX || i == RBP || i == RSP || (i >= R12 && i <= RIP));
}

static void restores_registers_by_each_kind_of_rule(void **state)
{
	struct subject subject = begin(EM_X86_64, RBP, 16);
	struct tally_unwind_regs regs = x86_regs(STACK);
	uint64_t missing;

	tally_unwind_reg_set(&regs, RBP, STACK + 64);
	reg(&subject, RAX, TALLY_REG_SAME, 0);
	reg(&subject, RDX, TALLY_REG_REGISTER, RCX);
	reg(&subject, RBX, TALLY_REG_UNDEFINED, 0);
	reg(&subject, RSI, TALLY_REG_VAL_OFFSET, -80);
	reg(&subject, RDI, TALLY_REG_VAL_EXPRESSION,
	    expression(&subject, (uint8_t[]){0x23, 4}, 2)); /* CFA + 4 */
	reg(&subject, R12, TALLY_REG_EXPRESSION,
	    expression(&subject, (uint8_t[]){0x38, 0x1c}, 2)); /* CFA - 8 */
	reg(&subject, RIP, TALLY_REG_REGISTER, 15);
	assert_int_equal(step(&subject, &regs, &missing), 0);
	assert_int_equal(value_of(&regs, RAX), 0x100);
	assert_int_equal(value_of(&regs, RDX), 0x102);
	assert_false(regs.known >> RBX & 1);
	assert_int_equal(value_of(&regs, RSI), STACK);
	assert_int_equal(value_of(&regs, RDI), STACK + 84);
	assert_int_equal(value_of(&regs, R12), 0x5009);
	assert_int_equal(value_of(&regs, RIP), 0x10f);
	assert_int_equal(value_of(&regs, RSP), STACK + 80);
}

static void computes_the_cfa_by_an_expression(void **state)
{
	struct subject subject = begin(EM_X86_64, 0, 0);
	struct tally_unwind_regs regs = x86_regs(STACK);
	uint64_t missing;

	words[1] = STACK + 48;
	subject.rule.cfa = TALLY_CFA_EXPRESSION;
	subject.rule.cfa_value = expression(&subject, (uint8_t[]){0x77, 8, 0x06, 0x23, 16}, 5);
	reg(&subject, RIP, TALLY_REG_OFFSET, -8);
	assert_int_equal(step(&subject, &regs, &missing), 0);
	assert_int_equal(value_of(&regs, RSP), STACK + 64);
	assert_int_equal(value_of(&regs, RIP), 0x5007);
}

static void reports_the_address_of_missing_stack(void **state)
{
	static const struct {
		int32_t cfa, ra;
		uint64_t missing;
	} rows[] = {{8 * WORDS + 8, -8, STACK + 8 * WORDS},
		    {0, -8, STACK - 8},
		    {8 * WORDS, -4, STACK + 8 * WORDS - 4}};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(rows); i++) {
		struct subject subject = begin(EM_X86_64, RSP, rows[i].cfa);
		struct tally_unwind_regs regs = x86_regs(STACK), before = regs;
		uint64_t missing = 0;

		reg(&subject, RIP, TALLY_REG_OFFSET, rows[i].ra);
		assert_int_equal(step(&subject, &regs, &missing), -EFAULT);
		assert_int_equal(missing, rows[i].missing);
		assert_memory_equal(&regs, &before, sizeof(regs));
	}
}

/* A lost register only matters if it is needed. If an expression cannot read memory at an address,
 * that address is reported. */
static void reports_the_address_an_expression_misses(void **state)
{
	struct subject subject = begin(EM_X86_64, RSP, 16);
	struct tally_unwind_regs regs = x86_regs(STACK);
	uint64_t missing = 0;

	reg(&subject, RBX, TALLY_REG_OFFSET, 100000);
	reg(&subject, RIP, TALLY_REG_OFFSET, -8);
	assert_int_equal(step(&subject, &regs, &missing), 0);
	assert_false(regs.known >> RBX & 1);
	assert_int_equal(value_of(&regs, RIP), 0x5001);

	subject = begin(EM_X86_64, 0, 0);
	regs = x86_regs(STACK + 8 * WORDS);
	subject.rule.cfa = TALLY_CFA_EXPRESSION;
	subject.rule.cfa_value = expression(&subject, (uint8_t[]){0x77, 8, 0x06}, 3);
	assert_int_equal(step(&subject, &regs, &missing), -EFAULT);
	assert_int_equal(missing, STACK + 8 * WORDS + 8);
}

static void rejects_impossible_rules(void **state)
{
	struct tally_unwind_regs regs = x86_regs(STACK);
	struct subject subject = begin(EM_X86_64, 40, 16);
	uint64_t missing;

	assert_int_equal(step(&subject, &regs, &missing), -EINVAL);
	regs.known &= ~(UINT64_C(1) << RBX);
	subject = begin(EM_X86_64, RBX, 16);
	assert_int_equal(step(&subject, &regs, &missing), -EINVAL);
	subject = begin(EM_X86_64, RSP, 16); /* no return address */
	regs.known &= ~(UINT64_C(1) << RIP);
	assert_int_equal(step(&subject, &regs, &missing), -EINVAL);
	subject = begin(EM_X86_64, RSP, 16);
	reg(&subject, 40, TALLY_REG_SAME, 0);
	assert_int_equal(step(&subject, &regs, &missing), -EINVAL);
	subject = begin(EM_X86_64, RSP, 16);
	subject.rule.cfa = TALLY_CFA_EXPRESSION;
	subject.rule.cfa_value = 12345;
	assert_int_equal(step(&subject, &regs, &missing), -EINVAL);
}

static void stops_at_the_outermost_frame(void **state)
{
	struct subject subject = begin(EM_X86_64, 0, 0);
	struct tally_unwind_regs regs = x86_regs(STACK);
	uint64_t missing;

	subject.rule.cfa = TALLY_CFA_NONE;
	assert_int_equal(step(&subject, &regs, &missing), -ENODATA);
}

/* struct ucontext is at the stack pointer: see asm/sigcontext.h. */
static void restores_registers_from_a_signal_frame_of_x86(void **state)
{
	static const uint8_t order[] = {8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1, 0, 2, 7, 16};
	struct subject subject = begin(EM_X86_64, 0, 0);
	struct tally_unwind_regs regs = x86_regs(STACK);
	uint64_t missing;

	subject.rule.cfa = TALLY_CFA_CONTEXT;
	assert_int_equal(step(&subject, &regs, &missing), 0);
	for (size_t i = 0; i < sizeof(order); i++)
		assert_int_equal(value_of(&regs, order[i]), 0x5005 + i);
}

static void restores_registers_from_a_signal_frame_of_arm64(void **state)
{
	struct subject subject = begin(EM_AARCH64, 0, 0);
	struct tally_unwind_regs regs = {.known = 0};
	uint64_t missing;

	tally_unwind_reg_set(&regs, SP, STACK);
	subject.rule.cfa = TALLY_CFA_CONTEXT;
	assert_int_equal(step(&subject, &regs, &missing), 0);
	for (uint8_t i = 0; i <= PC; i++)
		assert_int_equal(value_of(&regs, i), 0x5000 + 39 + i);
}

/* On AArch64, the return address is in a register until it is stored. */
static void returns_by_the_link_register(void **state)
{
	struct subject subject = begin(EM_AARCH64, SP, 0);
	struct tally_unwind_regs regs = {.known = 0};
	uint64_t missing;

	tally_unwind_reg_set(&regs, SP, STACK);
	tally_unwind_reg_set(&regs, LR, 0x4444);
	tally_unwind_reg_set(&regs, 19, 0x1919);
	tally_unwind_reg_set(&regs, 0, 0x1111);
	assert_int_equal(step(&subject, &regs, &missing), 0);
	assert_int_equal(value_of(&regs, PC), 0x4444);
	assert_int_equal(value_of(&regs, SP), STACK);
	assert_int_equal(value_of(&regs, 19), 0x1919);
	assert_false(regs.known & 1);

	subject = begin(EM_AARCH64, SP, 32);
	reg(&subject, FP, TALLY_REG_OFFSET, -32);
	reg(&subject, LR, TALLY_REG_OFFSET, -24);
	assert_int_equal(step(&subject, &regs, &missing), 0);
	assert_int_equal(value_of(&regs, PC), 0x5001);
	assert_int_equal(value_of(&regs, FP), 0x5000);
	assert_int_equal(value_of(&regs, SP), STACK + 32);
}

/* ---- frame pointers ------------------------------------------------------------------------- */

static void steps_by_frame_pointer(void **state)
{
	const struct tally_unwind_arch *arch = tally_unwind_arch(EM_X86_64);
	struct tally_unwind_regs regs = x86_regs(STACK);

	tally_unwind_reg_set(&regs, RBP, STACK + 32);
	assert_int_equal(tally_unwind_frame_by_pointer(arch, &memory, &regs), 0);
	assert_int_equal(value_of(&regs, RBP), 0x5004);
	assert_int_equal(value_of(&regs, RIP), 0x5005);
	assert_int_equal(value_of(&regs, RSP), STACK + 48);
	assert_int_equal(regs.known, 1 << RBP | 1 << RSP | 1 << RIP);
}

static void rejects_invalid_frame_pointers(void **state)
{
	static const struct {
		uint64_t sp, fp;
		int ret;
	} rows[] = {
		{STACK, 0, -ENODATA},
		{STACK + 64, STACK + 8, -EINVAL}, /* below the stack pointer */
		{STACK, STACK + 4, -EINVAL},
		{STACK, 1, -EINVAL},
		{STACK, STACK + 8 * WORDS, -EFAULT},
		{STACK, STACK + 8 * WORDS - 8, -EFAULT},
		{STACK, UINT64_MAX - 7, -EINVAL}, /* adding 8 wraps around */
		{STACK, STACK + 8 * WORDS - 16, 0},
		/* The return address is the first word of the dump. */
		{STACK, STACK - 8, 0},
		{STACK, STACK - 16, -EINVAL},
	};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(rows); i++) {
		struct tally_unwind_regs regs = x86_regs(rows[i].sp), before;

		tally_unwind_reg_set(&regs, RBP, rows[i].fp);
		before = regs;
		assert_int_equal(
			tally_unwind_frame_by_pointer(tally_unwind_arch(EM_X86_64), &memory, &regs),
			rows[i].ret);
		if (rows[i].ret)
			assert_memory_equal(&regs, &before, sizeof(regs));
		else
			assert_int_equal(value_of(&regs, RSP), rows[i].fp + 16);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(restores_registers_by_offset, fill),
		cmocka_unit_test_setup(restores_registers_by_each_kind_of_rule, fill),
		cmocka_unit_test_setup(computes_the_cfa_by_an_expression, fill),
		cmocka_unit_test_setup(reports_the_address_of_missing_stack, fill),
		cmocka_unit_test_setup(reports_the_address_an_expression_misses, fill),
		cmocka_unit_test_setup(rejects_impossible_rules, fill),
		cmocka_unit_test_setup(stops_at_the_outermost_frame, fill),
		cmocka_unit_test_setup(restores_registers_from_a_signal_frame_of_x86, fill),
		cmocka_unit_test_setup(restores_registers_from_a_signal_frame_of_arm64, fill),
		cmocka_unit_test_setup(returns_by_the_link_register, fill),
		cmocka_unit_test_setup(steps_by_frame_pointer, fill),
		cmocka_unit_test_setup(rejects_invalid_frame_pointers, fill),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
