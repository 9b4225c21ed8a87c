/* SPDX-License-Identifier: BSD-2-Clause */
/* A thread's values from procfs, accumulated since the thread started. A thread that has exited can
 * be read until it is reaped. */
#ifndef TALLY_HOSTS_USER_PROCFS_H
#define TALLY_HOSTS_USER_PROCFS_H

#include <stdbool.h>
#include <stdint.h>

/* Descriptors of a thread's procfs files, which are kept open, or -1 if not available. */
struct user_proc {
	int32_t pid, tid;
	int schedstat, stat;
};

struct user_reading {
	uint64_t ns;           /* CPU time; up to the last tick if the thread is running */
	uint64_t runs;         /* number of times the thread was given a CPU */
	uint64_t minor, major; /* page faults */
	uint64_t switches, migrations;
	uint64_t space; /* size of the address space in bytes */
	uint32_t cpu;   /* CPU that the thread last ran on */
	char state;     /* R, S, D, T, t, Z, ... */
};

/* Open a thread's files. Returns 0; -ESRCH if the thread does not exist; or an error from
 * open(2). */
int user_proc_open(struct user_proc *proc, int32_t pid, int32_t tid);
void user_proc_close(struct user_proc *proc);

/* Read `ns` and `runs`. Returns 0 or -ESRCH. Without schedstat, `ns` is the CPU time from stat,
 * which has the resolution of clock ticks, and `runs` is not set. */
int user_proc_read_time(const struct user_proc *proc, struct user_reading *reading);

/* Read the state, CPU, page faults and size of the address space. Returns 0 or -ESRCH. */
int user_proc_read_state(const struct user_proc *proc, struct user_reading *reading);

/* Read all values. Values that the kernel does not provide (migrations without CONFIG_SCHED_DEBUG)
 * are left unchanged. Returns 0 or -ESRCH. */
int user_proc_read_all(const struct user_proc *proc, struct user_reading *reading);

/* Return the process ID of a thread, or 0 if the thread does not exist. */
int32_t user_proc_process_of(int32_t tid);

/* Return the parent of a process, or 0 if the process has exited. */
int32_t user_proc_parent_of(int32_t pid);

/* Return whether `tid` is a thread of process `pid`. */
bool user_proc_is_thread_of(int32_t tid, int32_t pid);

/* Copy a thread's name, without the newline, to the `size` bytes at `to`. The name is "" if the
 * thread has exited. */
void user_proc_name(int32_t pid, int32_t tid, char *to, uint32_t size);

#endif
