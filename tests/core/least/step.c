/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/least/step.h"

#include <signal.h>
#include <stddef.h>
#include <ucontext.h>

static struct {
	void (*interrupt)(void *arg);
	void *arg;
	uint64_t at, taken;
	volatile bool over;
} stepping;

#ifdef __x86_64__

enum { TRAP_FLAG = 0x100 };

static void on_step(int number, siginfo_t *info, void *context)
{
	ucontext_t *interrupted = context;

	if (stepping.over)
		interrupted->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
	else if (++stepping.taken == stepping.at)
		stepping.interrupt(stepping.arg);
}

/* The red zone below the stack pointer is in use. */
static inline void start_stepping(void)
{
	__asm__ volatile("lea -128(%%rsp), %%rsp\n\t"
			 "pushfq\n\t"
			 "orq $0x100, (%%rsp)\n\t"
			 "popfq\n\t"
			 "lea 128(%%rsp), %%rsp" ::
				 : "memory", "cc");
}

static bool catch_steps(void)
{
	const struct sigaction action = {.sa_sigaction = on_step,
					 .sa_flags = SA_SIGINFO | SA_NODEFER};

	return !sigaction(SIGTRAP, &action, NULL);
}

#else

static inline void start_stepping(void)
{
}

static bool catch_steps(void)
{
	return false;
}

#endif

uint64_t least_step(void (*fn)(void *arg), void (*interrupt)(void *arg), void *arg, uint64_t at)
{
	bool steps = catch_steps();

	stepping.interrupt = interrupt;
	stepping.arg = arg;
	stepping.at = at;
	stepping.taken = 0;
	stepping.over = false;
	if (steps)
		start_stepping();
	fn(arg);
	stepping.over = true;
	return steps ? stepping.taken : 0;
}

static void nothing(void *arg)
{
}

bool least_can_step(void)
{
	return least_step(nothing, nothing, NULL, 0) > 0;
}
