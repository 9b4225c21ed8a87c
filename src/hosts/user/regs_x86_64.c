/* SPDX-License-Identifier: BSD-2-Clause */
/* x86-64: struct user_regs_struct of ptrace(2), and <asm/perf_regs.h>. */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>

#include "base/arith.h"
#include "hosts/user/regs.h"
#include "tally/abi.h"

#define WORD(member) (offsetof(struct user_regs_struct, member) / sizeof(uint64_t))

enum { CS_OF_32_BITS = 0x23 };

/* In the order of the records. */
static const uint8_t words[] = {
	WORD(rax), WORD(rbx),    WORD(rcx), WORD(rdx), WORD(rsi), WORD(rdi), WORD(rbp), WORD(rsp),
	WORD(rip), WORD(eflags), WORD(cs),  WORD(ss),  WORD(ds),  WORD(es),  WORD(fs),  WORD(gs),
	WORD(r8),  WORD(r9),     WORD(r10), WORD(r11), WORD(r12), WORD(r13), WORD(r14), WORD(r15),
};

_Static_assert(sizeof(struct user_regs_struct) <= USER_REGS_MAX * sizeof(uint64_t),
	       "registers fit");

int user_regs_read(int32_t tid, struct user_regs *ret_regs)
{
	struct user_regs_struct regs;

	if (ptrace(PTRACE_GETREGS, tid, NULL, &regs))
		return -errno;
	memcpy(ret_regs->word, &regs, sizeof(regs));
	ret_regs->narrow = regs.cs == CS_OF_32_BITS;
	return 0;
}

/* Those that perf_event_open(2) gives of user space: the segments of data are not among them. */
uint64_t user_regs_mask(void)
{
	return 0xff0fff;
}

uint64_t user_regs_get(const struct user_regs *regs, uint32_t number)
{
	return number < TALLY_ARRAY_SIZE(words) ? regs->word[words[number]] : 0;
}

uint64_t user_regs_abi(const struct user_regs *regs)
{
	return regs->narrow ? PERF_SAMPLE_REGS_ABI_32 : PERF_SAMPLE_REGS_ABI_64;
}

uint64_t user_regs_ip(const struct user_regs *regs)
{
	return regs->word[WORD(rip)];
}

uint64_t user_regs_sp(const struct user_regs *regs)
{
	return regs->word[WORD(rsp)];
}

uint64_t user_regs_fp(const struct user_regs *regs)
{
	return regs->word[WORD(rbp)];
}
