/* SPDX-License-Identifier: BSD-2-Clause */
/* AArch64 registers, taken from ptrace(2)'s struct user_pt_regs, which contains x0 to x30, sp and
 * pc in the order of perf records. Registers of 32-bit threads are not available. */
#include <elf.h>
#include <errno.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

#include "hosts/user/regs.h"
#include "tally/abi.h"

enum { FP = 29, SP = 31, PC = 32, NR = 33, WORDS = 34 };

int user_regs_read(int32_t tid, struct user_regs *ret_regs)
{
	struct iovec all = {ret_regs->word, WORDS * sizeof(uint64_t)};

	if (ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &all))
		return -errno;
	ret_regs->narrow = false;
	return all.iov_len == WORDS * sizeof(uint64_t) ? 0 : -EOPNOTSUPP;
}

void user_regs_restart_wait(int32_t tid)
{
}

uint64_t user_regs_mask(void)
{
	return ((uint64_t)1 << NR) - 1;
}

uint64_t user_regs_get(const struct user_regs *regs, uint32_t number)
{
	return number < NR ? regs->word[number] : 0;
}

uint64_t user_regs_abi(const struct user_regs *regs)
{
	return PERF_SAMPLE_REGS_ABI_64;
}

uint64_t user_regs_ip(const struct user_regs *regs)
{
	return regs->word[PC];
}

uint64_t user_regs_sp(const struct user_regs *regs)
{
	return regs->word[SP];
}

uint64_t user_regs_fp(const struct user_regs *regs)
{
	return regs->word[FP];
}
