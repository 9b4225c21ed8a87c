/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/annotate/data_steps.h"

#include <errno.h>
#include <string.h>

/* Maximum number of instructions between the access and the one that sets its base register. */
enum { DISTANCE_MAX = 256 };

/* Return the index of the first instruction at or after an address. */
static size_t steps_find(const struct data_steps *steps, uint64_t addr)
{
	size_t low = 0, high = steps->all.len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (steps->all.data[middle].addr < addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_jump(const struct tally_instruction *insn)
{
	return insn->kind == TALLY_INSTRUCTION_JUMP || insn->kind == TALLY_INSTRUCTION_JUMP_IF;
}

/* Return true if execution does not continue with the next instruction. */
static bool ends_block(const struct tally_instruction *insn)
{
	return insn->kind == TALLY_INSTRUCTION_JUMP || insn->kind == TALLY_INSTRUCTION_RETURN ||
	       insn->kind == TALLY_INSTRUCTION_UNKNOWN;
}

/* Mark the instructions that are targets of jumps. A target in the middle of an instruction makes
 * the next one a target. */
static void mark_targets(struct data_steps *steps, const uint64_t *targets, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		size_t at = steps_find(steps, targets[i]);

		if (at < steps->all.len)
			steps->all.data[at].starts_block = true;
	}
}

int data_steps_decode(struct tally_disasm *disasm, struct tally_disasm_code code,
		      struct data_steps *ret_steps)
{
	TALLY_VEC(uint64_t) targets = {0};
	struct data_steps steps = {0};
	struct tally_instruction insn;
	bool starts_block = true, is_known = true;
	int ret = 0;

	while (!ret && is_known && tally_disasm_next(disasm, &code, &insn)) {
		bool is_call = insn.kind == TALLY_INSTRUCTION_CALL && insn.has_target;

		ret = tally_vec_push(&steps.all,
				     (struct data_step){insn.address, is_call ? insn.target : 0,
							insn.memory, starts_block});
		if (!ret && is_jump(&insn) && insn.has_target)
			ret = tally_vec_push(&targets, insn.target);
		is_known = !is_jump(&insn) || insn.has_target;
		starts_block = ends_block(&insn);
	}
	mark_targets(&steps, targets.data, targets.len);
	tally_vec_free(&targets);
	if (ret || !is_known)
		tally_vec_free(&steps.all);
	*ret_steps = steps;
	return ret;
}

/* Let a question start with the value that a function returned. Integers and pointers are returned
 * in rax and x0, which both have the number 0. */
static bool start_returned(const struct data_step *step, struct tally_variable_question *question)
{
	if (!step->called || question->base)
		return false;
	question->pc = step->called;
	question->base = TALLY_VARIABLE_RETURNED;
	return true;
}

/* Let a question start at the instruction that set its base register. */
static bool start_at(const struct data_step *step, struct tally_variable_question *question)
{
	bool is_load = step->memory.kind == TALLY_OPERAND_MEMORY;

	question->pc = step->addr;
	if (step->memory.source != TALLY_REGISTER_NONE) {
		question->base = step->memory.source;
		return true;
	}
	question->base = step->memory.base;
	if (!is_load)
		return !__builtin_add_overflow(question->offsets[0], step->memory.offset,
					       &question->offsets[0]);
	if (question->nr == TALLY_VARIABLE_OFFSETS_MAX)
		return false;
	memmove(question->offsets + 1, question->offsets,
		question->nr++ * sizeof(*question->offsets));
	question->offsets[0] = step->memory.offset;
	return true;
}

bool data_steps_follow(const struct data_steps *steps, struct tally_variable_question *question)
{
	size_t at = steps_find(steps, question->pc);
	uint32_t bit;

	if (question->base < 0 || question->base >= TALLY_REGISTERS || at == steps->all.len ||
	    steps->all.data[at].addr != question->pc)
		return false;
	bit = 1u << question->base;
	for (size_t i = 0; i < DISTANCE_MAX && !steps->all.data[at].starts_block; i++) {
		const struct data_step *step = &steps->all.data[--at];

		if (!(step->memory.changed & bit))
			continue;
		if (step->memory.target == question->base)
			return start_at(step, question);
		return start_returned(step, question);
	}
	return false;
}
