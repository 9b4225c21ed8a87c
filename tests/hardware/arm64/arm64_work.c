/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * work MODE: programs with known profiles. They do not use libc, so all executed code is in this
 * file.
 *
 *	mix	75 % of the instructions in hot(), 25 % in warm(), alternating every million
 *	calls	all instructions in leaf(), five calls deep
 *	fork	10,000,000 instructions in each of four children
 *	sleep	two runs of 10,000,000 instructions, with 50 ms of sleep in between
 */
#include <stddef.h>
#include <stdint.h>

enum { SYS_EXIT = 93, SYS_NANOSLEEP = 101, SYS_CLONE = 220, SYS_WAIT4 = 260, SIGNAL_CHILD = 17 };

static long call(long number, long a, long b)
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = 0;
	register long x3 __asm__("x3") = 0;
	register long x4 __asm__("x4") = 0;

	__asm__ volatile("svc #0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4)
			 : "memory");
	return x0;
}

/* Execute a loop with two instructions per iteration. */
static inline __attribute__((always_inline)) void spend(uint64_t instructions)
{
	uint64_t turns = instructions / 2;

	__asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(turns) : : "cc");
}

static __attribute__((noinline)) void hot(void)
{
	spend(750000);
}

static __attribute__((noinline)) void warm(void)
{
	spend(250000);
}

static void mix(void)
{
	for (int i = 0; i < 100; i++) {
		hot();
		warm();
	}
}

/* The statement after the call prevents a tail call. */
#define CALLER(name, callee)                             \
	static __attribute__((noinline)) void name(void) \
	{                                                \
		callee();                                \
		__asm__ volatile("");                    \
	}

static __attribute__((noinline)) void leaf(void)
{
	spend(20000000);
}

CALLER(fourth, leaf)
CALLER(third, fourth)
CALLER(second, third)
CALLER(first, second)

static void children(void)
{
	for (int i = 0; i < 4; i++) {
		if (!call(SYS_CLONE, SIGNAL_CHILD, 0)) {
			spend(10000000);
			call(SYS_EXIT, 0, 0);
		}
	}
	while (call(SYS_WAIT4, -1, 0) > 0)
		;
}

static void sleeper(void)
{
	int64_t moment[2] = {0, 50000000};

	spend(10000000);
	call(SYS_NANOSLEEP, (long)moment, 0);
	spend(10000000);
}

static const struct {
	char mode; /* first letter of the mode */
	void (*run)(void);
} modes[] = {{'m', mix}, {'c', first}, {'f', children}, {'s', sleeper}};

void work_main(long *stack) __attribute__((noreturn));

void work_main(long *stack)
{
	const char *mode = stack[0] > 1 ? (const char *)stack[2] : "";

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (modes[i].mode == *mode)
			modes[i].run();
	}
	call(SYS_EXIT, 0, 0);
	__builtin_unreachable();
}

/* Callchains end here, because the entry point has no frame and no return address. */
__asm__(".globl _start\n"
	"_start:\n"
	"	.cfi_startproc\n"
	"	.cfi_undefined x30\n"
	"	mov x29, #0\n"
	"	mov x0, sp\n"
	"	bl work_main\n"
	"	.cfi_endproc\n");
