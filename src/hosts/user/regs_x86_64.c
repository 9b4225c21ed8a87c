/* SPDX-License-Identifier: BSD-2-Clause */
/* x86-64 registers, converted from ptrace(2)'s struct user_regs_struct to the register numbers in
 * <asm/perf_regs.h>. */
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>

#include "base/arith.h"
#include "hosts/user/regs.h"
#include "tally/abi.h"

#define WORD(member) (offsetof(struct user_regs_struct, member) / sizeof(uint64_t))

enum { CS_OF_32_BITS = 0x23 };

/* Indexes into `word`, in the order of perf records. */
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

/* ---- waits ended by a stop -------------------------------------------------------------- */

/* System calls that wait and, when interrupted for any reason, fail with EINTR before they have had
 * any effect. */
static const uint16_t waits[] = {
	SYS_read,         SYS_recvfrom,        SYS_recvmsg,    SYS_recvmmsg, SYS_accept,
	SYS_accept4,      SYS_write,           SYS_sendto,     SYS_sendmsg,  SYS_epoll_wait,
	SYS_epoll_pwait,  SYS_semop,           SYS_semtimedop, SYS_msgrcv,   SYS_msgsnd,
	SYS_io_getevents, SYS_rt_sigtimedwait,
};

enum { SYSCALL_BYTES = 2 };

static bool is_interrupted_wait(const struct user_regs_struct *regs)
{
	if ((int64_t)regs->rax != -EINTR || regs->cs == CS_OF_32_BITS)
		return false;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(waits); i++) {
		if (regs->orig_rax == waits[i])
			return true;
	}
	return false;
}

static bool has_signal(int32_t tid)
{
	struct __ptrace_peeksiginfo_args first = {.nr = 1};
	siginfo_t info;

	if (ptrace(PTRACE_PEEKSIGINFO, tid, &first, &info) != 0)
		return true;
	first.flags = PTRACE_PEEKSIGINFO_SHARED;
	return ptrace(PTRACE_PEEKSIGINFO, tid, &first, &info) != 0;
}

void user_regs_restart_wait(int32_t tid)
{
	struct user_regs_struct regs;

	if (ptrace(PTRACE_GETREGS, tid, NULL, &regs) || !is_interrupted_wait(&regs) ||
	    has_signal(tid))
		return;
	regs.rax = regs.orig_rax;
	regs.rip -= SYSCALL_BYTES;
	ptrace(PTRACE_SETREGS, tid, NULL, &regs);
}

/* ---- access ------------------------------------------------------------------------------ */

/* Return the user-space registers that perf_event_open(2) provides: all except the data segment
 * registers. */
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
