/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What unwinding has to know of an architecture. Registers have their numbers of DWARF; on
 * AArch64, where the instruction pointer has none, it is 32.
 *
 * Sources: "System V ABI, AMD64 supplement", 3.6.2; "DWARF for the Arm 64-bit Architecture"; of
 * recorded registers <asm/perf_regs.h>.
 */
#ifndef TALLY_UNWIND_ARCH_H
#define TALLY_UNWIND_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TALLY_UNWIND_NR_REGS = 33 };

/* The registers of one frame. */
struct tally_unwind_regs {
	uint64_t value[TALLY_UNWIND_NR_REGS];
	uint64_t known; /* bit n: value[n] is one */
};

/* Instructions that end in the system call sigreturn: the frame that a signal left. */
struct tally_unwind_trampoline {
	uint8_t len;
	uint8_t code[15];
};

struct tally_unwind_arch {
	uint16_t machine;      /* EM_* */
	uint8_t nr;            /* registers that rules may name */
	uint8_t ip, sp, fp;    /* numbers */
	uint8_t ra;            /* where rules keep the return address: ip or the link register */
	uint64_t kept;         /* registers that a call gives back as they were */
	uint64_t address_mask; /* bits of an address of user space; others may be a signature */
	uint8_t nr_perf;
	const uint8_t *perf; /* number by that of PERF_SAMPLE_REGS_USER */
	uint16_t context_sp; /* from a sigreturn's stack pointer to the one that was interrupted */
	uint8_t nr_context;
	const struct tally_unwind_saved {
		uint8_t reg;
		uint16_t at; /* from a sigreturn's stack pointer */
	} * context;         /* the registers that were interrupted */
	const struct tally_unwind_trampoline *trampolines;
	size_t nr_trampolines;
};

/* The architecture of e_machine, NULL for one that is not known. */
const struct tally_unwind_arch *tally_unwind_arch(uint16_t machine);

/* The same by what uname(2) calls it: "x86_64", "aarch64"; or as others do: "amd64", "arm64". */
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
