/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Private to hosts/user/.
 *
 * A single lock, `lock`, protects the whole host. The thread that holds the lock is "the machine":
 * nothing else runs, so interrupts need not be disabled. The supervisor holds the lock except while
 * it waits; callers hold it during their calls.
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

/* A process, and its executable mappings that have been reported in records. */
struct user_process {
	int32_t pid;
	uint64_t read_at, read_ns; /* CLOCK_MONOTONIC time and duration of the last read */
	uint64_t space;            /* size of the address space at the last sample */
	uint32_t nr_reads;         /* reads since the process's last exec */
	TALLY_VEC(struct user_range) known;
};

/* A traced thread, or the thread that created the host. */
struct user_task {
	struct tally_core_task perf;
	struct user_proc proc;
	struct user_reading seen; /* last reading that was replayed */
	uint64_t used;            /* CPU time that the last replay covered */
	uint64_t end;             /* end of the last replay, on the core's clock */
	uint64_t left;            /* CPU time until the next sample, or USER_NEVER */
	uint64_t period;          /* largest value of `left` so far */
	uint64_t look_at;         /* CLOCK_MONOTONIC time of the next check */
	uint64_t runs;            /* `runs` when the task was last known not to be running */
	bool traced;
	bool interrupted; /* a stop was requested and is pending */
	bool on_exec;     /* some of the task's events are waiting for its exec */
	bool is_done;     /* stopped on exit; nothing more is counted */
	bool is_child;    /* child of this process; this process will wait for it */
};

struct user_cpu {
	uint64_t clock;    /* end of the last replay on this CPU */
	uint64_t timer_at; /* timer set by the core, or USER_NEVER */
	uint64_t tick_at;
	bool deferred;
};

/* A file descriptor of this host. */
struct user_file {
	int fd; /* eventfd that is readable after a notification */
	struct tally_core_event *event;
	struct tally_core_buffer *buffer; /* NULL if not mapped */
	void *memory;
	size_t nr_mapped;
	int32_t tid; /* thread the event was opened for */
	bool closed; /* the descriptor is closed, and only mappings remain */
	bool samples_counts;
	uint64_t socket; /* inode of the program's socket; 0 if unknown */
	bool used_up;    /* the REFRESH count is used up, and the signal is pending */
};

/* A child of this process that the supervisor has reaped. */
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
	pthread_cond_t changed; /* a request was made or served, or a child was reaped */

	uint32_t callers; /* threads waiting for the lock ahead of the supervisor; atomic */

	struct user_task self;
	bool self_used;                      /* an event was opened for `self` */
	TALLY_VEC(struct user_task *) tasks; /* all traced tasks except `self` */
	struct tally_map by_tid;             /* TID to struct user_task */
	TALLY_VEC(int32_t) early;            /* threads that stopped before their parent did */
	TALLY_VEC(struct user_process *) processes; /* processes with known mappings */
	TALLY_VEC(struct user_file *) files;
	TALLY_VEC(struct user_reaped) reaped;
	TALLY_VEC(struct user_pages) pages;
	uint32_t nr_sampled_counts; /* files with events that sample on counts other than time */
	uint32_t nr_used_up;        /* files with `used_up` set */

	uint32_t nr_cpus, cpu; /* `cpu` is the current CPU */
	struct user_cpu *cpus;
	uint64_t clock;     /* the core's clock */
	uint64_t settle_at; /* time until which the last catch-up counts as recent */
	bool anew;          /* events were started or changed, so samples may be due earlier */
	uint64_t random;

	/* State of the supervisor thread. */
	pthread_t thread;
	bool started, stopping;
	timer_t timer;
	int start_ret;  /* result of the supervisor's initialization */
	bool requested; /* a caller wants attach_tid to be attached */
	int32_t attach_tid;
	int attach_ret;
};

/* ---- user_ops.c ----------------------------------------------------------------------------- */

/* The host's operations. page_size and register_mask are set at run time. */
extern const struct tally_host_ops user_ops;

/* ---- user_pages.c ------------------------------------------------------------------- */

void *user_pages_alloc(void *host, size_t nr);
void user_pages_free(void *host, void *memory, size_t nr);

/* ---- tasks.c ------------------------------------------------------------------------------ */

/* Return a thread's task, or NULL if the thread is unknown. */
struct user_task *user_task_find(const struct tally_user *user, int32_t tid);

/* Create a task for an existing thread. The thread's past usage is counted only if `anew` is set.
 * Returns 0, -ENOMEM, or an error from user_proc_open(). */
int user_task_new(struct tally_user *user, int32_t pid, int32_t tid, bool anew,
		  struct user_task **ret_task);

/* Change a task's TID after an exec by a thread other than its process's first thread. Returns 0,
 * -ENOMEM, or an error from user_proc_open(). */
int user_task_rename(struct tally_user *user, struct user_task *task, int32_t tid);

/* Remove a task that has exited. The caller must have replayed it up to its exit. */
void user_task_end(struct tally_user *user, struct user_task *task);

/* ---- user_replay.c --------------------------------------------------------------------------- */

/* Replay callback. It runs when the task's usage has been replayed and the task is still on its
 * CPU. */
typedef void (*user_hook)(struct tally_user *user, struct user_task *task, void *arg);

/* Options for a replay. With all options zero, the task is replayed only if no sample is due. */
struct user_replay {
	const struct tally_core_sample_data *sample_data; /* state of the stopped thread, or NULL */
	bool whole; /* replay even if due samples have no location */
	user_hook hook;
	void *arg;
};

/* Make the core count the resource usage of the task since its last replay. */
void user_replay(struct tally_user *user, struct user_task *task, const struct user_reading *now,
		 const struct user_replay *how);

/* Bracket a call to the core that is not part of a replay: user_call_begin() sets the CPU and the
 * time, and user_call_end() runs the work that the core deferred. */
void user_call_begin(struct tally_user *user);
void user_call_end(struct tally_user *user);

/* Read a task's resource usage, and replay it. */
void user_catch_up_task(struct tally_user *user, struct user_task *task);

/* Call user_catch_up_task() for every task. If `recent` is set, do nothing if all tasks were caught
 * up a moment ago. This limits the time spent on catching up when there are many tasks. */
void user_catch_up(struct tally_user *user, bool recent);

#endif
