/* SPDX-License-Identifier: BSD-2-Clause */
/* Helpers for the test tasks: system calls, output of numbers, and loops of known length. */
#ifndef RISCV_USER_H
#define RISCV_USER_H

#include "ports/riscv/riscv_calls.h"
#include "tally/client.h"
#include "tally/errno.h"

static inline int64_t call(enum call number, uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d,
			   uintptr_t e)
{
	register uintptr_t a0 __asm__("a0") = a;
	register uintptr_t a1 __asm__("a1") = b;
	register uintptr_t a2 __asm__("a2") = c;
	register uintptr_t a3 __asm__("a3") = d;
	register uintptr_t a4 __asm__("a4") = e;
	register uintptr_t a7 __asm__("a7") = number;

	__asm__ volatile("ecall"
			 : "+r"(a0)
			 : "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a7)
			 : "memory");
	return (intptr_t)a0;
}

static inline int event_ioctl(int fd, unsigned long request, uintptr_t arg)
{
	return (int)call(CALL_IOCTL, (uintptr_t)fd, request, arg, 0, 0);
}

static inline void event_close(int fd)
{
	call(CALL_CLOSE, (uintptr_t)fd, 0, 0, 0, 0);
}

static inline void yield(void)
{
	call(CALL_YIELD, 0, 0, 0, 0, 0);
}

static inline void wait_for(int64_t pid)
{
	call(CALL_WAIT, (uintptr_t)pid, 0, 0, 0, 0);
}

/* Read a 64-bit counter register. */
#define csr_read64(csr)                          \
	({                                       \
		uint64_t csr_value;              \
		csr_read64_into(csr, csr_value); \
		csr_value;                       \
	})
#if __riscv_xlen == 64
#define csr_read64_into(csr, to) __asm__ volatile("csrr %0, " #csr : "=r"(to) : : "memory")
#else
#define csr_read64_into(csr, to)                                                                \
	do {                                                                                    \
		uint32_t csr_low, csr_high;                                                     \
		__asm__ volatile("1: csrr %1, " #csr "h\n\tcsrr %0, " #csr "\n\tcsrr t0, " #csr \
				 "h\n\tbne t0, %1, 1b"                                          \
				 : "=&r"(csr_low), "=&r"(csr_high)                              \
				 :                                                              \
				 : "t0", "memory");                                             \
		(to) = (uint64_t)csr_high << 32 | csr_low;                                      \
	} while (0)
#endif

static inline uint64_t instret(void)
{
	return csr_read64(instret);
}

/* Execute this number of instructions in a loop. The number must be a multiple of two. */
static inline __attribute__((always_inline)) void spin(uintptr_t instructions)
{
	uintptr_t turns = instructions / 2;

	__asm__ volatile("1: addi %0, %0, -1\n\tbnez %0, 1b" : "+r"(turns));
}

/* Open an event on the calling task (`pid` 0), another task, or a CPU (`pid` -1). */
int event_open(struct perf_event_attr *attr, int pid, int cpu, int group);
int event_simple(uint32_t type, uint64_t config); /* disabled; reads both times */
struct reading {
	uint64_t value, enabled, running;
};
struct reading event_read(int fd);
void *event_map(int fd, size_t pages); /* maps 1 + `pages` pages */

int64_t fork(void (*entry)(void *arg), void *arg, const char *name);
void leave(void) __attribute__((noreturn));

void say(const char *name, uint64_t value); /* print a line: the name, a space, the number */
void say_bytes(const void *bytes, size_t len);
bool counter_now(const void *page, uint64_t *ret_value); /* without a system call */

void test_count(void);
void test_sample(void);
void test_control(void);
void test_cost(void);
void test_stream(uint64_t nr_cpus);
void test_harts(void);

#endif
