/* SPDX-License-Identifier: BSD-2-Clause */
#include "unwind/unwind_program.h"

#include <string.h>

#include "base/arith.h"
#include "unwind/rule_words.h"

/* DW_CFA_* from DWARF 5, 7.24. Values from 0x1d on are GNU and Arm extensions. */
enum {
	CFA_ADVANCE_LOC = 0x40, /* the first three instructions have an operand in the low bits */
	CFA_OFFSET = 0x80,
	CFA_RESTORE = 0xc0,
	CFA_SET_LOC = 0x01,
	CFA_ADVANCE_LOC1 = 0x02,
	CFA_ADVANCE_LOC2 = 0x03,
	CFA_ADVANCE_LOC4 = 0x04,
	CFA_OFFSET_EXTENDED = 0x05,
	CFA_RESTORE_EXTENDED = 0x06,
	CFA_UNDEFINED = 0x07,
	CFA_SAME_VALUE = 0x08,
	CFA_REGISTER = 0x09,
	CFA_REMEMBER_STATE = 0x0a,
	CFA_RESTORE_STATE = 0x0b,
	CFA_DEF_CFA = 0x0c,
	CFA_DEF_CFA_REGISTER = 0x0d,
	CFA_DEF_CFA_OFFSET = 0x0e,
	CFA_DEF_CFA_EXPRESSION = 0x0f,
	CFA_EXPRESSION = 0x10,
	CFA_OFFSET_EXTENDED_SF = 0x11,
	CFA_DEF_CFA_SF = 0x12,
	CFA_DEF_CFA_OFFSET_SF = 0x13,
	CFA_VAL_OFFSET = 0x14,
	CFA_VAL_OFFSET_SF = 0x15,
	CFA_VAL_EXPRESSION = 0x16,
	CFA_ARM_NEGATE_RA_STATE_WITH_PC = 0x2c,
	CFA_ARM_NEGATE_RA_STATE = 0x2d,
	CFA_GNU_ARGS_SIZE = 0x2e,
	CFA_GNU_NEGATIVE_OFFSET_EXTENDED = 0x2f,
};

enum { MAX_REMEMBERED = 8, EXPRESSION_MAX = 1024 };

/* Location of a register at one point in the code. For an expression, `code` and `value` are the
 * address and length of its bytes. */
struct reg_location {
	const uint8_t *code;
	int64_t value;
	uint8_t how; /* enum tally_unwind_reg_rule; for the CFA, enum tally_unwind_cfa */
};

struct state {
	/* `cfa.value` is used only for expressions. */
	struct reg_location cfa, regs[TALLY_UNWIND_NR_REGS];
	int64_t cfa_offset; /* offset from cfa_reg; kept while an expression overrides it */
	uint8_t cfa_reg;
	uint64_t set; /* registers that have a rule */
};

struct program {
	struct tally_cfi_run *run;
	const struct tally_cfi_common *common;
	struct tally_bytes_reader bytes;
	struct state now, start, remembered[MAX_REMEMBERED];
	unsigned nr_remembered;
	uint64_t stored; /* registers that were on the stack in an earlier row */
	uint64_t at;     /* current virtual address */
	bool is_start;
};

/* ---- registers ---------------------------------------------------------------- */

/* Set a register's location. Registers that are not tracked are ignored, since they are not needed
 * for unwinding. */
static void reg_set(struct program *program, uint64_t reg, struct reg_location place)
{
	if (reg >= program->run->arch->nr)
		return;
	program->now.regs[reg] = place;
	program->now.set |= UINT64_C(1) << reg;
}

static void reg_restore(struct program *program, uint64_t reg)
{
	uint64_t bit;

	if (reg >= program->run->arch->nr)
		return;
	bit = UINT64_C(1) << reg;
	program->now.regs[reg] = program->start.regs[reg];
	program->now.set = (program->now.set & ~bit) | (program->start.set & bit);
}

static void reg_offset(struct program *program, uint64_t reg, uint64_t factored, uint8_t how)
{
	int64_t offset = (int64_t)(factored * (uint64_t)program->common->data_align);

	reg_set(program, reg, (struct reg_location){.value = offset, .how = how});
}

/* Read an expression. Its bytes are not copied until a row is added. */
static void take_expression(struct program *program, uint8_t how, struct reg_location *ret_place)
{
	uint64_t len = tally_bytes_uleb(&program->bytes);

	*ret_place = (struct reg_location){
		.code = tally_bytes_skip(&program->bytes, len), .value = (int64_t)len, .how = how};
	if (len > EXPRESSION_MAX)
		program->bytes.failed = true;
}

static void reg_expression(struct program *program, uint8_t how)
{
	uint64_t reg = tally_bytes_uleb(&program->bytes);
	struct reg_location place;

	take_expression(program, how, &place);
	if (!program->bytes.failed)
		reg_set(program, reg, place);
}

