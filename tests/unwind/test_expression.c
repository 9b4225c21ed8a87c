/* SPDX-License-Identifier: BSD-2-Clause */
/* Test all DWARF expression operations that call frame information may use, and the limits on
 * expressions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "base/arith.h"
#include "unwind/expression.h"

enum { STACK = 0x7000, ELSEWHERE = 0x9000 };

static uint8_t stack[64];

static bool word_elsewhere(void *arg, uint64_t addr, uint64_t *ret_word)
{
	*ret_word = 0xabcd;
	return addr == ELSEWHERE;
}

static const struct tally_unwind_memory memory = {.stack = stack,
						  .start = STACK,
						  .len = sizeof(stack),
						  .swap = TALLY_HOST_BIG_ENDIAN,
						  .word = word_elsewhere};

static int evaluate(const uint8_t *code, size_t len, const uint64_t *first, uint64_t *ret_value,
		    uint64_t *ret_missing)
{
	struct tally_expression expression = {code, len, TALLY_HOST_BIG_ENDIAN, NULL};
	struct tally_unwind_regs regs = {.known = 0};

	for (uint8_t i = 0; i < 17; i++) {
		if (i != 5)
			tally_unwind_reg_set(&regs, i, 0x100 + i);
	}
	tally_unwind_reg_set(&regs, 7, STACK);
	return tally_expression_evaluate(&expression, &regs, &memory, first, ret_value,
					 ret_missing);
}

struct row {
	const char *name;
	uint8_t len, code[20];
	uint64_t value;
};

/* 0x30 to 0x4f push 0 to 31; 0x09 n pushes a signed byte. */
static const struct row rows[] = {
	{"lit0", 1, {0x30}, 0},
	{"lit31", 1, {0x4f}, 31},
	{"addr", 9, {0x03, 1, 2, 3, 4, 5, 6, 7, 8}, 0x0807060504030201},
	{"const1u", 2, {0x08, 0xff}, 255},
	{"const1s", 2, {0x09, 0xff}, UINT64_MAX},
	{"const2u", 3, {0x0a, 0xff, 0xff}, 65535},
	{"const2s", 3, {0x0b, 0xfe, 0xff}, UINT64_MAX - 1},
	{"const4u", 5, {0x0c, 0xff, 0xff, 0xff, 0xff}, UINT32_MAX},
	{"const4s", 5, {0x0d, 0xff, 0xff, 0xff, 0xff}, UINT64_MAX},
	{"const8u", 9, {0x0e, 1, 0, 0, 0, 0, 0, 0, 0x80}, 0x8000000000000001},
	{"const8s", 9, {0x0f, 1, 0, 0, 0, 0, 0, 0, 0x80}, 0x8000000000000001},
	{"constu", 3, {0x10, 0x80, 0x01}, 128},
	{"consts", 2, {0x11, 0x7f}, UINT64_MAX},
	{"dup", 3, {0x32, 0x12, 0x22}, 4},
	{"drop", 3, {0x32, 0x33, 0x13}, 2},
	{"over", 3, {0x32, 0x33, 0x14}, 2},
	{"pick", 5, {0x32, 0x33, 0x34, 0x15, 2}, 2},
	{"swap", 4, {0x35, 0x33, 0x16, 0x1c}, UINT64_MAX - 1}, /* 3 - 5 */
	{"rot", 5, {0x31, 0x32, 0x33, 0x17, 0x13}, 1},         /* 1 2 3 -> 3 1 2, then drop 2 */
	{"rot, what is lowest", 6, {0x31, 0x32, 0x33, 0x17, 0x13, 0x13}, 3},
	{"abs", 3, {0x09, 0xfb, 0x19}, 5},
	{"abs of what has none", 10, {0x0e, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x19}, 0x8000000000000000},
	{"and", 3, {0x36, 0x33, 0x1a}, 2},
	{"div", 4, {0x09, 0xf6, 0x33, 0x1b}, (uint64_t)-3},
	{"div by -1", 5, {0x39, 0x09, 0xff, 0x1b, 0x96}, (uint64_t)-9},
	{"div of the least by -1",
	 12,
	 {0x0e, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x09, 0xff, 0x1b},
	 0x8000000000000000},
	{"minus", 3, {0x32, 0x35, 0x1c}, (uint64_t)-3},
	{"mod", 4, {0x09, 0xff, 0x3a, 0x1d}, 5}, /* (2^64 - 1) mod 10 */
	{"mul", 4, {0x09, 0xfd, 0x34, 0x1e}, (uint64_t)-12},
	{"neg", 2, {0x33, 0x1f}, (uint64_t)-3},
	{"not", 2, {0x30, 0x20}, UINT64_MAX},
	{"or", 3, {0x35, 0x32, 0x21}, 7},
	{"plus", 3, {0x35, 0x32, 0x22}, 7},
	{"plus_uconst", 4, {0x35, 0x23, 0x80, 0x01}, 133},
	{"shl", 3, {0x33, 0x34, 0x24}, 48},
	{"shl by 64", 4, {0x33, 0x08, 64, 0x24}, 0},
	{"shr", 4, {0x09, 0xff, 0x4f, 0x25}, UINT64_MAX >> 31},
	{"shr by 64", 5, {0x09, 0xff, 0x08, 64, 0x25}, 0},
	{"shra", 4, {0x09, 0xf8, 0x31, 0x26}, (uint64_t)-4},
	{"shra by 0", 4, {0x09, 0xf8, 0x30, 0x26}, (uint64_t)-8},
	{"shra by 64", 5, {0x09, 0xff, 0x08, 64, 0x26}, UINT64_MAX},
	{"shra of what is positive by 64", 4, {0x31, 0x08, 64, 0x26}, 0},
	{"xor", 3, {0x35, 0x31, 0x27}, 4},
	{"eq", 3, {0x35, 0x35, 0x29}, 1},
	{"ge", 4, {0x09, 0xff, 0x30, 0x2a}, 0},
	{"gt", 4, {0x30, 0x09, 0xff, 0x2b}, 1},
	{"le", 3, {0x35, 0x35, 0x2c}, 1},
	{"lt", 4, {0x09, 0xff, 0x30, 0x2d}, 1},
	{"ne", 3, {0x35, 0x35, 0x2e}, 0},
	{"skip", 6, {0x31, 0x2f, 1, 0, 0x13, 0x96}, 1},
	{"skip to the end", 5, {0x31, 0x2f, 1, 0, 0x13}, 1},
	{"bra, taken", 8, {0x31, 0x31, 0x28, 2, 0, 0x13, 0x32, 0x96}, 1},
	{"bra, not taken", 8, {0x31, 0x30, 0x28, 2, 0, 0x13, 0x32, 0x96}, 2},
	/* decrement from 5; repeat while not 0 */
	{"bra backwards", 8, {0x35, 0x31, 0x1c, 0x12, 0x28, 0xfa, 0xff, 0x96}, 0},
	{"nop", 2, {0x31, 0x96}, 1},
	{"breg0", 3, {0x70, 0x80, 0x01}, 0x100 + 128},
	{"breg16", 2, {0x80, 0x7f}, 0x10f},
	{"bregx", 3, {0x92, 6, 0x7e}, 0x104},
	{"deref", 3, {0x77, 8, 0x06}, 0x1716151413121110 - 0x0808080808080808},
	{"deref_size 1", 4, {0x77, 8, 0x94, 1}, 0x08},
	{"deref_size 2", 4, {0x77, 8, 0x94, 2}, 0x0908},
	{"deref_size 4", 4, {0x77, 8, 0x94, 4}, 0x0b0a0908},
	{"deref_size 8", 4, {0x77, 8, 0x94, 8}, 0x0f0e0d0c0b0a0908},
	{"deref of what the host knows", 4, {0x0a, 0x00, 0x90, 0x06}, 0xabcd},
};

