/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An implementation of perf_event_open(2) and tasks to exercise it: the running Linux kernel, or
 * the core on the simulated machine. Call scripts use only this interface.
 *
 * Tasks are identified by small numbers; 0 is the script's main task. Calls return the result of
 * the system call, or -errno. A system runs one script and is never freed; it is released when its
 * process exits.
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
	SYSTEM_CPUS = 2,                  /* CPUs that scripts use */
	SYSTEM_MLOCK_PAGES = 258,         /* buffer pages a user may lock (mlock_kb) */
	SYSTEM_MEMLOCK = 16 * SYSTEM_PAGE /* additional bytes that a process may lock */
};

/* Actions of a task other than system calls on events. */
enum system_act {
	/* a: number of new pages to touch; b: descriptor to enable just before and disable just
	 * after touching them, or -1 */
	ACT_TOUCH,
	ACT_HIT,    /* a: number of tracepoint hits; b: the tracepoint's argument `pid` */
	ACT_SLEEP,  /* a: number of sleeps */
	ACT_SPIN,   /* a: microseconds to run in user space */
	ACT_WORK,   /* a: thousands of instructions to execute in user space */
	ACT_FORK,   /* a: number of the new task, a process */
	ACT_THREAD, /* a: number of the new task, a thread of the same process */
	ACT_EXIT,
	ACT_EXEC,
	ACT_COMM,  /* text: the new name */
	ACT_MAP,   /* text: file name; a: number of pages to map; b: 1 executable, 0 data */
	ACT_PIN,   /* a: CPU to run on */
	ACT_STORE, /* a: number of 8-byte stores to watched(), or loads for ACT_LOAD */
	ACT_LOAD,
	ACT_EXECUTE, /* a: number of executions of the code at watched_code() */
	SYSTEM_NR_ACTS
};

struct system;

struct system_ops {
	const char *name;
	uint32_t attr_size; /* size of the newest attr that the system supports */

	/* `attr` is SYSTEM_ATTR_BYTES long, and open() may write to it like the system call. If
	 * `attr` is NULL, an invalid pointer is passed. */
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
	uint64_t (*watched)(struct system *system);    /* address of 64 aligned bytes */
	uint64_t (*watched_code)(struct system *system);
};

struct system {
	const struct system_ops *ops;
};

/* Prepare the system before any script runs; requires root. Returns NULL, or the reason why the
 * system is not available, such as a kernel release that does not begin with `release`. A NULL
 * `release` accepts any kernel. */
const char *linux_system_prepare(const char *release);

/* Create a system for the running kernel. Without `root` the main task has no capabilities. Returns
 * NULL on failure. */
struct system *linux_system_new(bool root);

/* Prepare and create a system for a program that runs under tally emulate. */
const char *emulated_system_prepare(void);
struct system *emulated_system_new(bool root);

/* If this program was started by ACT_EXEC, execute orders and do not return. */
void linux_system_executed(int argc, char **argv);

/* Create a system that runs the core on the simulated machine, either without counters or with an
 * Arm CPU's counters. */
struct system *sim_system_new(bool root);
struct system *sim_pmu_system_new(bool root);

#endif
