/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Follow the base register of a memory access back to the instructions that set it:
 *
 *	mov 8(%rdi),%rax
 *	mov 16(%rax),%ecx
 *
 * The second instruction accesses the memory at the pointer at 8(%rdi), plus 16. A register may
 * also contain the value that a function returned. Registers are followed up to the start of the
 * block: the last instruction that is the target of a jump, or that follows an unconditional one.
 */
#ifndef TALLY_PROFILE_ANNOTATE_DATA_STEPS_H
#define TALLY_PROFILE_ANNOTATE_DATA_STEPS_H

#include "base/map.h"
#include "base/vec.h"
#include "disasm/disasm.h"
#include "symbols/lines/symbols_types.h"

/* An instruction. */
struct data_step {
	uint64_t addr;   /* linked address */
	uint64_t called; /* linked address of the function that it calls, or 0 */
	struct tally_memory_operand memory;
	bool starts_block;
};

/* A function's instructions in order. All zero is a function without instructions. */
struct data_steps {
	TALLY_VEC(struct data_step) all;
};

/* Decode a function. A function with indirect jumps gets no instructions, because the starts of its
 * blocks are unknown. Returns 0 or -ENOMEM. */
int data_steps_decode(struct tally_disasm *disasm, struct tally_disasm_code code,
		      struct data_steps *ret_steps);

/* Replace the base register in a question about the instruction at `question->pc` by the memory,
 * register or function that it was last set from. Returns false if that is unknown. */
bool data_steps_follow(const struct data_steps *steps, struct tally_variable_question *question);

#endif