static int fill(void **state)
{
	for (size_t i = 0; i < sizeof(stack); i++)
		stack[i] = (uint8_t)i;
	return 0;
}

static void evaluates_all_operations(void **state)
{
	uint64_t value, missing;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(rows); i++) {
		int ret = evaluate(rows[i].code, rows[i].len, NULL, &value, &missing);

		if (ret || value != rows[i].value)
			fail_msg("%s: %d, %#llx", rows[i].name, ret, (unsigned long long)value);
	}
}

static void starts_with_the_given_value_on_the_stack(void **state)
{
	uint64_t first = 1000, value, missing;

	assert_int_equal(evaluate((uint8_t[]){0x23, 8}, 2, &first, &value, &missing), 0);
	assert_int_equal(value, 1008);
	assert_int_equal(evaluate(NULL, 0, &first, &value, &missing), 0);
	assert_int_equal(value, 1000);
}

static void rejects_invalid_expressions(void **state)
{
	static const struct {
		const char *name;
		uint8_t len, code[8];
	} bad[] = {
		{"nothing", 0, {0}},
		{"nothing left", 2, {0x31, 0x13}},
		{"drop of nothing", 1, {0x13}},
		{"dup of nothing", 1, {0x12}},
		{"over of one", 2, {0x31, 0x14}},
		{"pick too deep", 4, {0x31, 0x32, 0x15, 2}},
		{"swap of one", 2, {0x31, 0x16}},
		{"rot of two", 3, {0x31, 0x31, 0x17}},
		{"neg of nothing", 1, {0x1f}},
		{"plus of one", 2, {0x31, 0x22}},
		{"plus_uconst of nothing", 2, {0x23, 1}},
		{"bra of nothing", 3, {0x28, 0, 0}},
		{"division by 0", 3, {0x31, 0x30, 0x1b}},
		{"rest of a division by 0", 3, {0x31, 0x30, 0x1d}},
		{"a number that is cut", 3, {0x0c, 1, 2}},
		{"a jump before the start", 5, {0x31, 0x2f, 0xfb, 0xff, 0x96}},
		{"a jump behind the end", 5, {0x31, 0x2f, 2, 0, 0x96}},
		{"a register that is not known", 2, {0x75, 0}},
		{"a register that is not there", 3, {0x92, 99, 0}},
		{"deref of nothing", 1, {0x06}},
		{"deref_size 0", 4, {0x77, 0, 0x94, 0}},
		{"deref_size 9", 4, {0x77, 0, 0x94, 9}},
		{"xderef", 3, {0x31, 0x31, 0x18}},
		{"reg0", 1, {0x50}},
		{"fbreg", 2, {0x91, 0}},
		{"piece", 3, {0x31, 0x93, 8}},
		{"call_frame_cfa", 1, {0x9c}},
		{"stack_value", 2, {0x31, 0x9f}},
		{"nothing that is known", 1, {0xff}},
	};
	uint64_t value = 42, missing = 42;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(bad); i++) {
		if (evaluate(bad[i].code, bad[i].len, NULL, &value, &missing) != -EINVAL)
			fail_msg("%s", bad[i].name);
	}
	assert_int_equal(value, 42);
	assert_int_equal(missing, 42);
}

