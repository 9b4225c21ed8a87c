/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Architecture-specific data for unwinding. Registers are identified by their DWARF numbers. On
 * AArch64, the instruction pointer has no DWARF number and is register 32.
 *
 * Sources: "System V ABI, AMD64 supplement", 3.6.2; "DWARF for the Arm 64-bit Architecture"; for
 * recorded registers, <asm/perf_regs.h>.
 */
#ifndef TALLY_UNWIND_ARCH_H
#define TALLY_UNWIND_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TALLY_UNWIND_NR_REGS = 33 };

/* Registers of one frame. */
struct tally_unwind_regs {
	uint64_t value[TALLY_UNWIND_NR_REGS];
	uint64_t known; /* bit n is set if value[n] is valid */
};

/* Instructions to which a signal handler returns, ending with the sigreturn system call. */
struct tally_unwind_trampoline {
	uint8_t len;
	uint8_t code[15];
};

struct tally_unwind_arch {
	uint16_t machine;      /* EM_* */
	uint8_t nr;            /* number of registers that rules can refer to */
	uint8_t ip, sp, fp;    /* register numbers */
	uint8_t ra;            /* return address in rules: ip or the link register */
	uint64_t kept;         /* registers that calls preserve */
	uint64_t address_mask; /* bits of a user-space address; other bits may be a signature */
	uint8_t nr_perf;
	const uint8_t *perf; /* DWARF numbers, indexed by PERF_SAMPLE_REGS_USER number */
	uint16_t context_sp; /* saved stack pointer: offset from SP at sigreturn */
	uint8_t nr_context;
	const struct tally_unwind_saved {
		uint8_t reg;
		uint16_t at; /* offset from SP at sigreturn */
	} * context;         /* saved registers of the interrupted code */
	const struct tally_unwind_trampoline *trampolines;
	size_t nr_trampolines;
};

/* Return the architecture for e_machine, or NULL if it is not supported. */
const struct tally_unwind_arch *tally_unwind_arch(uint16_t machine);

/* Return the architecture with the given name, as in uname(2) ("x86_64", "aarch64") or elsewhere
 * ("amd64", "arm64"). */
const struct tally_unwind_arch *tally_unwind_arch_named(const char *name);

static inline bool tally_unwind_reg(const struct tally_unwind_regs *regs, uint8_t reg,
				    uint64_t *ret_value)
{
	if (!(regs->known >> reg & 1))
		return false;
	*ret_value = regs->value[reg];
	return true;
}

static inline void tally_unwind_reg_set(struct tally_unwind_regs *regs, uint8_t reg, uint64_t value)
{
	regs->value[reg] = value;
	regs->known |= UINT64_C(1) << reg;
}

#endif
