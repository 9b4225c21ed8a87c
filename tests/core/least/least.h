/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The least host: CPUs that take turns on one thread, so that whatever can come in between is put
 * there by the test and happens each time. It checks the contract of tally/host.h while the core
 * runs: which operation may be called under which lock, with interrupts on or off, from the
 * overflow interrupt; what is freed has the size it was made with; user memory is fetched once.
 * What breaks it aborts with a sentence.
 *
 * The thread is always on one CPU, `cpu`; call() and least_on() change it. A spin lock that is held
 * can never come free on one thread, so waiting for one is broken too: what interrupted took it.
 */
#ifndef TALLY_TESTS_CORE_LEAST_H
#define TALLY_TESTS_CORE_LEAST_H

#include <errno.h>

#include "tally/core.h"

enum {
	LEAST_TASKS = 32,
	LEAST_FILES = 512,
	LEAST_MAPPINGS = 4, /* of one file */
	LEAST_PMUS =
		2, /* one that serves every task; one of the CPUs only, which cannot interrupt */
	LEAST_COUNTERS = 4, /* of the first */
	LEAST_ALL_COUNTERS = 6,
	LEAST_HELD = 8,
	LEAST_BORROWED = 4, /* files of one call */
	LEAST_FETCHES = 64,
	LEAST_BLOCKS = 1024, /* lists of memory */
};

/* Where a test can come in between. */
enum least_point {
	LEAST_AT_ATOMIC,    /* before an operation of core/atomic.h; `what`: its word */
	LEAST_AT_CLOCK,     /* after the clock was read */
	LEAST_AT_COPY_FROM, /* before the copy; `what`: the address in user memory */
	LEAST_AT_COPY_TO,
	LEAST_AT_ALLOC,
	LEAST_AT_LOCK, /* before it is taken */
	LEAST_AT_CALL, /* before another CPU runs a function */
	LEAST_AT_ADD,  /* before a driver does it; `what`: the struct tally_core_hw */
	LEAST_AT_DEL,
	LEAST_AT_START,
	LEAST_AT_STOP,
	LEAST_AT_READ,
	LEAST_AT_SAVE,    /* before interrupts are turned off */
	LEAST_AT_RESTORE, /* interrupts are on again */
	LEAST_AT_COUNTER, /* after a running counter was read */
};

/* The operations that the contract says something of; tests count them. */
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
	uint64_t deadline; /* of its timer */
	struct least_task *task;
	struct least_counter counters[LEAST_ALL_COUNTERS];
};

struct least_task {
	struct tally_core_task perf;
	int32_t cpu;   /* -1: on none */
	uint32_t refs; /* of task_get() */
	bool hidden;   /* its fork is not over: task_get() does not find it */
	bool gone;     /* it ended: the last reference frees it */
};

struct least_file {
	struct tally_core_event *event;
	struct tally_core_buffer *mappings[LEAST_MAPPINGS];
	uint64_t notices; /* of notify() */
	uint32_t users;   /* calls that are not over */
	bool closing;     /* the last of them closes it */
};

/* A call of the core that is not over: what it uses stays. */
struct least_call {
	struct least_call *outer;
	const struct least_task *current; /* does not end meanwhile; NULL: nobody's */
	int files[LEAST_BORROWED];
	uint32_t nr_files;
	uint32_t nr_held;
};

/* A sleeping lock of the core's. */
struct least_lock {
	bool held;
};

/* A lock that the thread holds. */
struct least_held {
	const void *lock; /* NULL: of the address space, which mmap(2) is called under */
};

/* User memory that a call fetched. */
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

	/* Where the thread is. */
	uint32_t cpu;
	uintptr_t off; /* how often interrupts were turned off */
	bool nmi;      /* in the overflow interrupt, which nothing masks */
	bool paused;   /* a driver keeps that interrupt out */
	struct least_held held[LEAST_HELD];
	uint32_t nr_held, held_base; /* those below are of calls that this one came in between */
	struct least_call *call;     /* the innermost */
	uint32_t nr_gone;            /* tasks that somebody still has a reference to */

	struct least_task *tasks[LEAST_TASKS];
	struct tally_core_account users[LEAST_TASKS], spaces[LEAST_TASKS];
	struct least_file files[LEAST_FILES];
	int32_t last_tid;
	struct tally_core_refusal why; /* of the last call that was refused */

	/* What the test can set. */
	uint64_t now;           /* the clock */
	uint64_t caps;          /* of every task; at the beginning all */
	bool may_observe;       /* and trap; at the beginning true */
	uint64_t memlock;       /* at the beginning no limit */
	bool hold_deferred;     /* deferred work waits for least_deferred() */
	uint64_t refuse_alloc;  /* the how manieth allocation from here on fails; 0: none */
	uint64_t refuse_copy;   /* so for copies */
	uint64_t refuse_beyond; /* pages: no more than these at a time; 0: no limit */
	void *user;             /* user memory is these bytes only; NULL: everywhere */
	size_t user_len;
	void *arg;
	void (*at)(struct least *least, enum least_point point, const volatile void *what);
	void (*on_broken)(struct least *least, const char *sentence);

	/* What the test can look at. */
	uint64_t nr_ops[LEAST_OP_NR];
	uint64_t bytes, pages, peak_pages; /* held by the core */
	uint64_t refused;                  /* allocations and copies */
	uint64_t traps, trap_addr, trap_data;
	void *gone_viewer; /* a namespace that is gone: nobody asks what it sees; NULL: none */
	struct tally_core_task *trapped;

	/* Its own. */
	bool inside; /* the test's hook */
	struct least_block *blocks[LEAST_BLOCKS];
	struct least_block *freed; /* kept to see that nobody writes there */
	struct least_fetch fetches[LEAST_FETCHES];
	uint32_t nr_fetches, nr_relaxed; /* in this call */
};

