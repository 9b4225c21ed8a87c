/* SPDX-License-Identifier: BSD-2-Clause */
/* Classify instructions by the text that Capstone produces for them. */
#ifndef TALLY_DISASM_KINDS_H
#define TALLY_DISASM_KINDS_H

#include "disasm/disasm.h"

/* Return the kind of the instruction with this mnemonic and these operands. */
enum tally_instruction_kind disasm_kind(uint16_t machine, const char *mnemonic,
					const char *operands);

/* Get the target of a jump or call: the last operand if it is a plain number, such as "0x1016" in
 * "%r14, 0x1016". `*ret_at` is the offset of that operand. Return false if it is not a number. */
bool disasm_target(const char *operands, uint64_t *ret_target, uint8_t *ret_at);

/* Get the distance of an x86 memory operand from the next instruction, as in "0x10(%rip)" or "[rip
 * + 0x10]". Return false if there is no such operand. */
bool disasm_distance(const char *operands, uint64_t *ret_distance);

/* Return the length of the unknown instruction at `bytes`, from 1 to `len`. `len` is at least 1. */
size_t disasm_unknown_length(uint16_t machine, const uint8_t *bytes, size_t len);

#endif
