/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers of a stopped thread, by their numbers in perf records. One file for each architecture:
 * regs_x86_64.c, regs_aarch64.c; regs_none.c for those without. */
#ifndef TALLY_HOSTS_USER_REGS_H
#define TALLY_HOSTS_USER_REGS_H

#include <stdbool.h>
#include <stdint.h>

enum { USER_REGS_MAX = 40 };

/* As the kernel hands them out. */
struct user_regs {
	uint64_t word[USER_REGS_MAX];
	bool narrow; /* of a program of 32 bits */
};

/* Read those of a stopped thread. 0; -ESRCH; -EOPNOTSUPP on an architecture that is not known. */
int user_regs_read(int32_t tid, struct user_regs *ret_regs);

/*
 * A stop that was asked for ends some waits with EINTR, which the program would not have seen:
 * those with a timeout, which the kernel does not begin again by itself. Have such a call of a
 * stopped thread, which no signal waits for, made again when it goes on: it may wait for up to its
 * timeout once more. Where an architecture does not tell what the call was, nothing is done.
 */
void user_regs_repeat_wait(int32_t tid);

/* The registers that there are: bit n is number n of PERF_SAMPLE_REGS_USER. Constant. */
uint64_t user_regs_mask(void);

/* The one of that number; 0 for one that is not there. */
uint64_t user_regs_get(const struct user_regs *regs, uint32_t number);

/* PERF_SAMPLE_REGS_ABI_*. */
uint64_t user_regs_abi(const struct user_regs *regs);

uint64_t user_regs_ip(const struct user_regs *regs);
uint64_t user_regs_sp(const struct user_regs *regs);
uint64_t user_regs_fp(const struct user_regs *regs);

#endif
