/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Machine code as instructions, one by one: where each is, its text, and where it leads to.
 *
 *	struct tally_disasm_code code = {bytes, len, address};
 *	struct tally_instruction insn;
 *	while (tally_disasm_next(disasm, &code, &insn))
 *		...
 *
 * Capstone decodes, which is loaded at the first use. Machines: x86 (32 and 64 bits), AArch64, ARM,
 * PowerPC, S/390, MIPS.
 *
 * It does not: decode Thumb or RISC-V (Capstone 4 has none); follow jumps; know symbols; apply
 * relocations. Code with data in it is decoded as code.
 */
#ifndef TALLY_DISASM_DISASM_H
#define TALLY_DISASM_DISASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tally_disasm;

struct tally_disasm_options {
	uint16_t machine; /* EM_... of an ELF header */
	bool is64, is_big_endian;
	bool is_intel; /* of x86: Intel's syntax, not AT&T's */
};

/* Bytes that are left to be decoded. */
struct tally_disasm_code {
	const uint8_t *bytes;
	size_t len;
	uint64_t address; /* of the first one */
};

/* Where control goes behind an instruction. */
enum tally_instruction_kind {
	TALLY_INSTRUCTION_OTHER, /* to the next one */
	TALLY_INSTRUCTION_JUMP,
	TALLY_INSTRUCTION_JUMP_IF, /* elsewhere, or to the next one */
	TALLY_INSTRUCTION_CALL,
	TALLY_INSTRUCTION_RETURN,
	TALLY_INSTRUCTION_UNKNOWN, /* the bytes are none that the decoder knows */
};

struct tally_instruction {
	uint64_t address;
	const uint8_t *bytes; /* of the code */
	uint8_t len;
	uint8_t kind;         /* enum tally_instruction_kind */
	bool has_target;      /* a jump or call to an address that its bytes tell: */
	bool has_reference;   /* or an operand in memory whose address they tell: */
	uint64_t target;      /* the address of either */
	uint8_t target_at;    /* of a target: where in the operands it begins */
	const char *mnemonic; /* ".byte" of bytes that are no instruction */
	const char *operands; /* both valid until the next call */
};

/* Whether this program was built with Capstone, and its library is here. */
bool tally_disasm_available(void);

/* The file name of that library; NULL: this program was built without. */
const char *tally_disasm_library(void);

/* 0; -ENOTSUP of a machine that is not known here; -ENOSYS where tally_disasm_available()
 * is false; -ENOMEM. The caller frees `*ret_disasm`. */
int tally_disasm_new(const struct tally_disasm_options *options, struct tally_disasm **ret_disasm);

/* NULL is allowed. */
void tally_disasm_free(struct tally_disasm *disasm);

/* Decode the instruction at the start of `code`, which moves behind it. Bytes that are none become
 * one of kind UNKNOWN, as long as the machine's instructions are or as can be told. False: none are
 * left. */
bool tally_disasm_next(struct tally_disasm *disasm, struct tally_disasm_code *code,
		       struct tally_instruction *ret_insn);

#endif