/* Set the CFA to a register plus `value`. If the register is not tracked, no rule is added. */
static void cfa_set(struct program *program, uint64_t reg, uint64_t value)
{
	bool is_known = reg < program->run->arch->nr;

	program->now.cfa_reg = is_known ? (uint8_t)reg : UINT8_MAX;
	program->now.cfa = (struct reg_location){.how = TALLY_CFA_REGISTER};
	program->now.cfa_offset = (int64_t)value;
}

static bool state_remember(struct program *program)
{
	if (program->nr_remembered == MAX_REMEMBERED)
		return false;
	program->remembered[program->nr_remembered++] = program->now;
	return true;
}

static bool state_restore(struct program *program)
{
	if (!program->nr_remembered)
		return false;
	program->now = program->remembered[--program->nr_remembered];
	return true;
}

/* ---- rows ----------------------------------------------------------------------- */

/* Convert a location to the value that a rule stores for it. Return 0, -ENOMEM, or -E2BIG if the
 * value does not fit in a rule. */
static int location_value(struct program *program, const struct reg_location *place, int64_t limit,
			  int32_t *ret_value)
{
	if (place->code)
		return tally_unwind_build_expression(program->run->build, place->code,
						     (size_t)place->value, ret_value);
	if (place->value >= limit || place->value < -limit)
		return -E2BIG;
	*ret_value = (int32_t)place->value;
	return 0;
}

/* Return true if an epilogue has restored the register from the stack. Compilers emit no call frame
 * information for this. The location stays the same, but is now below the stack pointer, where
 * memory is not dumped, and the register itself holds the value. A location that has always been
 * below the stack pointer is different: it is in the red zone of a leaf function, which may be
 * using the register for another value. */
static bool reg_is_restored(struct program *program, const struct state *state, uint8_t reg)
{
	const struct reg_location *place = &state->regs[reg];
	bool is_below = state->cfa.how == TALLY_CFA_REGISTER &&
			state->cfa_reg == program->run->arch->sp &&
			place->value < 0 - state->cfa_offset;

	if (place->how != TALLY_REG_OFFSET)
		return false;
	if (!is_below)
		program->stored |= UINT64_C(1) << reg;
	return is_below && program->stored >> reg & 1;
}

static int rule_regs(struct program *program, const struct state *state, uint32_t *words,
		     uint8_t *ret_nr)
{
	static const struct reg_location same = {.how = TALLY_REG_SAME};
	const struct reg_location *place;
	int32_t value;
	int ret;

	*ret_nr = 0;
	for (uint8_t reg = 0; reg < program->run->arch->nr; reg++) {
		if (!(state->set >> reg & 1))
			continue;
		place = reg_is_restored(program, state, reg) ? &same : &state->regs[reg];
		ret = location_value(program, place, 1 << (TALLY_UNWIND_VALUE_BITS - 1), &value);
		if (ret)
			return ret;
		words[(*ret_nr)++] =
			rule_reg_pack((struct tally_unwind_reg){reg, place->how, value});
	}
	return 0;
}

/* Return true if the return address is undefined, which marks the outermost frame. */
static bool state_is_outermost(const struct program *program)
{
	uint64_t ra = program->run->arch->ra;

	return program->now.set >> ra & 1 && program->now.regs[ra].how == TALLY_REG_UNDEFINED;
}

static uint32_t table_offset_here(const struct program *program)
{
	return (uint32_t)(program->at + program->run->shift);
}

/* Add a row that starts at the current address. If a value is too large for a rule, the row gets no
 * rule; real frames are never that large. */
static int row_add(struct program *program)
{
	struct tally_unwind_build *build = program->run->build;
	uint32_t at = table_offset_here(program);
	uint32_t words[TALLY_UNWIND_NR_REGS];
	struct reg_location cfa = program->now.cfa;
	struct tally_unwind_rule rule = {
		.cfa = program->now.cfa.how,
		.cfa_reg = program->now.cfa_reg,
		.is_signal = program->common->is_signal,
		.regs = words,
	};
	int ret;

	if (state_is_outermost(program)) {
		rule = (struct tally_unwind_rule){.cfa = TALLY_CFA_NONE, .regs = words};
		return tally_unwind_build_row(build, at, &rule);
	}
	if (rule.cfa == TALLY_CFA_REGISTER && rule.cfa_reg == UINT8_MAX)
		return tally_unwind_build_row(build, at, NULL);
	if (rule.cfa == TALLY_CFA_REGISTER)
		cfa.value = program->now.cfa_offset;
	ret = location_value(program, &cfa, INT32_MAX, &rule.cfa_value);
	if (!ret)
		ret = rule_regs(program, &program->now, words, &rule.nr_regs);
	if (ret == -E2BIG) {
		build->is_partial = true;
		return tally_unwind_build_row(build, at, NULL);
	}
	return ret ? ret : tally_unwind_build_row(build, at, &rule);
}

