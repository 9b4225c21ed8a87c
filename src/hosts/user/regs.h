/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers of a stopped thread, by their numbers in perf records. There is one file per
 * architecture: regs_x86_64.c, regs_aarch64.c; regs_none.c is for all others. */
#ifndef TALLY_HOSTS_USER_REGS_H
#define TALLY_HOSTS_USER_REGS_H

#include <stdbool.h>
#include <stdint.h>

enum { USER_REGS_MAX = 40 };

/* In the layout of ptrace(2). */
struct user_regs {
	uint64_t word[USER_REGS_MAX];
	bool narrow; /* a 32-bit program */
};

/* Read the registers of a stopped thread. Returns 0; -ESRCH; -EOPNOTSUPP on an unknown
 * architecture. */
int user_regs_read(int32_t tid, struct user_regs *ret_regs);

/*
 * Restart a system call that a requested stop ended. The stop makes some waits fail with EINTR,
 * which the program would not have seen otherwise: those with a timeout, which the kernel does not
 * restart. The stopped thread makes the call again when it continues, unless a signal is pending;
 * it may wait for up to its timeout once more. Does nothing on an architecture that does not
 * preserve the number of the call.
 */
void user_regs_restart_wait(int32_t tid);

/* Return the available registers: bit n is number n of PERF_SAMPLE_REGS_USER. Constant. */
uint64_t user_regs_mask(void);

/* Return the register with this number; 0 if it is not available. */
uint64_t user_regs_get(const struct user_regs *regs, uint32_t number);

/* Return PERF_SAMPLE_REGS_ABI_*. */
uint64_t user_regs_abi(const struct user_regs *regs);

uint64_t user_regs_ip(const struct user_regs *regs);
uint64_t user_regs_sp(const struct user_regs *regs);
uint64_t user_regs_fp(const struct user_regs *regs);

#endif
