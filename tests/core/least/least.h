/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The minimal host. Its CPUs share one thread, so that tests decide what interrupts the core at
 * which point, and every run is the same. While the core runs, the host checks the contract of
 * tally/host.h: which operations are allowed under which locks, with interrupts on or off, and in
 * the overflow interrupt; that memory is freed with the size it was allocated with; that user
 * memory is fetched only once. A violation prints a message and aborts.
 *
 * The thread is always on one CPU, `cpu`; call() and least_on() change it. With a single thread a
 * held spin lock can never be released while another context waits for it, so waiting for one is a
 * violation, too: the interrupted code holds it.
 */
#ifndef TALLY_TESTS_CORE_LEAST_H
#define TALLY_TESTS_CORE_LEAST_H

#include <errno.h>

#include "tally/core.h"

enum {
	LEAST_TASKS = 32,
	LEAST_FILES = 512,
	LEAST_MAPPINGS = 4, /* per file */
	LEAST_PMUS =
		/* The first serves every task; the second serves CPUs only and has no interrupt. */
	2,
	LEAST_COUNTERS = 4, /* of the first PMU */
	LEAST_ALL_COUNTERS = 6,
	LEAST_HELD = 8,
	LEAST_BORROWED = 4, /* files used by one call */
	LEAST_FETCHES = 64,
	LEAST_BLOCKS = 1024, /* buckets of the hash table of allocations */
};

/* Points at which a test can interrupt the core. */
enum least_point {
	LEAST_AT_ATOMIC,    /* before an operation of core/atomic.h; `what`: its word */
	LEAST_AT_CLOCK,     /* after the clock was read */
	LEAST_AT_COPY_FROM, /* before the copy; `what`: the address in user memory */
	LEAST_AT_COPY_TO,
	LEAST_AT_ALLOC,
	LEAST_AT_LOCK, /* before the lock is taken */
	LEAST_AT_CALL, /* before another CPU runs a function */
	LEAST_AT_ADD,  /* before the driver's operation; `what`: the struct tally_core_hw */
	LEAST_AT_DEL,
	LEAST_AT_START,
	LEAST_AT_STOP,
	LEAST_AT_READ,
	LEAST_AT_SAVE,    /* before interrupts are turned off */
	LEAST_AT_RESTORE, /* after interrupts were turned on */
	LEAST_AT_COUNTER, /* after a running counter was read */
};

/* Operations that the contract restricts. The host counts their calls for tests. */
enum least_op {
	LEAST_OP_ALLOC,
	LEAST_OP_FREE,
	LEAST_OP_PAGES_ALLOC,
	LEAST_OP_PAGES_FREE,
	LEAST_OP_LOCK,
	LEAST_OP_UNLOCK,
	LEAST_OP_CALL,
	LEAST_OP_TIMER,
	LEAST_OP_TASK_GET,
	LEAST_OP_TASK_PUT,
	LEAST_OP_EVENT_OF_FD,
	LEAST_OP_CAPABLE,
	LEAST_OP_MAY_OBSERVE,
	LEAST_OP_MEMLOCK_LIMIT,
	LEAST_OP_COPY_FROM,
	LEAST_OP_COPY_TO,
	LEAST_OP_NOTIFY,
	LEAST_OP_SIGTRAP,
	LEAST_OP_INIT,
	LEAST_OP_ADD,
	LEAST_OP_DEL,
	LEAST_OP_START,
	LEAST_OP_STOP,
	LEAST_OP_READ,
	LEAST_OP_NR
};

struct least_counter {
	struct tally_core_hw *owner;
	uint64_t value;
};

struct least_cpu {
	bool online, deferred;
	uint64_t deadline; /* of the timer */
	struct least_task *task;
	struct least_counter counters[LEAST_ALL_COUNTERS];
};

struct least_task {
	struct tally_core_task perf;
	int32_t cpu;   /* -1: not running */
	uint32_t refs; /* references taken by task_get() */
	bool hidden;   /* not forked completely: task_get() does not find it */
	bool gone;     /* has exited: the last reference frees it */
};

struct least_file {
	struct tally_core_event *event;
	struct tally_core_buffer *mappings[LEAST_MAPPINGS];
	uint64_t notices; /* number of calls of notify() */
	uint32_t users;   /* calls in progress */
	bool closing;     /* the last of these calls closes the event */
};

