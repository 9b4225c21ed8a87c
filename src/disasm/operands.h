/* SPDX-License-Identifier: BSD-2-Clause */
/* Read an instruction's operands from Capstone's details. */
#ifndef TALLY_DISASM_OPERANDS_H
#define TALLY_DISASM_OPERANDS_H

#include <capstone.h>

#include "disasm/disasm.h"

/* Fill in the access of an x86-64 or AArch64 instruction, which was decoded with details. `insn`
 * has its other members. */
void disasm_memory_operand(uint16_t machine, const cs_insn *decoded,
			   struct tally_instruction *insn);

#endif