/* ---- life: least.c ---------------------------------------------------------------------- */

/* A core on `nr_cpus` CPUs, all on line, the thread on CPU 0, interrupts on, one task (tasks[0])
 * that runs nowhere. `settings` NULL: the defaults. Aborts where that does not work. */
void least_begin(struct least *least, uint32_t nr_cpus, const struct tally_core_settings *settings);

/* Close what is open, end all tasks, destroy the core; nothing may be left. */
void least_end(struct least *least);

/* What a test left with on_broken: give back all memory, as it is. */
void least_abandon(struct least *least);

/* The thread goes to another CPU, interrupts on. */
void least_on(struct least *least, uint32_t cpu);

/* The contract is broken: print, and abort() unless on_broken does not return. */
__attribute__((format(printf, 2, 3))) void least_broken(struct least *least, const char *format,
							...);

/* Every operation calls it first: counts, and checks what its rule says. */
void least_check(struct least *least, enum least_op op);

/* Call the test's hook, unless it is running. */
void least_at(struct least *least, enum least_point point, const volatile void *what);

/* ---- calls in the middle of calls: least_overlap.c --------------------------------------- */

/* Around each call of the core that may sleep, of `current` and with `fd`; NULL and -1: none. */
void least_call_begin(struct least *least, struct least_call *call,
		      const struct least_task *current, int fd);
void least_call_end(struct least *least, const char *name);

/* The call that is running, if any, uses this file until it is over. */
void least_call_borrow(struct least *least, int fd);

/* Whether the task makes a call that is not over. */
bool least_in_call(const struct least *least, const struct least_task *task);

/* From `at`: other tasks make calls, in fn(), while the running call is preempted. Its task goes on
 * afterwards, perhaps on another CPU. False, and nothing happens, where the core cannot be
 * preempted or is under a lock. */
bool least_overlap(struct least *least, void (*fn)(void));

/* The same under locks of the core, too: calls in fn() that need one of them break the contract. */
bool least_overlap_locked(struct least *least, void (*fn)(void));

/* ---- what happens: least_hooks.c -------------------------------------------------------- */

/* A task that runs nowhere; NULL when there are too many. */
struct least_task *least_task_new(struct least *least);

/* The CPU goes on with `next`, NULL: idle. `next` runs nowhere, or here already. */
void least_switch(struct least *least, struct least_task *next);

/* Another task, inherited from `task`; NULL when there is no room. */
struct least_task *least_fork(struct least *least, struct least_task *task, bool process);

/* The task ends, on its CPU where it runs, unless it is in a call; its memory is freed when the
 * last reference is gone. */
void least_exit(struct least *least, struct least_task *task);
void least_exec(struct least *least, struct least_task *task, bool privileged);

void least_tick(struct least *least);
void least_software(struct least *least, uint32_t id, uint64_t nr);

/* Time passes; timers that are due fire on their CPUs. */
void least_advance(struct least *least, uint64_t ns);

/* What this CPU put off. */
void least_deferred(struct least *least);

void least_online(struct least *least, uint32_t cpu);
void least_offline(struct least *least, uint32_t cpu);

/* The overflow interrupt of a counter of this CPU, which reads `value`: false when it was not
 * running or is not any more. */
bool least_overflow(struct least *least, uint32_t counter,
		    const struct tally_core_sample_data *sample_data);

/* A counter of this CPU counted, if it runs. */
void least_count(struct least *least, uint32_t counter, uint64_t nr);

/* ---- system calls: least_calls.c -------------------------------------------------------- */

/* A descriptor or -errno. `attr` is copied first, and the `attr_len` bytes are all the user memory
 * there is meanwhile. */
int least_open(struct least *least, struct least_task *current, const void *attr, size_t attr_len,
	       int32_t pid, int32_t cpu, int group_fd, unsigned long flags);

/* Unmaps as well. The event is closed when the last call that uses it is over. */
void least_close(struct least *least, int fd);
int64_t least_read(struct least *least, int fd, void *buffer, size_t len);
int least_ioctl(struct least *least, struct least_task *current, int fd, unsigned long request,
		uintptr_t arg);
unsigned least_poll(struct least *least, int fd);
int least_prctl(struct least *least, struct least_task *current, int option);

/* `bytes` from 0; *ret_buffer (NULL is allowed) is good until it is unmapped. */
int least_mmap(struct least *least, struct least_task *current, int fd, size_t bytes, bool writable,
	       struct tally_core_buffer **ret_buffer);

/* The last mapping of the file. */
void least_munmap(struct least *least, int fd);

/* ---- for the operations ----------------------------------------------------------------- */

extern const struct tally_host_ops least_ops;
void least_pmus_init(struct least *least);

/* Memory that is held is noted with its size: least_memory.c. */
void *least_alloc(void *host, size_t size);
void least_free(void *host, void *memory, size_t size);
void *least_pages_alloc(void *host, size_t nr);
void least_pages_free(void *host, void *pages, size_t nr);

/* Nobody wrote to what was freed; it is given back. */
void least_memory_check(struct least *least);

/* Free what is held, for least_abandon(). */
void least_memory_abandon(struct least *least);

/* User memory: least_user.c. */
int least_copy_from_user(void *host, void *to, const void *user, size_t len);
int least_copy_to_user(void *host, void *user, const void *from, size_t len);

#endif
