/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tasks of the test use: system calls, numbers as text, loops of known length. */
#ifndef RISCV_USER_H
#define RISCV_USER_H

#include "hosts/riscv/calls.h"
#include "tally/client.h"
#include "tally/errno.h"

static inline int64_t call(enum call number, uint64_t a, uint64_t b, uint64_t c, uint64_t d,
			   uint64_t e)
{
	register uint64_t a0 __asm__("a0") = a;
	register uint64_t a1 __asm__("a1") = b;
	register uint64_t a2 __asm__("a2") = c;
	register uint64_t a3 __asm__("a3") = d;
	register uint64_t a4 __asm__("a4") = e;
	register uint64_t a7 __asm__("a7") = number;

	__asm__ volatile("ecall"
			 : "+r"(a0)
			 : "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a7)
			 : "memory");
	return (int64_t)a0;
}

static inline int event_ioctl(int fd, unsigned long request, uint64_t arg)
{
	return (int)call(CALL_IOCTL, (uint64_t)fd, request, arg, 0, 0);
}

static inline void event_close(int fd)
{
	call(CALL_CLOSE, (uint64_t)fd, 0, 0, 0, 0);
}

static inline void yield(void)
{
	call(CALL_YIELD, 0, 0, 0, 0, 0);
}

static inline void wait_for(int64_t pid)
{
	call(CALL_WAIT, (uint64_t)pid, 0, 0, 0, 0);
}

static inline uint64_t instret(void)
{
	uint64_t value;

	__asm__ volatile("csrr %0, instret" : "=r"(value) : : "memory");
	return value;
}

/* `instructions`, a multiple of two, of a loop. */
static inline __attribute__((always_inline)) void spin(uint64_t instructions)
{
	uint64_t turns = instructions / 2;

	__asm__ volatile("1: addi %0, %0, -1\n\tbnez %0, 1b" : "+r"(turns));
}

/* An event of the calling task, or of task `pid`, that does not run yet unless asked to. */
int event_open(struct perf_event_attr *attr, int pid, int cpu, int group);
int event_simple(uint32_t type, uint64_t config); /* disabled, with both times */
struct reading {
	uint64_t value, enabled, running;
};
struct reading event_read(int fd);
void *event_map(int fd, size_t pages); /* 1 + pages */

int64_t fork(void (*entry)(void *arg), void *arg, const char *name);
void leave(void) __attribute__((noreturn));

void say(const char *name, uint64_t value); /* a line: the name, a space, the number */
void say_bytes(const void *bytes, size_t len);
bool counter_now(const void *page, uint64_t *ret_value); /* without a system call */

void test_count(void);
void test_sample(void);
void test_control(void);
void test_cost(void);
void test_stream(uint64_t nr_cpus);
void test_harts(void);

#endif
