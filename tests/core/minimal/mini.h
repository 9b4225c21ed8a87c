/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The minimal host. Its CPUs share one thread, so tests can decide where the core is interrupted,
 * and every run is identical. While the core runs, the host checks the contract of tally/host.h:
 * which operations are allowed under which locks, with interrupts on or off, and in the overflow
 * interrupt; that memory is freed with the size it was allocated with; and that user memory is
 * fetched only once. On a violation, the host prints a message and aborts.
 * The thread is always on one CPU, `cpu`; call() and mini_on() change it. With a single thread, a
 * spin lock that the interrupted code holds can never be released while another context waits for
 * it, so waiting for a held spin lock is also a violation.
 */
#ifndef TALLY_TESTS_CORE_MINIMAL_H
#define TALLY_TESTS_CORE_MINIMAL_H

#include <errno.h>

#include "tally/core.h"

enum {
	MINI_TASKS = 32,
	MINI_FILES = 512,
	MINI_MAPPINGS = 4, /* per file */
	MINI_PMUS =
		/* The first PMU serves every task; the second is CPU-only and has no interrupt. */
	2,
	MINI_COUNTERS = 4, /* in the first PMU */
	MINI_ALL_COUNTERS = 6,
	MINI_HELD = 8,
	MINI_BORROWED = 4, /* files used by one call */
	MINI_FETCHES = 64,
	MINI_BLOCKS = 1024, /* hash buckets of the allocation table */
};

/* Points at which a test can interrupt the core. */
enum mini_point {
	MINI_AT_ATOMIC,    /* before an operation in core/atomic.h; `what`: the accessed word */
	MINI_AT_CLOCK,     /* after the clock was read */
	MINI_AT_COPY_FROM, /* before the copy; `what`: the address in user memory */
	MINI_AT_COPY_TO,
	MINI_AT_ALLOC,
	MINI_AT_LOCK, /* before the lock is taken */
	MINI_AT_CALL, /* before another CPU runs a function */
	MINI_AT_ADD,  /* before the driver's operation; `what`: the struct tally_core_hw */
	MINI_AT_DEL,
	MINI_AT_START,
	MINI_AT_STOP,
	MINI_AT_READ,
	MINI_AT_SAVE,    /* before interrupts are turned off */
	MINI_AT_RESTORE, /* after interrupts were turned on */
	MINI_AT_COUNTER, /* after a running counter was read */
};

/* Operations restricted by the contract. The host counts their calls for the tests. */
enum mini_op {
	MINI_OP_ALLOC,
	MINI_OP_FREE,
	MINI_OP_PAGES_ALLOC,
	MINI_OP_PAGES_FREE,
	MINI_OP_LOCK,
	MINI_OP_UNLOCK,
	MINI_OP_CALL,
	MINI_OP_TIMER,
	MINI_OP_TASK_GET,
	MINI_OP_TASK_PUT,
	MINI_OP_EVENT_OF_FD,
	MINI_OP_CAPABLE,
	MINI_OP_MAY_OBSERVE,
	MINI_OP_MEMLOCK_LIMIT,
	MINI_OP_COPY_FROM,
	MINI_OP_COPY_TO,
	MINI_OP_NOTIFY,
	MINI_OP_SIGTRAP,
	MINI_OP_INIT,
	MINI_OP_ADD,
	MINI_OP_DEL,
	MINI_OP_START,
	MINI_OP_STOP,
	MINI_OP_READ,
	MINI_OP_NR
};

struct mini_counter {
	struct tally_core_hw *owner;
	uint64_t value;
};

struct mini_cpu {
	bool online, deferred;
	uint64_t deadline; /* expiry time of the timer */
	struct mini_task *task;
	struct mini_counter counters[MINI_ALL_COUNTERS];
};

struct mini_task {
	struct tally_core_task perf;
	int32_t cpu;   /* -1 if not running */
	uint32_t refs; /* references taken by task_get() */
	bool hidden;   /* the fork is incomplete; task_get() does not find the task */
	bool gone;     /* has exited; freed with the last reference */
};

struct mini_file {
	struct tally_core_event *event;
	struct tally_core_buffer *mappings[MINI_MAPPINGS];
	uint64_t notices; /* number of calls to notify() */
	uint32_t users;   /* calls in progress */
	bool closing;     /* the last call in progress closes the event */
};

/* A system call in progress. The objects that the call is using stay valid until it returns. */
struct mini_call {
	struct mini_call *outer;
	const struct mini_task *current; /* or NULL; does not exit during the call */
	int files[MINI_BORROWED];
	uint32_t nr_files;
	uint32_t nr_held;
};