/* Advance to `to`, adding a row with the current rules for the code before it. */
static int advance(struct program *program, uint64_t to)
{
	int ret;

	if (program->is_start || to < program->at)
		return -EINVAL;
	if (to == program->at)
		return 0;
	ret = row_add(program);
	program->at = to;
	return ret;
}

static int advance_by(struct program *program, uint64_t units)
{
	uint64_t bytes;

	if (__builtin_mul_overflow(units, program->common->code_align, &bytes) ||
	    __builtin_add_overflow(bytes, program->at, &bytes))
		return -EINVAL;
	return advance(program, bytes);
}

/* ---- instructions ----------------------------------------------------------------- */

static int run_location(struct program *program, uint8_t op)
{
	struct tally_bytes_reader *bytes = &program->bytes;
	uint64_t to;

	switch (op) {
	case CFA_ADVANCE_LOC1: return advance_by(program, tally_bytes_u8(bytes));
	case CFA_ADVANCE_LOC2: return advance_by(program, tally_bytes_u16(bytes));
	case CFA_ADVANCE_LOC4: return advance_by(program, tally_bytes_u32(bytes));
	}
	/* Accept only absolute addresses: compilers never emit an address relative to its own
	 * location. */
	if (program->common->encoding & 0x70 ||
	    !tally_cfi_address(bytes, program->common->encoding, 0, &to))
		return -EINVAL;
	return advance(program, to);
}

static int run_cfa(struct program *program, uint8_t op)
{
	struct tally_bytes_reader *bytes = &program->bytes;
	int64_t align = program->common->data_align;
	struct state *now = &program->now;
	uint64_t reg;

	switch (op) {
	case CFA_DEF_CFA:
		reg = tally_bytes_uleb(bytes);
		cfa_set(program, reg, tally_bytes_uleb(bytes));
		return 0;
	case CFA_DEF_CFA_SF:
		reg = tally_bytes_uleb(bytes);
		cfa_set(program, reg, (uint64_t)tally_bytes_sleb(bytes) * (uint64_t)align);
		return 0;
	case CFA_DEF_CFA_REGISTER:
		cfa_set(program, tally_bytes_uleb(bytes), (uint64_t)now->cfa_offset);
		return 0;
	case CFA_DEF_CFA_OFFSET: now->cfa_offset = (int64_t)tally_bytes_uleb(bytes); return 0;
	case CFA_DEF_CFA_OFFSET_SF:
		now->cfa_offset = (int64_t)((uint64_t)tally_bytes_sleb(bytes) * (uint64_t)align);
		return 0;
	}
	take_expression(program, TALLY_CFA_EXPRESSION, &now->cfa);
	return 0;
}

static int run_offset(struct program *program, uint8_t op)
{
	struct tally_bytes_reader *bytes = &program->bytes;
	uint64_t reg = tally_bytes_uleb(bytes);

	switch (op) {
	case CFA_OFFSET_EXTENDED:
		reg_offset(program, reg, tally_bytes_uleb(bytes), TALLY_REG_OFFSET);
		return 0;
	case CFA_OFFSET_EXTENDED_SF:
		reg_offset(program, reg, (uint64_t)tally_bytes_sleb(bytes), TALLY_REG_OFFSET);
		return 0;
	case CFA_VAL_OFFSET:
		reg_offset(program, reg, tally_bytes_uleb(bytes), TALLY_REG_VAL_OFFSET);
		return 0;
	case CFA_VAL_OFFSET_SF:
		reg_offset(program, reg, (uint64_t)tally_bytes_sleb(bytes), TALLY_REG_VAL_OFFSET);
		return 0;
	}
	reg_offset(program, reg, 0 - tally_bytes_uleb(bytes), TALLY_REG_OFFSET);
	return 0;
}

static int run_register(struct program *program, uint8_t op)
{
	struct tally_bytes_reader *bytes = &program->bytes;
	uint64_t reg, from;

	switch (op) {
	case CFA_EXPRESSION: reg_expression(program, TALLY_REG_EXPRESSION); return 0;
	case CFA_VAL_EXPRESSION: reg_expression(program, TALLY_REG_VAL_EXPRESSION); return 0;
	}
	reg = tally_bytes_uleb(bytes);
	switch (op) {
	case CFA_RESTORE_EXTENDED: reg_restore(program, reg); return 0;
	case CFA_UNDEFINED:
		reg_set(program, reg, (struct reg_location){.how = TALLY_REG_UNDEFINED});
		return 0;
	case CFA_SAME_VALUE:
		reg_set(program, reg, (struct reg_location){.how = TALLY_REG_SAME});
		return 0;
	}
	from = tally_bytes_uleb(bytes);
	if (from >= program->run->arch->nr)
		return -EINVAL;
	reg_set(program, reg,
		(struct reg_location){.value = (int64_t)from, .how = TALLY_REG_REGISTER});
	return 0;
}

