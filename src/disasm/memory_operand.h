/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory that an instruction accesses, and the general registers that it changes. Registers
 * are numbered as in DWARF (System V ABI, AMD64 and AArch64 supplements). */
#ifndef TALLY_DISASM_MEMORY_OPERAND_H
#define TALLY_DISASM_MEMORY_OPERAND_H

#include <stdbool.h>
#include <stdint.h>

enum {
	TALLY_REGISTER_NONE = -1, /* the offset is an address */
	TALLY_REGISTERS = 32,     /* number of general registers that are distinguished */
};

/* Use of the memory operand. */
enum tally_operand_kind {
	TALLY_OPERAND_NONE,    /* there is no memory operand */
	TALLY_OPERAND_MEMORY,  /* memory is read or written */
	TALLY_OPERAND_STACK,   /* no memory operand, but a push, pop, call or return */
	TALLY_OPERAND_SEGMENT, /* memory at an unknown base: thread-local or per-CPU data */
	TALLY_OPERAND_ADDRESS, /* the address is computed, but not accessed */
};

struct tally_memory_operand {
	uint8_t kind;   /* enum tally_operand_kind */
	int8_t base;    /* base register of the operand, or TALLY_REGISTER_NONE */
	int64_t offset; /* from the base register, or a linked address; an index is ignored */
	/* Bits of the registers that get a new value. */
	uint32_t changed;
	/* A register that gets the value of `source` (a copy), that of the memory operand (a
	 * load), or the operand's address (kind ADDRESS). All 64 bits are set. TALLY_REGISTER_NONE
	 * if the value is something else. `source` is TALLY_REGISTER_NONE unless this is a copy. */
	int8_t target, source;
};

#endif
