/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An implementation of perf_event_open(2) with tasks to try it on: the running Linux kernel, or the
 * core on the simulated machine. Call scripts use only this interface.
 *
 * Tasks have small numbers; 0 is the main task of the script. Calls return the result of the system
 * call, or -errno. A system runs one script and is never freed: it ends with its process.
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
	SYSTEM_CPUS = 2,                  /* that scripts use */
	SYSTEM_MLOCK_PAGES = 258,         /* pages a user may lock for buffers... */
	SYSTEM_MEMLOCK = 16 * SYSTEM_PAGE /* ...and additional bytes beyond that */
};

/* Actions of a task other than system calls on events. */
enum system_act {
	ACT_TOUCH,  /* a: number of new pages of its memory to touch; b: descriptor to enable just
	             * before and disable just after, or -1 */
	ACT_HIT,    /* a: number of hits of the tracepoint; b: its argument `pid` */
	ACT_SLEEP,  /* a: number of sleeps */
	ACT_SPIN,   /* a: microseconds to run in user space */
	ACT_WORK,   /* a: thousands of instructions to execute in user space */
	ACT_FORK,   /* a: number of the new task, a process */
	ACT_THREAD, /* a: number of the new task, a thread of the same process */
	ACT_EXIT,
	ACT_EXEC,
	ACT_COMM,  /* text: the new name */
	ACT_MAP,   /* text: name of a file; a: number of pages to map; b: 1 executable, 0 data */
	ACT_PIN,   /* a: CPU to run on */
	ACT_STORE, /* a: number of 8-byte stores to watched(); ACT_LOAD: loads */
	ACT_LOAD,
	ACT_EXECUTE, /* a: number of executions of the code at watched_code() */
	SYSTEM_NR_ACTS
};

struct system;

struct system_ops {
	const char *name;
	uint32_t attr_size; /* size of the attr that it supports */

	/* `attr` is SYSTEM_ATTR_BYTES long and is written to like that of the system call; NULL: a
	 * bad pointer. */
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

	/* Returns 0 or -errno. */
	int (*act)(struct system *system, int task, enum system_act act, int64_t a, int64_t b,
		   const char *text);

	int32_t (*pid)(struct system *system, int task);
	int32_t (*tid)(struct system *system, int task);
	int (*other_fd)(struct system *system);        /* a descriptor that is not an event */
	uint64_t (*tracepoint)(struct system *system); /* ID of the tracepoint that ACT_HIT hits */
	uint64_t (*watched)(struct system *system);    /* 64 aligned bytes, in every task */
	uint64_t (*watched_code)(struct system *system);
};

struct system {
	const struct system_ops *ops;
};

/* Prepare the system before any script runs; requires root. Returns NULL, or the reason why the
 * system is not available, for example a release that does not begin with `release`. `release` may
 * be NULL. */
const char *linux_system_prepare(const char *release);

/* Create a system for the running kernel. Without `root` the main task has no capabilities. Returns
 * NULL on failure. */
struct system *linux_system_new(bool root);

/* The same for a program that runs under tally emulate. */
const char *emulated_system_prepare(void);
struct system *emulated_system_new(bool root);

/* Continue a program that was executed by ACT_EXEC. Returns if it was not. */
void linux_system_executed(int argc, char **argv);

/* Create a system with the core on the simulated machine, without counters or with those of an Arm
 * CPU. */
struct system *sim_system_new(bool root);
struct system *sim_pmu_system_new(bool root);

#endif