/* A system call in progress. The objects that it uses stay valid until it returns. */
struct least_call {
	struct least_call *outer;
	const struct least_task *current; /* does not exit during the call; may be NULL */
	int files[LEAST_BORROWED];
	uint32_t nr_files;
	uint32_t nr_held;
};

/* A sleeping lock of the core. */
struct least_lock {
	bool held;
};

/* A lock held by the thread. */
struct least_held {
	const void *lock; /* NULL: lock of the address space, held by mmap(2) and munmap(2) */
};

/* A range of user memory fetched by the current call. */
struct least_fetch {
	uintptr_t from, to;
};

struct least_block;

struct least {
	struct tally_core *core;
	struct tally_core_pmu pmus[LEAST_PMUS];
	struct tally_core_tracepoint tracepoint; /* for a test to register */
	struct least_cpu *cpus;
	uint32_t nr_cpus;

	/* State of the thread. */
	uint32_t cpu;
	uintptr_t off; /* nesting depth of disabled interrupts */
	bool nmi;      /* in the overflow interrupt, which cannot be masked */
	bool paused;   /* a driver blocks the overflow interrupt */
	struct least_held held[LEAST_HELD];
	uint32_t nr_held, held_base; /* locks below held_base belong to interrupted calls */
	struct least_call *call;     /* innermost call */
	uint32_t nr_gone;            /* exited tasks that still have references */

	struct least_task *tasks[LEAST_TASKS];
	struct tally_core_account users[LEAST_TASKS], spaces[LEAST_TASKS];
	struct least_file files[LEAST_FILES];
	int32_t last_tid;
	struct tally_core_refusal why; /* of the last rejected call */

	/* Settings of the test. */
	uint64_t now;           /* the clock */
	uint64_t caps;          /* capabilities of every task; initially all */
	bool may_observe;       /* may observe and trap tasks; initially true */
	uint64_t memlock;       /* initially unlimited */
	bool hold_deferred;     /* deferred work runs only in least_deferred() */
	uint64_t refuse_alloc;  /* number of the next allocation that fails, from 1; 0: none */
	uint64_t refuse_copy;   /* the same for copies */
	uint64_t refuse_beyond; /* limit of allocated pages; 0: no limit */
	void *user;             /* the only accessible user memory; NULL: all is accessible */
	size_t user_len;
	void *arg;
	void (*at)(struct least *least, enum least_point point, const volatile void *what);
	void (*on_broken)(struct least *least, const char *sentence);

	/* Results for the test. */
	uint64_t nr_ops[LEAST_OP_NR];
	uint64_t bytes, pages, peak_pages; /* allocated by the core */
	uint64_t refused;                  /* failed allocations and copies */
	uint64_t traps, trap_addr, trap_data;
	void *gone_viewer; /* a destroyed namespace, which the core must not use any more */
	struct tally_core_task *trapped;

	/* Private state. */
	bool inside; /* the test's hook is running */
	struct least_block *blocks[LEAST_BLOCKS];
	struct least_block *freed; /* quarantine, checked for writes after free */
	struct least_fetch fetches[LEAST_FETCHES];
	uint32_t nr_fetches, nr_relaxed; /* of the current call */
};

/* ---- setup and teardown: least.c -------------------------------------------------------- */

/* Create a core with `nr_cpus` CPUs, all of them online. The thread is on CPU 0 with interrupts on.
 * There is one task, tasks[0], which is not running. With `settings` NULL the defaults apply.
 * Aborts on failure. */
void least_begin(struct least *least, uint32_t nr_cpus, const struct tally_core_settings *settings);

/* Close all files, end all tasks and destroy the core. Anything that leaked is a violation. */
void least_end(struct least *least);

/* Free all memory, whatever its state, after a test was aborted by on_broken. */
void least_abandon(struct least *least);

/* Move the thread to another CPU. Interrupts must be on. */
void least_on(struct least *least, uint32_t cpu);

/* Report a violation of the contract. Aborts, unless on_broken is set and does not return. */
__attribute__((format(printf, 2, 3))) void least_broken(struct least *least, const char *format,
							...);

/* Count the operation and check its rules. Called first by every operation. */
void least_check(struct least *least, enum least_op op);

/* Call the test's hook, unless the hook is running already. */
void least_at(struct least *least, enum least_point point, const volatile void *what);

/* ---- overlapping calls: least_overlap.c -------------------------------------------------- */

