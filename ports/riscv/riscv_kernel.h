/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A minimal kernel that meets the core's requirements. Tasks run in user mode and are preempted, on
 * up to two harts. The kernel itself can be interrupted but not preempted: system calls run with
 * interrupts on.
 */
#ifndef RISCV_KERNEL_H
#define RISCV_KERNEL_H

#include "ports/riscv/riscv_calls.h"
#include "ports/riscv/riscv_layout.h"
#include "tally/core.h"
#include "tally/errno.h"

enum {
	PAGE_SIZE = 4096,
	MAX_TASKS = 24,
	MAX_FILES = 24,
	STACK_PAGES = 4,
	TICK_NS = 1000000,
};

#define csr_read(csr)                                                              \
	({                                                                         \
		uintptr_t csr_value;                                               \
		__asm__ volatile("csrr %0, " #csr : "=r"(csr_value) : : "memory"); \
		csr_value;                                                         \
	})
#define csr_write(csr, value) \
	__asm__ volatile("csrw " #csr ", %0" : : "r"((uintptr_t)(value)) : "memory")
#define csr_set(csr, bits) \
	__asm__ volatile("csrs " #csr ", %0" : : "r"((uintptr_t)(bits)) : "memory")
#define csr_clear(csr, bits) \
	__asm__ volatile("csrc " #csr ", %0" : : "r"((uintptr_t)(bits)) : "memory")

enum { STATUS_SIE = 1 << 1, STATUS_SPIE = 1 << 5, STATUS_SPP = 1 << 8, STATUS_SUM = 1 << 18 };

/* ---- objects --------------------------------------------------------------------------- */

/* State saved by a trap. x[0] is the program counter. */
struct trap_frame {
	uintptr_t x[32];
	uintptr_t status;
	uintptr_t unused[FRAME_WORDS - 33];
};
_Static_assert(sizeof(struct trap_frame) == FRAME_SIZE, "start.S");

enum { X_RA = 1, X_SP = 2, X_FP = 8, X_A0 = 10, X_A1 = 11, X_A7 = 17 };

/* A ticket lock. Without tickets, a waiter that is repeatedly interrupted might never get the
 * lock. */
struct lock {
	uint32_t next, serving;
};

/* An open event. References are held by descriptors and mappings. */
struct file {
	struct tally_core_event *event;
	uint32_t refs;
};

struct mapping {
	struct file *file;
	struct tally_core_buffer *buffer;
};

enum task_state { TASK_FREE, TASK_NEW, TASK_READY, TASK_WAITING, TASK_EXITED };

struct kernel_task {
	struct tally_core_task perf;
	uint32_t state; /* enum task_state; the waker changes WAITING to READY */
	int32_t cpu;    /* current CPU, or -1; protected by kernel.schedule */
	uint32_t held;  /* references held by task_get() */
	uintptr_t sp;   /* kernel stack pointer while the task is switched out */
	void *kernel_stack, *user_stack;
	const void *waits_for; /* file or task */
	struct file *files[MAX_FILES];
	struct mapping maps[MAX_FILES];
	char name[16];
};

struct cpu {
	uintptr_t kernel_sp, user_sp; /* used by start.S */
	uint32_t number;
	struct kernel_task *current;
	struct kernel_task idle;
	bool resched;
	uint64_t next_tick, deadline;
};

struct kernel {
	struct tally_core *core;
	struct lock schedule, heap, uart;
	struct kernel_task tasks[MAX_TASKS];
	struct cpu cpus[MAX_HARTS];
	uint32_t present; /* bit mask of existing harts */
	uint32_t nr_cpus, nr_online;
	int32_t last_tid;
	bool running;
	/* Function to be called on another hart by ops->call(). Harts wait for the lock with
	 * interrupts on, so a waiting hart can be called as well. */
	struct {
		struct lock lock;
		void (*fn)(void *arg);
		void *arg;
		uint32_t cpu, pending;
	} call;
};
extern struct kernel kernel;

static inline struct cpu *this_cpu(void)
{
	struct cpu *cpu;

	__asm__ volatile("mv %0, tp" : "=r"(cpu));
	return cpu;
}

/* Turn interrupts off on this hart, and return their previous state. */
static inline uintptr_t irq_save(void)
{
	uintptr_t before;

	__asm__ volatile("csrrci %0, sstatus, 2" : "=r"(before) : : "memory");
	return before & STATUS_SIE;
}

static inline void irq_restore(uintptr_t flags)
{
	csr_set(sstatus, flags);
}

static inline void lock_acquire(struct lock *lock)
{
	uint32_t ticket = __atomic_fetch_add(&lock->next, 1, __ATOMIC_RELAXED);

	while (__atomic_load_n(&lock->serving, __ATOMIC_ACQUIRE) != ticket)
		;
}

static inline void lock_release(struct lock *lock)
{
	__atomic_store_n(&lock->serving, lock->serving + 1, __ATOMIC_RELEASE);
}

/* ---- start.S --------------------------------------------------------------------------- */

void trap_return(struct trap_frame *frame) __attribute__((noreturn));
void switch_stacks(uintptr_t *save, uintptr_t to);
uint64_t counter_read(uintptr_t index);
/* Write an event register (3 or above) and its counter, which only machine mode may do. */
void monitor_program(uintptr_t index, uint64_t event, uint64_t value);

/* ---- riscv_memory.c -------------------------------------------------------------------- */

void memory_init(void);
void memory_translate(void);             /* enable page tables on this hart */
void *pages_get(bool shared, size_t nr); /* zeroed; NULL if out of memory */
void pages_put(void *pages, size_t nr);
void *heap_get(size_t size); /* zeroed; NULL if out of memory */
void heap_put(void *memory, size_t size);
bool user_range(uintptr_t address, size_t len); /* return true if tasks may access it */
void *memcpy(void *to, const void *from, size_t len);
void *memset(void *to, int byte, size_t len);

/* ---- device.c: UART, timer, power, other harts ----------------------------------------- */

void uart_write(const char *text, size_t len);
void panic(const char *why, uint64_t a, uint64_t b) __attribute__((noreturn));
void power_off(uint32_t code) __attribute__((noreturn));
uint64_t clock_ns(void);
void timer_program(const struct cpu *cpu);
void timer_interrupt(const struct tally_core_sample_data *sample_data);
void ipi_send(uint32_t cpu);

/* ---- riscv_task.c ---------------------------------------------------------------------- */

/* Create a task that will call entry(arg) in user mode. It is not scheduled until task_ready() is
 * called. Returns NULL if out of memory, or if there are too many tasks. */
struct kernel_task *task_new(uintptr_t entry, uintptr_t arg, const char *name);
void task_ready(struct kernel_task *task);
void task_free(struct kernel_task *task); /* free a task that has never run */
void task_schedule(bool preempt);
void task_wait_begin(const void *what); /* afterwards, check again and call task_schedule() */
void task_wake(const void *what);       /* wake the tasks that are waiting for `what` */
void task_exit(void) __attribute__((noreturn));
void task_idle(void) __attribute__((noreturn));
struct kernel_task *task_find(int32_t tid);

/* ---- riscv_call.c ---------------------------------------------------------------------- */

int64_t call_dispatch(struct trap_frame *frame);
void call_close_all(struct kernel_task *task);
#endif
