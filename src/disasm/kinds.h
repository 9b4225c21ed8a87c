/* SPDX-License-Identifier: BSD-2-Clause */
/* What an instruction does, by its text as Capstone writes it. */
#ifndef TALLY_DISASM_KINDS_H
#define TALLY_DISASM_KINDS_H

#include "disasm/disasm.h"

/* What the instruction with this mnemonic and these operands does. */
enum tally_instruction_kind disasm_kind(uint16_t machine, const char *mnemonic,
					const char *operands);

/* The number that is the last operand as a whole, "0x1016" of "%r14, 0x1016", and where that
 * operand begins. */
bool disasm_target(const char *operands, uint64_t *ret_target, uint8_t *ret_at);

/* How far an operand of x86 is from the next instruction, "0x10(%rip)" or "[rip + 0x10]". */
bool disasm_distance(const char *operands, uint64_t *ret_distance);

/* How many of `len` bytes, at least one, at which there is no known instruction belong together. */
size_t disasm_unknown_length(uint16_t machine, const uint8_t *bytes, size_t len);

#endif
