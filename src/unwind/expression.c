/* SPDX-License-Identifier: BSD-2-Clause */
#include "unwind/expression.h"

#include <errno.h>

#include "base/arith.h"
#include "unwind/bytes.h"

/* DW_OP_* from DWARF 5, 7.7.1. */
enum {
	OP_ADDR = 0x03,
	OP_DEREF = 0x06,
	OP_CONST1U = 0x08,
	OP_CONST1S = 0x09,
	OP_CONST2U = 0x0a,
	OP_CONST2S = 0x0b,
	OP_CONST4U = 0x0c,
	OP_CONST4S = 0x0d,
	OP_CONST8U = 0x0e,
	OP_CONST8S = 0x0f,
	OP_CONSTU = 0x10,
	OP_CONSTS = 0x11,
	OP_DUP = 0x12,
	OP_DROP = 0x13,
	OP_OVER = 0x14,
	OP_PICK = 0x15,
	OP_SWAP = 0x16,
	OP_ROT = 0x17,
	OP_ABS = 0x19,
	OP_AND = 0x1a,
	OP_DIV = 0x1b,
	OP_MINUS = 0x1c,
	OP_MOD = 0x1d,
	OP_MUL = 0x1e,
	OP_NEG = 0x1f,
	OP_NOT = 0x20,
	OP_OR = 0x21,
	OP_PLUS = 0x22,
	OP_PLUS_UCONST = 0x23,
	OP_SHL = 0x24,
	OP_SHR = 0x25,
	OP_SHRA = 0x26,
	OP_XOR = 0x27,
	OP_BRA = 0x28,
	OP_EQ = 0x29,
	OP_GE = 0x2a,
	OP_GT = 0x2b,
	OP_LE = 0x2c,
	OP_LT = 0x2d,
	OP_NE = 0x2e,
	OP_SKIP = 0x2f,
	OP_LIT0 = 0x30,
	OP_REG0 = 0x50,
	OP_BREG0 = 0x70,
	OP_BREG31 = 0x8f,
	OP_BREGX = 0x92,
	OP_DEREF_SIZE = 0x94,
	OP_NOP = 0x96,
};

enum { STACK_SIZE = 32, MAX_STEPS = 1000 };

struct evaluation {
	const struct tally_unwind_regs *regs;
	const struct tally_unwind_memory *memory;
	struct tally_bytes_reader bytes;
	const uint8_t *code;
	uint64_t stack[STACK_SIZE];
	unsigned nr;
	uint64_t missing; /* address of memory that is not available */
};

static int push(struct evaluation *on, uint64_t value)
{
	if (on->nr == STACK_SIZE)
		return -EINVAL;
	on->stack[on->nr++] = value;
	return 0;
}

/* Read an operand. The operation determines the operand's width. */
static uint64_t operand(struct evaluation *on, uint8_t op)
{
	struct tally_bytes_reader *bytes = &on->bytes;

	switch (op) {
	case OP_CONST1U: return tally_bytes_u8(bytes);
	case OP_CONST1S: return (uint64_t)(int8_t)tally_bytes_u8(bytes);
	case OP_CONST2U: return tally_bytes_u16(bytes);
	case OP_CONST2S: return (uint64_t)(int16_t)tally_bytes_u16(bytes);
	case OP_CONST4U: return tally_bytes_u32(bytes);
	case OP_CONST4S: return (uint64_t)(int32_t)tally_bytes_u32(bytes);
	case OP_CONSTU: return tally_bytes_uleb(bytes);
	case OP_CONSTS: return (uint64_t)tally_bytes_sleb(bytes);
	}
	return tally_bytes_u64(bytes);
}

static int push_register(struct evaluation *on, uint64_t reg)
{
	uint64_t offset = (uint64_t)tally_bytes_sleb(&on->bytes), value;

	if (reg >= TALLY_UNWIND_NR_REGS || !tally_unwind_reg(on->regs, (uint8_t)reg, &value))
		return -EINVAL;
	return push(on, value + offset);
}

/* Push a copy of the entry that is `depth` entries below the top. */
static int pick(struct evaluation *on, unsigned depth)
{
	return depth < on->nr ? push(on, on->stack[on->nr - 1 - depth]) : -EINVAL;
}

/* Move the top entry below the next `nr` - 1 entries. */
static int rotate(struct evaluation *on, unsigned nr)
{
	uint64_t top;

	if (on->nr < nr)
		return -EINVAL;
	top = on->stack[on->nr - 1];
	for (unsigned i = on->nr - 1; i > on->nr - nr; i--)
		on->stack[i] = on->stack[i - 1];
	on->stack[on->nr - nr] = top;
	return 0;
}

static int dereference(struct evaluation *on, unsigned size)
{
	uint64_t word;

	if (!on->nr || !size || size > 8)
		return -EINVAL;
	on->missing = on->stack[on->nr - 1];
	if (!tally_unwind_memory_word(on->memory, on->missing, &word))
		return -EFAULT;
	if (on->memory->swap != TALLY_HOST_BIG_ENDIAN)
		word >>= 64 - 8 * size;
	else if (size < 8)
		word &= (UINT64_C(1) << 8 * size) - 1;
	on->stack[on->nr - 1] = word;
	return 0;
}

static int unary(struct evaluation *on, uint8_t op)
{
	uint64_t *top;

	if (!on->nr)
		return -EINVAL;
	top = &on->stack[on->nr - 1];
	switch (op) {
	case OP_ABS: *top = (int64_t)*top < 0 ? 0 - *top : *top; break;
	case OP_NEG: *top = 0 - *top; break;
	case OP_NOT: *top = ~*top; break;
	default: *top += tally_bytes_uleb(&on->bytes); break;
	}
	return 0;
}

