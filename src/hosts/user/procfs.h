/* SPDX-License-Identifier: BSD-2-Clause */
/* What procfs says of a thread, as sums since it began. A thread that ended can be read until it is
 * waited for. */
#ifndef TALLY_HOSTS_USER_PROCFS_H
#define TALLY_HOSTS_USER_PROCFS_H

#include <stdbool.h>
#include <stdint.h>

/* Files of a thread that are kept open; -1: not there. */
struct user_proc {
	int32_t pid, tid;
	int schedstat, stat;
};

struct user_reading {
	uint64_t ns;           /* CPU time; of a running thread as of the last tick */
	uint64_t runs;         /* how often it was given a CPU */
	uint64_t minor, major; /* page faults */
	uint64_t switches, migrations;
	uint64_t space; /* bytes of its address space */
	uint32_t cpu;   /* the one it ran on last */
	char state;     /* R, S, D, T, t, Z, ... */
};

/* 0; -ESRCH when there is no such thread; the error of open(2). */
int user_proc_open(struct user_proc *proc, int32_t pid, int32_t tid);
void user_proc_close(struct user_proc *proc);

/* Read `ns` and `runs`. 0 or -ESRCH. Where there is no schedstat, the time is that of stat, in
 * ticks, and runs are 0. */
int user_proc_read_time(const struct user_proc *proc, struct user_reading *reading);

/* Read state, CPU, faults and space. 0 or -ESRCH. */
int user_proc_read_state(const struct user_proc *proc, struct user_reading *reading);

/* Read all. What the kernel does not tell (migrations without CONFIG_SCHED_DEBUG) stays as it is. 0
 * or -ESRCH. */
int user_proc_read_all(const struct user_proc *proc, struct user_reading *reading);

/* The process of a thread; 0 when there is none. */
int32_t user_proc_process_of(int32_t tid);

/* Who made process `pid`; 0 when it is gone. */
int32_t user_proc_parent_of(int32_t pid);

/* Whether `tid` is a thread of process `pid`. */
bool user_proc_is_thread_of(int32_t tid, int32_t pid);

/* The name of a thread, without its end of line: "" when it is gone. `size` bytes at `to`. */
void user_proc_name(int32_t pid, int32_t tid, char *to, uint32_t size);

#endif