/* A sleeping lock used by the core. */
struct mini_lock {
	bool held;
};

/* A lock held by the thread. */
struct mini_held {
	const void *lock; /* NULL for the address space lock, held by mmap(2) and munmap(2) */
};

/* A range of user memory fetched by the current call. */
struct mini_fetch {
	uintptr_t from, to;
};

struct mini_block;

struct mini {
	struct tally_core *core;
	struct tally_core_pmu pmus[MINI_PMUS];
	struct tally_core_tracepoint tracepoint; /* for a test to register */
	struct mini_cpu *cpus;
	uint32_t nr_cpus;

	/* State of the thread. */
	uint32_t cpu;
	uintptr_t off; /* nesting depth of disabled interrupts */
	bool nmi;      /* in the overflow interrupt, which cannot be masked */
	bool paused;   /* a driver blocks the overflow interrupt */
	struct mini_held held[MINI_HELD];
	uint32_t nr_held, held_base; /* locks below held_base belong to interrupted calls */
	struct mini_call *call;      /* innermost call */
	uint32_t nr_gone;            /* exited tasks that still have references */

	struct mini_task *tasks[MINI_TASKS];
	struct tally_core_account users[MINI_TASKS], spaces[MINI_TASKS];
	struct mini_file files[MINI_FILES];
	int32_t last_tid;
	struct tally_core_refusal why; /* from the last rejected call */

	/* Settings for the test to change. */
	uint64_t now;           /* clock */
	uint64_t caps;          /* capabilities of every task; initially all */
	bool may_observe;       /* tasks may be observed and trapped; initially true */
	uint64_t memlock;       /* initially unlimited */
	bool hold_deferred;     /* deferred work runs only in mini_deferred() */
	uint64_t refuse_alloc;  /* the nth allocation from now fails; 0 for none */
	uint64_t refuse_copy;   /* the nth copy to or from user memory fails; 0 for none */
	uint64_t refuse_beyond; /* limit on allocated pages; 0 for no limit */
	void *user;             /* the only accessible user memory; NULL if all is accessible */
	size_t user_len;
	void *arg;
	void (*at)(struct mini *mini, enum mini_point point, const volatile void *what);
	void (*on_broken)(struct mini *mini, const char *sentence);

	/* Results for the test. */
	uint64_t nr_ops[MINI_OP_NR];
	uint64_t bytes, pages, peak_pages; /* allocated by the core */
	uint64_t refused;                  /* failed allocations and copies */
	uint64_t traps, trap_addr, trap_data;
	void *gone_viewer; /* destroyed namespace that the core must no longer use */
	struct tally_core_task *trapped;

	/* Private state. */
	bool inside; /* the test's hook is running */
	struct mini_block *blocks[MINI_BLOCKS];
	struct mini_block *freed; /* freed blocks, checked for writes after free */
	struct mini_fetch fetches[MINI_FETCHES];
	uint32_t nr_fetches, nr_relaxed; /* in the current call */
};

/* ---- setup and teardown: mini.c -------------------------------------------------------- */

/* Create a core with `nr_cpus` CPUs, all online. The thread is on CPU 0 with interrupts on. There
 * is one task, tasks[0], which is not running. If `settings` is NULL, the defaults are used. Aborts
 * on failure. */
void mini_begin(struct mini *mini, uint32_t nr_cpus, const struct tally_core_settings *settings);

/* Close all files, exit all tasks and destroy the core. Any leak is a violation. */
void mini_end(struct mini *mini);

/* Free all memory, whatever the state, after on_broken has aborted a test. */
void mini_abandon(struct mini *mini);

/* Move the thread to another CPU. Interrupts must be on. */
void mini_on(struct mini *mini, uint32_t cpu);

/* Report a contract violation. Aborts, unless on_broken is set and does not return. */
__attribute__((format(printf, 2, 3))) void mini_broken(struct mini *mini, const char *format, ...);

/* Count the operation and check its rules. Every operation calls this first. */
void mini_check(struct mini *mini, enum mini_op op);

/* Call the test's hook, unless the hook is already running. */
void mini_at(struct mini *mini, enum mini_point point, const volatile void *what);

/* ---- overlapping calls: mini_overlap.c -------------------------------------------------- */

/* Begin and end a call into the core that may sleep. `current` is the calling task or NULL; `fd` is
 * the descriptor that the call uses, or -1. */
void mini_call_begin(struct mini *mini, struct mini_call *call, const struct mini_task *current,
		     int fd);