static int divide(uint8_t op, uint64_t a, uint64_t b, uint64_t *ret_value)
{
	if (!b)
		return -EINVAL;
	if (op == OP_MOD)
		*ret_value = a % b;
	else
		*ret_value = b == UINT64_MAX ? 0 - a : (uint64_t)((int64_t)a / (int64_t)b);
	return 0;
}

static uint64_t shift(uint8_t op, uint64_t a, uint64_t by)
{
	uint64_t sign = (int64_t)a < 0 ? UINT64_MAX : 0;

	switch (op) {
	case OP_SHL: return by < 64 ? a << by : 0;
	case OP_SHR: return by < 64 ? a >> by : 0;
	}
	return by < 64 ? a >> by | (by ? sign << (64 - by) : 0) : sign;
}

static uint64_t compare(uint8_t op, int64_t a, int64_t b)
{
	switch (op) {
	case OP_EQ: return a == b;
	case OP_GE: return a >= b;
	case OP_GT: return a > b;
	case OP_LE: return a <= b;
	case OP_LT: return a < b;
	}
	return a != b;
}

static int binary(struct evaluation *on, uint8_t op)
{
	uint64_t a, b, *to;

	if (on->nr < 2)
		return -EINVAL;
	b = on->stack[--on->nr];
	to = &on->stack[on->nr - 1];
	a = *to;
	switch (op) {
	case OP_AND: *to = a & b; return 0;
	case OP_OR: *to = a | b; return 0;
	case OP_XOR: *to = a ^ b; return 0;
	case OP_PLUS: *to = a + b; return 0;
	case OP_MINUS: *to = a - b; return 0;
	case OP_MUL: *to = a * b; return 0;
	case OP_DIV:
	case OP_MOD: return divide(op, a, b, to);
	case OP_SHL:
	case OP_SHR:
	case OP_SHRA: *to = shift(op, a, b); return 0;
	}
	*to = compare(op, (int64_t)a, (int64_t)b);
	return 0;
}

/* Jump within the expression. OP_BRA jumps only if the top entry is not 0. */
static int jump(struct evaluation *on, uint8_t op)
{
	int16_t by = (int16_t)tally_bytes_u16(&on->bytes);
	int64_t to = on->bytes.at - on->code + by;

	if (op == OP_BRA) {
		if (!on->nr)
			return -EINVAL;
		if (!on->stack[--on->nr])
			return 0;
	}
	if (to < 0 || to > on->bytes.end - on->code)
		return -EINVAL;
	on->bytes.at = on->code + to;
	return 0;
}

static int evaluate_other(struct evaluation *on, uint8_t op)
{
	switch (op) {
	case OP_DEREF: return dereference(on, 8);
	case OP_DEREF_SIZE: return dereference(on, tally_bytes_u8(&on->bytes));
	case OP_DUP: return pick(on, 0);
	case OP_OVER: return pick(on, 1);
	case OP_PICK: return pick(on, tally_bytes_u8(&on->bytes));
	case OP_SWAP: return rotate(on, 2);
	case OP_ROT: return rotate(on, 3);
	case OP_BREGX: return push_register(on, tally_bytes_uleb(&on->bytes));
	case OP_BRA:
	case OP_SKIP: return jump(on, op);
	case OP_NOP: return 0;
	case OP_DROP:
		if (!on->nr)
			return -EINVAL;
		on->nr--;
		return 0;
	case OP_ABS:
	case OP_NEG:
	case OP_NOT:
	case OP_PLUS_UCONST: return unary(on, op);
	}
	return op >= OP_AND && op <= OP_NE ? binary(on, op) : -EINVAL;
}

static int evaluate_one(struct evaluation *on)
{
	uint8_t op = tally_bytes_u8(&on->bytes);

	if (op >= OP_LIT0 && op < OP_REG0)
		return push(on, op - OP_LIT0);
	if (op >= OP_BREG0 && op <= OP_BREG31)
		return push_register(on, op - OP_BREG0);
	if (op == OP_ADDR || (op >= OP_CONST1U && op <= OP_CONSTS))
		return push(on, operand(on, op));
	return evaluate_other(on, op);
}

/* Count an operation against the limits. `number` is the number of operations that the expression
 * has already executed. */
static int count_step(const struct tally_expression *expression, unsigned number)
{
	if (number == MAX_STEPS)
		return -EINVAL;
	if (!expression->steps)
		return 0;
	if (!*expression->steps)
		return -E2BIG;
	--*expression->steps;
	return 0;
}

int tally_expression_evaluate(const struct tally_expression *expression,
			      const struct tally_unwind_regs *regs,
			      const struct tally_unwind_memory *memory, const uint64_t *first,
			      uint64_t *ret_value, uint64_t *ret_missing)
{
	struct evaluation on;
	int ret;

	on.regs = regs;
	on.memory = memory;
	on.code = expression->code;
	on.bytes = (struct tally_bytes_reader){expression->code, expression->code + expression->len,
					       expression->swap, false};
	on.nr = 0;
	if (first)
		on.stack[on.nr++] = *first;
	for (unsigned steps = 0; tally_bytes_left(&on.bytes); steps++) {
		ret = count_step(expression, steps);
		if (!ret)
			ret = evaluate_one(&on);
		if (!ret && on.bytes.failed)
			ret = -EINVAL;
		if (ret == -EFAULT)
			*ret_missing = on.missing;
		if (ret)
			return ret;
	}
	if (!on.nr)
		return -EINVAL;
	*ret_value = on.stack[on.nr - 1];
	return 0;
}
