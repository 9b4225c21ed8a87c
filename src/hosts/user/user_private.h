/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Private to hosts/user/.
 *
 * A single lock, `lock`, protects all of it. The thread that holds it is "the machine": nothing
 * else runs, so interrupts need not be disabled. The supervisor holds the lock except while it
 * waits; callers hold it during their calls.
 */
#ifndef TALLY_HOSTS_USER_PRIVATE_H
#define TALLY_HOSTS_USER_PRIVATE_H

#include <pthread.h>
#include <time.h>

#include "base/map.h"
#include "base/vec.h"
#include "hosts/user/user_procfs.h"
#include "hosts/user/user.h"
#include "tally/core.h"

#define USER_NEVER UINT64_MAX

struct user_range {
	uint64_t start, end;
};

/* Executable mappings that were reported in records. */
struct user_process {
	int32_t pid;
	uint64_t read_at, read_ns; /* time of the last read, CLOCK_MONOTONIC, and its duration */
	uint64_t space;            /* size of the address space at the last sample */
	uint32_t nr_reads;         /* reads since its last exec */
	TALLY_VEC(struct user_range) known;
};

/* A traced thread, or the one that created the host. */
struct user_task {
	struct tally_core_task perf;
	struct user_proc proc;
	struct user_reading seen; /* the reading up to which it was replayed */
	uint64_t used;            /* CPU time of its last replay */
	uint64_t end;             /* end of its last replay, on the core's clock */
	uint64_t left;            /* CPU time until its next sample is due; USER_NEVER */
	uint64_t period;          /* largest value of `left` so far */
	uint64_t look_at;         /* time of its next check, CLOCK_MONOTONIC */
	uint64_t runs;            /* `runs` of the reading when it was last known not to run */
	bool traced;
	bool interrupted; /* a requested stop is pending */
	bool on_exec;     /* some of its events wait for its exec */
	bool is_done;     /* it stopped at its exit: nothing more is counted */
	bool is_child;    /* child of this process, which will wait for it */
};

struct user_cpu {
	uint64_t clock;    /* end of the last replay on this CPU */
	uint64_t timer_at; /* timer set by the core; USER_NEVER */
	uint64_t tick_at;
	bool deferred;
};

/* A descriptor of this host. */
struct user_file {
	int fd; /* eventfd: readable after a notification */
	struct tally_core_event *event;
	struct tally_core_buffer *buffer; /* NULL: not mapped */
	void *memory;
	size_t nr_mapped;
	int32_t tid; /* thread that it was opened for */
	bool closed; /* the descriptor is closed; only mappings are left */
	bool samples_counts;
	uint64_t socket; /* inode of the program's descriptor; 0: unknown */
	bool used_up;    /* its REFRESH count is used up, and the signal is pending */
};

/* A child of this process that the supervisor has waited for. */
struct user_reaped {
	pid_t pid;
	int status;
	struct rusage usage;
};

/* Memory allocated by user_pages_alloc(). */
struct user_pages {
	void *memory;
	int fd;
};

struct tally_user {
	struct tally_user_settings settings;
	struct tally_core *core;
	struct tally_host_ops ops;
	pthread_mutex_t lock;
	pthread_cond_t changed; /* a request was made or answered, or a child was waited for */

	uint32_t callers; /* threads that wait for the lock, and precede the supervisor; atomic */

	struct user_task self;
	bool self_used;                      /* an event was opened for it */
	TALLY_VEC(struct user_task *) tasks; /* all traced tasks; `self` is not among them */
	struct tally_map by_tid;             /* TID to struct user_task */
	TALLY_VEC(int32_t) early;            /* TIDs that stopped before their parent was known */
	TALLY_VEC(struct user_process *) processes; /* those with known mappings */
	TALLY_VEC(struct user_file *) files;
	TALLY_VEC(struct user_reaped) reaped;
	TALLY_VEC(struct user_pages) pages;
	uint32_t nr_sampled_counts; /* files with an event that samples by a count other than time
	                             */
	uint32_t nr_used_up;        /* files with `used_up` set */

	uint32_t nr_cpus, cpu; /* `cpu`: the current one */
	struct user_cpu *cpus;
	uint64_t clock;     /* the core's clock */
	uint64_t settle_at; /* time until which the readings of all tasks are recent */
	bool anew;          /* events were started or changed: samples may be due earlier */
	uint64_t random;

	/* The supervisor. */
	pthread_t thread;
	bool started, stopping;
	timer_t timer;
	int start_ret;  /* result of its initialization */
	bool requested; /* attach_tid is to be attached */
	int32_t attach_tid;
	int attach_ret;
};

/* ---- user_ops.c ----------------------------------------------------------------------------- */

/* All but page_size and register_mask, which are set at run time. */
extern const struct tally_host_ops user_ops;

/* ---- user_pages.c ----------------------------------------------------------------------------- */

void *user_pages_alloc(void *host, size_t nr);
void user_pages_free(void *host, void *memory, size_t nr);

/* ---- tasks.c ------------------------------------------------------------------------------ */

/* Find the task of a thread; NULL if it is unknown. */
struct user_task *user_task_find(const struct tally_user *user, int32_t tid);

/* Create a task for an existing thread. What the thread has used so far is not counted, unless
 * `anew` is set. Returns 0, -ENOMEM, or an error of user_proc_open(). */
int user_task_new(struct tally_user *user, int32_t pid, int32_t tid, bool anew,
		  struct user_task **ret_task);

/* Change the TID of a task, after an exec by a thread that was not its process's first. Returns 0,
 * -ENOMEM, or an error of user_proc_open(). */
int user_task_rename(struct tally_user *user, struct user_task *task, int32_t tid);

/* Remove a task that ended. The caller has replayed the rest of it. */
void user_task_end(struct tally_user *user, struct user_task *task);

/* ---- user_replay.c --------------------------------------------------------------------------- */

/* Called while a task is on its CPU, after what it used was replayed. */
typedef void (*user_hook)(struct tally_user *user, struct user_task *task, void *arg);

/* Options of a replay. All zero: replay only if no sample is due. */
struct user_replay {
	const struct tally_core_sample_data *sample_data; /* where it is stopped; NULL: it is not */
	bool whole; /* all of it; samples that are due have no location */
	user_hook hook;
	void *arg;
};

/* Have the core count what the task used since its last replay. */
void user_replay(struct tally_user *user, struct user_task *task, const struct user_reading *now,
		 const struct user_replay *how);

/* Bracket a call to the core that is not part of a replay: user_call_begin() sets the CPU and the
 * time, user_call_end() runs what the core deferred. */
void user_call_begin(struct tally_user *user);
void user_call_end(struct tally_user *user);

/* Read what a task has used, and replay it. */
void user_catch_up_task(struct tally_user *user, struct user_task *task);

/* Do the same for every task. `recent`: unless that was done a moment ago, which limits the share
 * of time that this takes with many tasks. */
void user_catch_up(struct tally_user *user, bool recent);

#endif
