/* SPDX-License-Identifier: BSD-2-Clause */
/* A stopped thread's registers, indexed by their perf register numbers. There is one file per
 * architecture: regs_x86_64.c, regs_aarch64.c, and regs_none.c for all others. */
#ifndef TALLY_HOSTS_USER_REGS_H
#define TALLY_HOSTS_USER_REGS_H

#include <stdbool.h>
#include <stdint.h>

enum { USER_REGS_MAX = 40 };

/* Registers in the layout of ptrace(2). */
struct user_regs {
	uint64_t word[USER_REGS_MAX];
	bool narrow; /* the program is a 32-bit program */
};

/* Read the registers of a stopped thread. Returns 0, -ESRCH, or -EOPNOTSUPP on an unknown
 * architecture. */
int user_regs_read(int32_t tid, struct user_regs *ret_regs);

/*
 * Restart a system call that was interrupted by a requested stop. The stop makes some waits that
 * the kernel does not restart, such as waits with a timeout, fail with an EINTR that the program
 * would not have seen otherwise. The stopped thread makes the call again when it continues, unless
 * a signal is pending; the repeated call may wait for the whole timeout again. Does nothing on
 * architectures that do not preserve the system call number.
 */
void user_regs_restart_wait(int32_t tid);

/* Return the mask of available registers; bit n is register n of PERF_SAMPLE_REGS_USER. The mask is
 * constant. */
uint64_t user_regs_mask(void);

/* Return the register with this number, or 0 if it is not available. */
uint64_t user_regs_get(const struct user_regs *regs, uint32_t number);

/* Return PERF_SAMPLE_REGS_ABI_*. */
uint64_t user_regs_abi(const struct user_regs *regs);

uint64_t user_regs_ip(const struct user_regs *regs);
uint64_t user_regs_sp(const struct user_regs *regs);
uint64_t user_regs_fp(const struct user_regs *regs);

#endif