/* Bracket each call of the core that may sleep, made by `current` on `fd`; NULL and -1: none. */
void least_call_begin(struct least *least, struct least_call *call,
		      const struct least_task *current, int fd);
void least_call_end(struct least *least, const char *name);

/* Keep a file for the current call, if there is one, until the call returns. */
void least_call_borrow(struct least *least, int fd);

/* Return true if a call of the task is in progress. */
bool least_in_call(const struct least *least, const struct least_task *task);

/* For the hook `at`: preempt the current call and make calls of other tasks in fn(). Afterwards the
 * preempted task continues, perhaps on another CPU. Returns false without calling fn() if the core
 * cannot be preempted or holds a lock. */
bool least_overlap(struct least *least, void (*fn)(void));

/* Like least_overlap(), but also while the core holds locks. Calls in fn() that need one of these
 * locks violate the contract. */
bool least_overlap_locked(struct least *least, void (*fn)(void));

/* ---- hooks of the core: least_hooks.c --------------------------------------------------- */

/* Create a task that is not running. Returns NULL if there are too many tasks. */
struct least_task *least_task_new(struct least *least);

/* Switch the current CPU to `next`; NULL: idle. `next` must not run on another CPU. */
void least_switch(struct least *least, struct least_task *next);

/* Create a child task that inherits from `task`. Returns NULL on failure. */
struct least_task *least_fork(struct least *least, struct least_task *task, bool process);

/* End a task, on its CPU if it is running, unless a call of it is in progress. The last reference
 * frees its memory. */
void least_exit(struct least *least, struct least_task *task);
void least_exec(struct least *least, struct least_task *task, bool privileged);

void least_tick(struct least *least);
void least_software(struct least *least, uint32_t id, uint64_t nr);

/* Advance the clock. Expired timers fire on their CPUs. */
void least_advance(struct least *least, uint64_t ns);

/* Run the deferred work of this CPU. */
void least_deferred(struct least *least);

void least_online(struct least *least, uint32_t cpu);
void least_offline(struct least *least, uint32_t cpu);

/* Raise the overflow interrupt of a counter of this CPU, which reads `value`. Returns false if the
 * counter was not running before or is not running afterwards. */
bool least_overflow(struct least *least, uint32_t counter,
		    const struct tally_core_sample_data *sample_data);

/* Add to a counter of this CPU, if it is running. */
void least_count(struct least *least, uint32_t counter, uint64_t nr);

/* ---- system calls: least_calls.c -------------------------------------------------------- */

/* Return a descriptor or -errno. The attr is copied first; during the call only the `attr_len`
 * bytes of the copy are accessible user memory. */
int least_open(struct least *least, struct least_task *current, const void *attr, size_t attr_len,
	       int32_t pid, int32_t cpu, int group_fd, unsigned long flags);

/* Close a file and unmap its mappings. The event is closed when its last call returns. */
void least_close(struct least *least, int fd);
int64_t least_read(struct least *least, int fd, void *buffer, size_t len);
int least_ioctl(struct least *least, struct least_task *current, int fd, unsigned long request,
		uintptr_t arg);
unsigned least_poll(struct least *least, int fd);
int least_prctl(struct least *least, struct least_task *current, int option);

/* Map `bytes` at offset 0. *ret_buffer is valid until it is unmapped; ret_buffer may be NULL. */
int least_mmap(struct least *least, struct least_task *current, int fd, size_t bytes, bool writable,
	       struct tally_core_buffer **ret_buffer);

/* Remove the most recent mapping of the file. */
void least_munmap(struct least *least, int fd);

/* ---- for the operations of the host ----------------------------------------------------- */

extern const struct tally_host_ops least_ops;
void least_pmus_init(struct least *least);

/* Allocations are tracked with their sizes: least_memory.c. */
void *least_alloc(void *host, size_t size);
void least_free(void *host, void *memory, size_t size);
void *least_pages_alloc(void *host, size_t nr);
void least_pages_free(void *host, void *pages, size_t nr);

/* Check that no freed memory was written to, and release it. */
void least_memory_check(struct least *least);

/* Free all tracked memory, for least_abandon(). */
void least_memory_abandon(struct least *least);

/* User memory: least_user.c. */
int least_copy_from_user(void *host, void *to, const void *user, size_t len);
int least_copy_to_user(void *host, void *user, const void *from, size_t len);

#endif
