/* SPDX-License-Identifier: BSD-2-Clause */
#include "unwind/frame.h"

#include <errno.h>

#include "unwind/expression.h"

/* State while unwinding one frame. */
struct step {
	const struct tally_unwind_arch *arch;
	const struct tally_unwind_table *table;
	const struct tally_unwind_memory *memory;
	unsigned *steps; /* remaining operations for expressions */
	const struct tally_unwind_regs *regs;
	uint64_t cfa;
	uint64_t missing;
};

static int word_read(struct step *step, uint64_t addr, uint64_t *ret_word)
{
	if (tally_unwind_memory_word(step->memory, addr, ret_word))
		return 0;
	step->missing = addr;
	return -EFAULT;
}

static int step_evaluate(struct step *step, int32_t value, const uint64_t *first,
			 uint64_t *ret_value)
{
	struct tally_expression expression = {.swap = step->memory->swap, .steps = step->steps};

	if (!tally_unwind_table_expression(step->table, value, &expression.code, &expression.len))
		return -EINVAL;
	return tally_expression_evaluate(&expression, step->regs, step->memory, first, ret_value,
					 &step->missing);
}

/* Find the caller's value of a register. */
static int reg_value(struct step *step, struct tally_unwind_reg reg, uint64_t *ret_value)
{
	uint64_t value = step->cfa + (uint64_t)(int64_t)reg.value;
	int ret;

	switch (reg.how) {
	case TALLY_REG_OFFSET: return word_read(step, value, ret_value);
	case TALLY_REG_VAL_OFFSET: *ret_value = value; return 0;
	case TALLY_REG_REGISTER:
	case TALLY_REG_SAME:
		reg.reg = reg.how == TALLY_REG_SAME ? reg.reg : (uint8_t)reg.value;
		return reg.reg < TALLY_UNWIND_NR_REGS &&
				       tally_unwind_reg(step->regs, reg.reg, ret_value)
			       ? 0
			       : -ENODATA;
	case TALLY_REG_EXPRESSION:
		ret = step_evaluate(step, reg.value, &step->cfa, &value);
		return ret ? ret : word_read(step, value, ret_value);
	case TALLY_REG_VAL_EXPRESSION: return step_evaluate(step, reg.value, &step->cfa, ret_value);
	}
	return -ENODATA;
}

static int cfa_find(struct step *step, const struct tally_unwind_rule *rule)
{
	if (rule->cfa == TALLY_CFA_EXPRESSION)
		return step_evaluate(step, rule->cfa_value, NULL, &step->cfa);
	if (rule->cfa != TALLY_CFA_REGISTER || rule->cfa_reg >= TALLY_UNWIND_NR_REGS ||
	    !tally_unwind_reg(step->regs, rule->cfa_reg, &step->cfa))
		return -EINVAL;
	step->cfa += (uint64_t)(int64_t)rule->cfa_value;
	return 0;
}

/* Read all registers from the context that the kernel saved for a signal. */
static int context_read(struct step *step, struct tally_unwind_regs *next)
{
	uint64_t sp, value;
	int ret = tally_unwind_reg(step->regs, step->arch->sp, &sp) ? 0 : -EINVAL;

	for (unsigned i = 0; i < step->arch->nr_context && !ret; i++) {
		const struct tally_unwind_saved *saved = &step->arch->context[i];

		ret = word_read(step, sp + saved->at, &value);
		if (!ret)
			tally_unwind_reg_set(next, saved->reg, value);
	}
	return ret;
}

/* Find the caller's registers. Registers that cannot be found become unknown, which is an error
 * only for the return address. Running out of steps is always an error. */
static int regs_find(struct step *step, const struct tally_unwind_rule *rule,
		     struct tally_unwind_regs *next)
{
	uint64_t value;
	int ret;

	for (unsigned i = 0; i < rule->nr_regs; i++) {
		struct tally_unwind_reg reg = tally_unwind_rule_reg(rule, i);

		if (reg.reg >= TALLY_UNWIND_NR_REGS)
			return -EINVAL;
		ret = reg_value(step, reg, &value);
		if (!ret)
			tally_unwind_reg_set(next, reg.reg, value);
		else if (reg.reg == step->arch->ra || ret == -E2BIG)
			return ret;
		else
			next->known &= ~(UINT64_C(1) << reg.reg);
	}
	return 0;
}

/* Set the caller's instruction pointer from the return address. */
static int ip_find(const struct step *step, struct tally_unwind_regs *next)
{
	const struct tally_unwind_arch *arch = step->arch;
	uint64_t ip;

	if (arch->ra == arch->ip)
		return next->known >> arch->ip & 1 ? 0 : -EINVAL;
	if (!tally_unwind_reg(next, arch->ra, &ip))
		return -EINVAL;
	tally_unwind_reg_set(next, arch->ip, ip);
	return 0;
}

static int by_rule(struct step *step, const struct tally_unwind_rule *rule,
		   struct tally_unwind_regs *next)
{
	const struct tally_unwind_arch *arch = step->arch;
	int ret;

	if (rule->cfa == TALLY_CFA_NONE)
		return -ENODATA;
	next->known = 0;
	if (rule->cfa == TALLY_CFA_CONTEXT)
		return context_read(step, next);
	ret = cfa_find(step, rule);
	if (ret)
		return ret;
	__builtin_memcpy(next->value, step->regs->value, sizeof(next->value));
	next->known = step->regs->known & arch->kept;
	/* In a leaf function, the return address is still in the link register. */
	if (arch->ra != arch->ip)
		next->known |= step->regs->known & UINT64_C(1) << arch->ra;
	tally_unwind_reg_set(next, arch->sp, step->cfa);
	ret = regs_find(step, rule, next);
	return ret ? ret : ip_find(step, next);
}

int tally_unwind_frame_by_rule(const struct tally_unwind_arch *arch,
			       const struct tally_unwind_table *table,
			       const struct tally_unwind_rule *rule,
			       const struct tally_unwind_memory *memory, unsigned *steps,
			       struct tally_unwind_regs *regs, uint64_t *ret_missing)
{
	struct step step = {arch, table, memory, steps, regs};
	struct tally_unwind_regs next;
	int ret = by_rule(&step, rule, &next);

	if (ret == -EFAULT)
		*ret_missing = step.missing;
	if (!ret)
		*regs = next;
	return ret;
}

int tally_unwind_frame_by_pointer(const struct tally_unwind_arch *arch,
				  const struct tally_unwind_memory *memory,
				  struct tally_unwind_regs *regs)
{
	uint64_t fp, sp, caller_fp, ip;
	bool has_caller;

	if (!tally_unwind_reg(regs, arch->fp, &fp) || !tally_unwind_reg(regs, arch->sp, &sp))
		return -EINVAL;
	if (!fp)
		return -ENODATA;
	/* Allow a frame pointer one word below the stack pointer. When Go code calls a frameless
	 * function such as duffzero, it saves the frame pointer there, below the return address. */
	if (fp + 8 < sp || fp % 8)
		return -EINVAL;
	if (!tally_unwind_memory_word(memory, fp + 8, &ip))
		return -EFAULT;
	has_caller = tally_unwind_memory_word(memory, fp, &caller_fp);
	if (!has_caller && fp >= sp)
		return -EFAULT;
	regs->known = 0;
	if (has_caller)
		tally_unwind_reg_set(regs, arch->fp, caller_fp);
	tally_unwind_reg_set(regs, arch->sp, fp + 16);
	tally_unwind_reg_set(regs, arch->ip, ip);
	return 0;
}