void mini_call_end(struct mini *mini, const char *name);

/* Keep a file open until the current call, if any, returns. */
void mini_call_borrow(struct mini *mini, int fd);

/* Return true if a call made by the task is in progress. */
bool mini_in_call(const struct mini *mini, const struct mini_task *task);

/* Preempt the current call and run fn(), which makes calls from other tasks. For use in the hook
 * `at`. Afterwards the preempted task continues, possibly on another CPU. Returns false without
 * running fn() if the core cannot be preempted or holds a lock. */
bool mini_overlap(struct mini *mini, void (*fn)(void));

/* Like mini_overlap(), but also works while the core holds locks. Calls in fn() that need one of
 * these locks violate the contract. */
bool mini_overlap_locked(struct mini *mini, void (*fn)(void));

/* ---- hooks of the core: mini_hooks.c --------------------------------------------------- */

/* Create a task that is not running. Returns NULL if there are too many tasks. */
struct mini_task *mini_task_new(struct mini *mini);

/* Switch the current CPU to `next`, or to idle if NULL. `next` must not be running on another
 * CPU. */
void mini_switch(struct mini *mini, struct mini_task *next);

/* Create a child task that inherits from `task`. Returns NULL on failure. */
struct mini_task *mini_fork(struct mini *mini, struct mini_task *task, bool process);

/* Make a task exit, on its CPU if the task is running, unless the task has a call in progress. The
 * task's memory is freed with the last reference. */
void mini_exit(struct mini *mini, struct mini_task *task);
void mini_exec(struct mini *mini, struct mini_task *task, bool privileged);

void mini_tick(struct mini *mini);
void mini_software(struct mini *mini, uint32_t id, uint64_t nr);

/* Advance the clock. Expired timers fire on their CPUs. */
void mini_advance(struct mini *mini, uint64_t ns);

/* Run this CPU's deferred work. */
void mini_deferred(struct mini *mini);

void mini_online(struct mini *mini, uint32_t cpu);
void mini_offline(struct mini *mini, uint32_t cpu);

/* Raise the overflow interrupt for one of this CPU's counters without changing the counter. Returns
 * false if the counter was not running, or is no longer running afterwards. */
bool mini_overflow(struct mini *mini, uint32_t counter,
		   const struct tally_core_sample_data *sample_data);

/* Advance one of this CPU's counters, if it is running. */
void mini_count(struct mini *mini, uint32_t counter, uint64_t nr);

/* ---- system calls: mini_calls.c -------------------------------------------------------- */

/* Return a descriptor or -errno. The attr is copied first. During the call, only the `attr_len`
 * bytes of the copy are accessible user memory. */
int mini_open(struct mini *mini, struct mini_task *current, const void *attr, size_t attr_len,
	      int32_t pid, int32_t cpu, int group_fd, unsigned long flags);

/* Close a file and unmap its mappings. The event is closed when the last call on the file
 * returns. */
void mini_close(struct mini *mini, int fd);
int64_t mini_read(struct mini *mini, int fd, void *buffer, size_t len);
int mini_ioctl(struct mini *mini, struct mini_task *current, int fd, unsigned long request,
	       uintptr_t arg);
unsigned mini_poll(struct mini *mini, int fd);
int mini_prctl(struct mini *mini, struct mini_task *current, int option);

/* Map `bytes` bytes at offset 0. *ret_buffer is valid until the mapping is removed; ret_buffer may
 * be NULL. */
int mini_mmap(struct mini *mini, struct mini_task *current, int fd, size_t bytes, bool writable,
	      struct tally_core_buffer **ret_buffer);

/* Remove the file's most recent mapping. */
void mini_munmap(struct mini *mini, int fd);

/* ---- for the operations of the host ----------------------------------------------------- */

extern const struct tally_host_ops mini_ops;
void mini_pmus_init(struct mini *mini);

/* Allocations, tracked with their sizes: mini_memory.c. */
void *mini_alloc(void *host, size_t size);
void mini_free(void *host, void *memory, size_t size);
void *mini_pages_alloc(void *host, size_t nr);
void mini_pages_free(void *host, void *pages, size_t nr);

/* Check that freed memory was not written to, and release it. */
void mini_memory_check(struct mini *mini);

/* Free all tracked memory, for mini_abandon(). */
void mini_memory_abandon(struct mini *mini);

/* User memory: mini_user.c. */
int mini_copy_from_user(void *host, void *to, const void *user, size_t len);
int mini_copy_to_user(void *host, void *user, const void *from, size_t len);

#endif
