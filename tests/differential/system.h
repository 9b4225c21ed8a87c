/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An implementation of perf_event_open(2) with tasks to try it on: the running Linux, or the
 * core on the simulated machine. The call scripts know nothing else.
 *
 * Tasks are small numbers; 0 is the one whose program the script is. Calls return what the
 * system call does, -errno for errors. A system serves one script and is never given back: it
 * ends with its process.
 */
#ifndef TALLY_TESTS_DIFFERENTIAL_SYSTEM_H
#define TALLY_TESTS_DIFFERENTIAL_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tally/abi.h"

enum {
	SYSTEM_TASKS = 8,
	SYSTEM_ATTR_BYTES = 4224,
	SYSTEM_PAGE = 4096,
	SYSTEM_CPUS = 2,                  /* that scripts name */
	SYSTEM_MLOCK_PAGES = 258,         /* that a user may lock for buffers ... */
	SYSTEM_MEMLOCK = 16 * SYSTEM_PAGE /* ... and beyond that */
};

/* What a task can do besides system calls on events. */
enum system_act {
	ACT_TOUCH,  /* a: pages of its memory that were never touched; b: a descriptor to enable
		     * just before and disable just after, or -1 */
	ACT_HIT,    /* a: times to hit the tracepoint; b: its argument `pid` */
	ACT_SLEEP,  /* a: times to sleep */
	ACT_SPIN,   /* a: microseconds to run in user space */
	ACT_WORK,   /* a: thousands of instructions to execute in user space */
	ACT_FORK,   /* a: the number of the new task, a process of its own */
	ACT_THREAD, /* a: the number of the new task, a thread of the same process */
	ACT_EXIT,
	ACT_EXEC,
	ACT_COMM,  /* text: its new name */
	ACT_MAP,   /* text: name of a file; a: pages of it to map; b: 1 executable, 0 data */
	ACT_PIN,   /* a: CPU to run on from now on */
	ACT_STORE, /* a: times to store 8 bytes at watched(), ACT_LOAD to load them */
	ACT_LOAD,
	ACT_EXECUTE, /* a: times to execute what is at watched_code() */
	SYSTEM_NR_ACTS
};

struct system;

struct system_ops {
	const char *name;
	uint32_t attr_size; /* that it knows */

	/* `attr` is SYSTEM_ATTR_BYTES long and is written to as the call does; NULL: a bad pointer.
	 */
	int (*open)(struct system *system, int task, void *attr, int32_t pid, int32_t cpu,
		    int group_fd, unsigned long flags);
	int (*close)(struct system *system, int task, int fd);
	int64_t (*read)(struct system *system, int task, int fd, void *to, size_t len);
	int (*ioctl)(struct system *system, int task, int fd, unsigned long request, uintptr_t arg);
	int (*mmap)(struct system *system, int task, int fd, size_t len, uint64_t offset,
		    bool writable, void **ret_memory);
	int (*munmap)(struct system *system, int task, void *memory, size_t len);
	int (*poll)(struct system *system, int task, int fd); /* POLLIN, POLLERR, POLLHUP */
	int (*prctl)(struct system *system, int task, int option);

	/* 0 or -errno. */
	int (*act)(struct system *system, int task, enum system_act act, int64_t a, int64_t b,
		   const char *text);

	int32_t (*pid)(struct system *system, int task);
	int32_t (*tid)(struct system *system, int task);
	int (*other_fd)(struct system *system);        /* of something that is no event */
	uint64_t (*tracepoint)(struct system *system); /* id of the one that ACT_HIT hits */
	uint64_t (*watched)(struct system *system);    /* 64 bytes, aligned, in every task */
	uint64_t (*watched_code)(struct system *system);
};

struct system {
	const struct system_ops *ops;
};

/* Before any script, with all rights. NULL, or why the system cannot be used here: among others, as
 * its release does not begin with `release`, which may be NULL. */
const char *linux_system_prepare(const char *release);

/* The running kernel. With `root` off the task has no capabilities. NULL on failure. */
struct system *linux_system_new(bool root);

/* The same for a program that runs under tally emulate, which answers in the kernel's place. */
const char *emulated_system_prepare(void);
struct system *emulated_system_new(bool root);

/* For a program that was executed by ACT_EXEC; returns if it was not. */
void linux_system_executed(int argc, char **argv);

/* The core on the simulated machine: without counters, and with those of an Arm CPU. */
struct system *sim_system_new(bool root);
struct system *sim_pmu_system_new(bool root);

#endif
