/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/minimal/step.h"

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

	if (!stepping.over && ++stepping.taken == stepping.at) {
		stepping.interrupt(stepping.arg);
		stepping.over = true;
	}
	if (stepping.over)
		interrupted->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
}

/* Skip the red zone below the stack pointer, which is in use. */
#define START_STEPPING()                              \
	__asm__ volatile("lea -128(%%rsp), %%rsp\n\t" \
			 "pushfq\n\t"                 \
			 "orq $0x100, (%%rsp)\n\t"    \
			 "popfq\n\t"                  \
			 "lea 128(%%rsp), %%rsp" ::   \
				 : "memory", "cc")

static bool catch_steps(void)
{
	const struct sigaction action = {.sa_sigaction = on_step,
					 .sa_flags = SA_SIGINFO | SA_NODEFER};

	return !sigaction(SIGTRAP, &action, NULL);
}

#else

#define START_STEPPING() ((void)0)

static bool catch_steps(void)
{
	return false;
}

#endif

void mini_step_begin(void (*interrupt)(void *arg), void *arg, uint64_t at)
{
	stepping.interrupt = interrupt;
	stepping.arg = arg;
	stepping.at = at;
	stepping.taken = 0;
	stepping.over = false;
	if (catch_steps())
		START_STEPPING();
}

uint64_t mini_step_end(void)
{
	stepping.over = true;
	return stepping.taken;
}

bool mini_can_step(void)
{
	mini_step_begin(NULL, NULL, 0);
	return mini_step_end() > 0;
}
