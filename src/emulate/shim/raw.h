/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls without libc. The library's own system calls do not change errno, do not pass
 * through other interposed functions, and are not cancellation points.
 */
#ifndef TALLY_EMULATE_SHIM_RAW_H
#define TALLY_EMULATE_SHIM_RAW_H

#include <stdint.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
static inline long shim_raw(long number, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
}
#elif defined(__aarch64__)
static inline long shim_raw(long number, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc #0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
}
#endif

static inline long shim_raw3(long number, long a, long b, long c)
{
	return shim_raw(number, a, b, c, 0, 0, 0);
}

#endif
