/* SPDX-License-Identifier: BSD-2-Clause */
/* Fallback for architectures with unknown registers, on which only counting works. */
#include <errno.h>

#include "hosts/user/regs.h"
#include "tally/abi.h"

int user_regs_read(int32_t tid, struct user_regs *ret_regs)
{
	return -EOPNOTSUPP;
}

void user_regs_restart_wait(int32_t tid)
{
}

uint64_t user_regs_mask(void)
{
	return 0;
}

uint64_t user_regs_get(const struct user_regs *regs, uint32_t number)
{
	return 0;
}

uint64_t user_regs_abi(const struct user_regs *regs)
{
	return PERF_SAMPLE_REGS_ABI_NONE;
}

uint64_t user_regs_ip(const struct user_regs *regs)
{
	return 0;
}

uint64_t user_regs_sp(const struct user_regs *regs)
{
	return 0;
}

uint64_t user_regs_fp(const struct user_regs *regs)
{
	return 0;
}
