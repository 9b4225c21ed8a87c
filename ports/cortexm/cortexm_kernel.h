/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A minimal real-time kernel for one CPU. All threads share one address space and are privileged.
 * They call the kernel as functions, and can be preempted anywhere, even inside the kernel.
 * Priorities are fixed; threads with the same priority take turns.
 */
#ifndef CORTEXM_KERNEL_H
#define CORTEXM_KERNEL_H

#include "ports/cortexm/cortexm_layout.h"
#include "tally/core.h"
#include "tally/errno.h"

enum {
	MAX_THREADS = 16,
	PAGE_SIZE = TALLY_CORE_PAGE_MIN, /* page size of rings; the only one, without an MMU */
	STACK_SIZE = 4096,
	TICK_NS = 1000000,
	NS_PER_COUNT = 1000000000 / CLOCK_HZ,
};

/* Registers that the processor saves on an interrupt. */
struct exception_frame {
	uint32_t r0, r1, r2, r3, r12, lr, pc, status;
};

enum thread_state { THREAD_FREE, THREAD_READY, THREAD_WAITING, THREAD_ENDED };

struct mutex {
	uint32_t locked;
};

struct thread {
	struct tally_core_task perf;
	uint32_t *sp; /* stack pointer while the thread is switched out */
	uint32_t state;
	uint32_t priority;         /* highest runs first; 0 for the idle thread */
	uint32_t slice, left;      /* ticks per time slice; ticks left in the current one */
	const uint32_t *waits_for; /* word passed to thread_wait() */
	uint64_t wakes_at;         /* wakeup time of thread_sleep(), valid if `sleeps` is set */
	uint32_t sleeps;
	uint32_t ended;          /* word that thread_join() waits for */
	uint32_t held;           /* references held by the creator and task_get() */
	struct open_file *asked; /* cortexm_call.c: file that event_of_fd() keeps open */
	uint64_t ran_ns;         /* CPU time counted by the scheduler */
	uint32_t *stack;
	void (*entry)(void *arg);
	void *arg;
	const char *name;
};

/* Types of measured periods with interrupts off: either the core turned interrupts off during a
 * call, or it was called with interrupts off. */
enum irq_off_kind { OFF_CALL, OFF_SWITCH, OFF_TICK, OFF_TIMER, OFF_COUNTER, OFF_NR };

struct rtos {
	struct tally_core *core;
	struct thread threads[MAX_THREADS]; /* the first one is the idle thread */
	struct thread *current;
	uint64_t switched_ns; /* time at which `current` was switched in */
	uint32_t switches, preempted;
	int32_t last_tid;
	bool deferred;            /* tally_core_deferred() must be called */
	uint64_t deadline;        /* deadline of the next tally_core_timer() call */
	uint32_t longest[OFF_NR]; /* longest durations in clock counts */
	uint32_t deepest[OFF_NR]; /* stack usage in bytes, if measure_stacks is set */
	bool measure_stacks;
};
extern struct rtos rtos;

static inline volatile uint32_t *device(uint32_t address)
{
	return (volatile uint32_t *)address;
}

/* Mask the kernel's interrupts, and return the previous mask. */
static inline uint32_t irq_save(void)
{
	uint32_t before;

	__asm__ volatile("mrs %0, basepri\n\tmsr basepri, %1"
			 : "=&r"(before)
			 : "r"(IRQ_OFF)
			 : "memory");
	return before;
}

static inline void irq_restore(uint32_t flags)
{
	__asm__ volatile("msr basepri, %0" : : "r"(flags) : "memory");
}

static inline bool in_handler(void)
{
	uint32_t number;

	__asm__ volatile("mrs %0, ipsr" : "=r"(number));
	return number;
}

/* Return true if the caller is running in a thread that may be switched out. */
static inline bool may_sleep(void)
{
	uint32_t masked;

	__asm__ volatile("mrs %0, basepri" : "=r"(masked));
	return !masked && !in_handler();
}

/* Request that thread_switch() be called as soon as no other interrupt is active. */
static inline void pend_switch(void)
{
	*device(0xe000ed04) = 1 << 28;
	__asm__ volatile("dsb\n\tisb" : : : "memory");
}

/* ---- cortexm_thread.c ------------------------------------------------------------------ */

/* Create a thread that will call entry(arg). It is not scheduled until thread_start() is called.
 * The caller holds a reference until thread_join(). Returns NULL if out of memory, or if there are
 * too many threads. */
struct thread *thread_new(void (*entry)(void *arg), void *arg, const char *name, uint32_t priority,
			  uint32_t slice);
void thread_start(struct thread *thread);
void thread_join(struct thread *thread);
void thread_discard(struct thread *thread); /* discard a thread that has not been started */
void thread_end(void) __attribute__((noreturn));
struct thread *thread_find(int32_t tid); /* find a live thread; call with interrupts off */
void thread_put(struct thread *thread);  /* release a reference */

void thread_sleep(uint64_t ns); /* sleep until the first tick after this time */
uint64_t thread_ran_ns(const struct thread *thread);
void thread_yield(void); /* let other threads with the same priority run */

/* Sleep while `*word` is `value`. Code that changes the word must call thread_wake(). May return
 * early. */
void thread_wait(const uint32_t *word, uint32_t value);
void thread_wake(const uint32_t *word);
uint32_t *thread_switch_to(uint32_t *sp);
void thread_tick(void);
void mutex_lock(struct mutex *mutex);
void mutex_unlock(struct mutex *mutex);

/* ---- cortexm_memory.c ------------------------------------------------------------------ */

void heap_init(void *memory, size_t size);
void *heap_alloc(size_t size, size_t align); /* zeroed; NULL if out of memory */
void heap_free(void *memory, size_t size);
size_t heap_used(size_t *ret_most); /* bytes in use; maximum so far in *ret_most */

/* ---- board.c --------------------------------------------------------------------------- */

void board_init(void);
void board_write(const void *bytes, size_t len);
void board_panic(const char *why, uint32_t a, uint32_t b) __attribute__((noreturn));
void board_power_off(uint32_t code) __attribute__((noreturn));
uint64_t board_clock_ns(void);  /* may be called from any context */
uint32_t board_clock_low(void); /* clock counts, modulo 2^32 */
void board_clock_tick(void);    /* call at least every 171 s, with interrupts off */
void board_timer_arm(uint64_t deadline);
void board_timer_acknowledge(void);
uint32_t stack_used(const uint32_t *stack, size_t size); /* bytes that have been written to */

/* ---- measure.c ------------------------------------------------------------------------- */

/* Start of a measurement. It contains the start time, and its address marks the stack position. */
struct measured {
	uint32_t since;
};
void measure_begin(struct measured *from);
void measure_end(const struct measured *from,
		 enum irq_off_kind why); /* call from the same function as measure_begin() */

/* ---- boot.c ---------------------------------------------------------------------------- */

extern uint32_t handler_stack[];
void paint_stack(uint32_t *from);
uint32_t semihost(uint32_t operation, const void *argument);

#endif
