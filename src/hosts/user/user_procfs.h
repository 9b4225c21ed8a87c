/* SPDX-License-Identifier: BSD-2-Clause */
/* Values of a thread from procfs, as sums since it began. A thread that ended can be read until it
 * is waited for. */
#ifndef TALLY_HOSTS_USER_PROCFS_H
#define TALLY_HOSTS_USER_PROCFS_H

#include <stdbool.h>
#include <stdint.h>

/* Files of a thread that are kept open; -1: not available. */
struct user_proc {
	int32_t pid, tid;
	int schedstat, stat;
};

struct user_reading {
	uint64_t ns;           /* CPU time; that of a running thread is as of the last tick */
	uint64_t runs;         /* how often it was given a CPU */
	uint64_t minor, major; /* page faults */
	uint64_t switches, migrations;
	uint64_t space; /* size of its address space in bytes */
	uint32_t cpu;   /* CPU that it last ran on */
	char state;     /* R, S, D, T, t, Z, ... */
};

/* Open the files of a thread. Returns 0; -ESRCH if there is no such thread; or the error of
 * open(2). */
int user_proc_open(struct user_proc *proc, int32_t pid, int32_t tid);
void user_proc_close(struct user_proc *proc);

/* Read `ns` and `runs`. Returns 0 or -ESRCH. Without schedstat the time is that of stat, in ticks,
 * and `runs` is not set. */
int user_proc_read_time(const struct user_proc *proc, struct user_reading *reading);

/* Read state, CPU, faults and space. Returns 0 or -ESRCH. */
int user_proc_read_state(const struct user_proc *proc, struct user_reading *reading);

/* Read everything. Values that the kernel does not provide (migrations without CONFIG_SCHED_DEBUG)
 * stay unchanged. Returns 0 or -ESRCH. */
int user_proc_read_all(const struct user_proc *proc, struct user_reading *reading);

/* Return the process of a thread; 0 if the thread does not exist. */
int32_t user_proc_process_of(int32_t tid);

/* Return the parent of a process; 0 if it is gone. */
int32_t user_proc_parent_of(int32_t pid);

/* Return whether `tid` is a thread of process `pid`. */
bool user_proc_is_thread_of(int32_t tid, int32_t pid);

/* Copy the name of a thread, without the newline, to the `size` bytes at `to`; "" if it is gone. */
void user_proc_name(int32_t pid, int32_t tid, char *to, uint32_t size);

#endif