static int run_other(struct program *program, uint8_t op)
{
	switch (op) {
	case CFA_REMEMBER_STATE: return state_remember(program) ? 0 : -EINVAL;
	case CFA_RESTORE_STATE: return state_restore(program) ? 0 : -EINVAL;
	case CFA_GNU_ARGS_SIZE: tally_bytes_uleb(&program->bytes); return 0;
	}
	return 0; /* DW_CFA_nop; or return address signing, which is handled for every frame */
}

/* Instruction handlers, or NULL for unknown instructions. */
static int (*const runners[64])(struct program *program, uint8_t op) = {
	[0] = run_other,
	[CFA_SET_LOC] = run_location,
	[CFA_ADVANCE_LOC1] = run_location,
	[CFA_ADVANCE_LOC2] = run_location,
	[CFA_ADVANCE_LOC4] = run_location,
	[CFA_OFFSET_EXTENDED] = run_offset,
	[CFA_RESTORE_EXTENDED] = run_register,
	[CFA_UNDEFINED] = run_register,
	[CFA_SAME_VALUE] = run_register,
	[CFA_REGISTER] = run_register,
	[CFA_REMEMBER_STATE] = run_other,
	[CFA_RESTORE_STATE] = run_other,
	[CFA_DEF_CFA] = run_cfa,
	[CFA_DEF_CFA_REGISTER] = run_cfa,
	[CFA_DEF_CFA_OFFSET] = run_cfa,
	[CFA_DEF_CFA_EXPRESSION] = run_cfa,
	[CFA_EXPRESSION] = run_register,
	[CFA_OFFSET_EXTENDED_SF] = run_offset,
	[CFA_DEF_CFA_SF] = run_cfa,
	[CFA_DEF_CFA_OFFSET_SF] = run_cfa,
	[CFA_VAL_OFFSET] = run_offset,
	[CFA_VAL_OFFSET_SF] = run_offset,
	[CFA_VAL_EXPRESSION] = run_register,
	[CFA_ARM_NEGATE_RA_STATE_WITH_PC] = run_other,
	[CFA_ARM_NEGATE_RA_STATE] = run_other,
	[CFA_GNU_ARGS_SIZE] = run_other,
	[CFA_GNU_NEGATIVE_OFFSET_EXTENDED] = run_offset,
};

static int run_one(struct program *program)
{
	uint8_t op = tally_bytes_u8(&program->bytes);

	switch (op & 0xc0) {
	case CFA_ADVANCE_LOC: return advance_by(program, op & 0x3f);
	case CFA_OFFSET:
		reg_offset(program, op & 0x3f, tally_bytes_uleb(&program->bytes), TALLY_REG_OFFSET);
		return 0;
	case CFA_RESTORE: reg_restore(program, op & 0x3f); return 0;
	}
	return runners[op] ? runners[op](program, op) : -EINVAL;
}

static int run_all(struct program *program, struct tally_cfi_program code, uint64_t end)
{
	int ret = 0;

	program->bytes = (struct tally_bytes_reader){code.code, code.code + code.len,
						     program->run->swap, false};
	if (code.len > program->run->budget)
		return -E2BIG;
	program->run->budget -= code.len;
	while (!ret && tally_bytes_left(&program->bytes) && program->at < end) {
		ret = run_one(program);
		if (program->bytes.failed)
			return -EINVAL;
	}
	return ret;
}

int tally_cfi_run(struct tally_cfi_run *run, const struct tally_cfi_entry *entry, uint64_t end)
{
	struct program program; /* large, so its `remembered` array is not cleared */
	uint64_t end_address = end - run->shift;
	int ret;

	program.run = run;
	program.common = &entry->common;
	program.at = entry->start;
	program.now = (struct state){.cfa_reg = UINT8_MAX};
	program.start = program.now;
	program.nr_remembered = 0;
	program.stored = 0;
	program.is_start = true;
	ret = run_all(&program, entry->common.start, end_address);
	program.start = program.now;
	program.is_start = false;
	if (!ret)
		ret = run_all(&program, entry->program, end_address);
	if (!ret && program.at < end_address)
		ret = row_add(&program);
	if (ret == -EINVAL &&
	    !tally_unwind_build_row(run->build, table_offset_here(&program), NULL))
		return -EINVAL;
	return ret;
}
