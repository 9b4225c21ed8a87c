/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Disassembler: decodes machine code one instruction at a time into address, text and branch
 * target.
 *
 *	struct tally_disasm_code code = {bytes, len, address};
 *	struct tally_instruction insn;
 *	while (tally_disasm_next(disasm, &code, &insn))
 *		...
 *
 * The decoder is Capstone, which is loaded when the first disassembler is created. Supported
 * machines: x86 (32 and 64 bits), AArch64, ARM, PowerPC, S/390, MIPS.
 *
 * Not supported: Thumb and RISC-V (Capstone 4 does not decode RISC-V), following jumps, symbols,
 * relocations. Data embedded in code is decoded as instructions.
 */
#ifndef TALLY_DISASM_DISASM_H
#define TALLY_DISASM_DISASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "disasm/memory_operand.h"

struct tally_disasm;

struct tally_disasm_options {
	uint16_t machine; /* EM_... from the ELF header */
	bool is64, is_big_endian;
	bool is_intel;   /* x86: Intel syntax instead of AT&T syntax (always with has_memory) */
	bool has_memory; /* x86-64, AArch64: fill in `memory` */
};

/* Bytes that remain to be decoded. */
struct tally_disasm_code {
	const uint8_t *bytes;
	size_t len;
	uint64_t address; /* address of the first byte */
};

/* An instruction's effect on control flow. */
enum tally_instruction_kind {
	TALLY_INSTRUCTION_OTHER, /* execution continues with the next instruction */
	TALLY_INSTRUCTION_JUMP,
	TALLY_INSTRUCTION_JUMP_IF, /* conditional jump */
	TALLY_INSTRUCTION_CALL,
	TALLY_INSTRUCTION_RETURN,
	TALLY_INSTRUCTION_UNKNOWN, /* the decoder does not know these bytes */
};

struct tally_instruction {
	uint64_t address;
	const uint8_t *bytes; /* points into the code */
	uint8_t len;
	uint8_t kind;                       /* enum tally_instruction_kind */
	bool has_target;                    /* a jump or call with a target address */
	bool has_reference;                 /* a memory operand with a known address */
	uint64_t target;                    /* the address of the target or reference */
	uint8_t target_at;                  /* offset of the target in `operands`, if has_target */
	const char *mnemonic;               /* ".byte" for unknown bytes */
	const char *operands;               /* valid until the next call, like mnemonic */
	struct tally_memory_operand memory; /* all zero unless requested in the options */
};

/* Return true if this program was built with Capstone and its library can be loaded. */
bool tally_disasm_available(void);

/* Return the file name of the library, or NULL if this program was built without Capstone. The
 * string is constant. */
const char *tally_disasm_library(void);

/* Create a disassembler. The caller frees it with tally_disasm_free(). Return 0, -ENOTSUP if the
 * machine is not supported, -ENOSYS if tally_disasm_available() is false, or -ENOMEM. */
int tally_disasm_new(const struct tally_disasm_options *options, struct tally_disasm **ret_disasm);

/* Free the disassembler. NULL is allowed. */
void tally_disasm_free(struct tally_disasm *disasm);

/* Decode the instruction at the start of `code` and advance `code` past it. Unknown bytes become an
 * instruction of kind UNKNOWN, with its actual length if that can be determined. Return false if no
 * bytes are left. */
bool tally_disasm_next(struct tally_disasm *disasm, struct tally_disasm_code *code,
		       struct tally_instruction *ret_insn);

#endif