static void reports_the_address_of_missing_memory(void **state)
{
	uint64_t value = 42, missing = 0;

	assert_int_equal(evaluate((uint8_t[]){0x77, 57, 0x06}, 3, NULL, &value, &missing), -EFAULT);
	assert_int_equal(missing, STACK + 57);
	assert_int_equal(evaluate((uint8_t[]){0x77, 0x7f, 0x06}, 3, NULL, &value, &missing),
			 -EFAULT);
	assert_int_equal(missing, STACK - 1);
	assert_int_equal(value, 42);
}

static void limits_length_stack_and_steps(void **state)
{
	uint64_t value, missing;
	uint8_t code[2000];

	memset(code, 0x31, 33);
	assert_int_equal(evaluate(code, 32, NULL, &value, &missing), 0);
	assert_int_equal(evaluate(code, 33, NULL, &value, &missing), -EINVAL);
	memset(code, 0x96, sizeof(code));
	code[0] = 0x31;
	assert_int_equal(evaluate(code, 1000, NULL, &value, &missing), 0);
	assert_int_equal(evaluate(code, 1001, NULL, &value, &missing), -EINVAL);
	/* An infinite loop: a branch to itself. */
	assert_int_equal(evaluate((uint8_t[]){0x31, 0x2f, 0xfd, 0xff}, 4, NULL, &value, &missing),
			 -EINVAL);
}

static int share(const struct tally_expression *expression, uint64_t *ret_value)
{
	struct tally_unwind_regs regs = {.known = 0};
	uint64_t missing;

	return tally_expression_evaluate(expression, &regs, &memory, NULL, ret_value, &missing);
}

/* Several expressions share one limit on the number of operations. */
static void expressions_share_a_limit_of_steps(void **state)
{
	static const uint8_t code[] = {0x31, 0x32, 0x22};
	uint64_t value = 42;
	unsigned steps = 7;
	struct tally_expression expression = {code, sizeof(code), false, &steps};

	assert_int_equal(share(&expression, &value), 0);
	assert_int_equal(steps, 4);
	assert_int_equal(share(&expression, &value), 0);
	assert_int_equal(steps, 1);
	assert_int_equal(value, 3);
	value = 42;
	assert_int_equal(share(&expression, &value), -E2BIG);
	assert_int_equal(value, 42);
	steps = 3; /* exactly enough */
	assert_int_equal(share(&expression, &value), 0);
	assert_int_equal(steps, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(evaluates_all_operations),
		cmocka_unit_test(starts_with_the_given_value_on_the_stack),
		cmocka_unit_test(rejects_invalid_expressions),
		cmocka_unit_test(reports_the_address_of_missing_memory),
		cmocka_unit_test(limits_length_stack_and_steps),
		cmocka_unit_test(expressions_share_a_limit_of_steps),
	};

	return cmocka_run_group_tests(tests, fill, NULL);
}
