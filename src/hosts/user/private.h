/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of this host share.
 *
 * One lock guards all of it: `lock`. Who holds it is "the machine": nothing else runs, so that
 * interrupts need not be turned off. The supervisor holds it but while it waits; callers hold it
 * during their calls.
 */
#ifndef TALLY_HOSTS_USER_PRIVATE_H
#define TALLY_HOSTS_USER_PRIVATE_H

#include <pthread.h>
#include <time.h>

#include "base/map.h"
#include "base/vec.h"
#include "hosts/user/procfs.h"
#include "hosts/user/user.h"
#include "tally/core.h"

#define USER_NEVER UINT64_MAX

struct user_range {
	uint64_t start, end;
};

/* Executable mappings that records were written of. */
struct user_process {
	int32_t pid;
	uint64_t read_at, read_ns; /* when, CLOCK_MONOTONIC, and how long it took */
	uint64_t space;            /* its size at the last sample */
	uint32_t nr_reads;         /* of the program that it executes now */
	TALLY_VEC(struct user_range) known;
};

/* A thread that is traced, or the one that made the host. */
struct user_task {
	struct tally_core_task perf;
	struct user_proc proc;
	struct user_reading seen; /* what was replayed of it */
	uint64_t used;            /* the time of its last replay */
	uint64_t end;             /* of its last replay, on the core's clock */
	uint64_t left;            /* CPU time until an event of it wants a sample; USER_NEVER */
	uint64_t period;          /* the most of that that was seen */
	uint64_t look_at;         /* when it is to be looked at next, CLOCK_MONOTONIC */
	uint64_t runs;            /* of its reading when it stood still last */
	bool traced;
	bool interrupted; /* a stop of ours is on its way */
	bool on_exec;     /* held before the exec that some of its events wait for */
	bool is_done;     /* it stopped at its exit: nothing more is to be counted */
	bool is_child;    /* of this process, which wants to wait for it */
};

struct user_cpu {
	uint64_t clock;    /* the end of what was replayed on it */
	uint64_t timer_at; /* what the core asked for; USER_NEVER */
	uint64_t tick_at;
	bool deferred;
};

/* A descriptor of ours. */
struct user_file {
	int fd; /* eventfd: readable when the event was notified */
	struct tally_core_event *event;
	struct tally_core_buffer *buffer; /* NULL: not mapped */
	void *memory;
	size_t nr_mapped;
	int32_t tid; /* whom it was opened for */
	bool closed; /* the mapping is all that is left */
	bool samples_counts;
	uint64_t socket; /* inode of the program's descriptor; 0: not known */
	bool used_up;    /* its count of REFRESH, and the signal has still to come */
};

/* A child of this process that was waited for. */
struct user_reaped {
	pid_t pid;
	int status;
	struct rusage usage;
};

/* A piece that op pages_alloc() gave. */
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

	uint32_t callers; /* who wait for the lock: they go before the supervisor. Atomic */

	struct user_task self;
	bool self_used;                      /* somebody counts it */
	TALLY_VEC(struct user_task *) tasks; /* without `self` */
	struct tally_map by_tid;             /* pointers to those */
	TALLY_VEC(int32_t) early;            /* stopped before it was known whose child they are */
	TALLY_VEC(struct user_process *) processes; /* whose mappings are known */
	TALLY_VEC(struct user_file *) files;
	TALLY_VEC(struct user_reaped) reaped;
	TALLY_VEC(struct user_pages) pages;
	uint32_t nr_sampled_counts; /* files whose events sample by anything but time */
	uint32_t nr_used_up;        /* files of which that is so */

	uint32_t nr_cpus, cpu; /* the one that "this" is */
	struct user_cpu *cpus;
	uint64_t clock;     /* the core's */
	uint64_t settle_at; /* until then what is known of all tasks is recent */
	bool anew;          /* events were started or changed: samples may be due sooner */
	uint64_t random;

	/* The supervisor. */
	pthread_t thread;
	bool started, stopping;
	timer_t timer;
	int start_ret;  /* of what it did first */
	bool requested; /* attach_tid is to be attached */
	int32_t attach_tid;
	int attach_ret;
};

/* ---- ops.c ----------------------------------------------------------------------------- */

/* All but the size of a page. */
extern const struct tally_host_ops user_ops;

/* ---- pages.c ----------------------------------------------------------------------------- */

void *user_pages_alloc(void *host, size_t nr);
void user_pages_free(void *host, void *memory, size_t nr);

/* ---- tasks.c ------------------------------------------------------------------------------ */

/* The task of a thread; NULL: not known. */
struct user_task *user_task_find(const struct tally_user *user, int32_t tid);

/* A task for a thread that exists, with what it used so far taken as seen (`anew`: nothing is
 * seen). 0, -ENOMEM, or an error of user_proc_open(). */
int user_task_new(struct tally_user *user, int32_t pid, int32_t tid, bool anew,
		  struct user_task **ret_task);

/* Another thread number: exec by a thread that was not its process' first. 0 or -ENOMEM. */
int user_task_rename(struct tally_user *user, struct user_task *task, int32_t tid);

/* It ended: what is left of it is replayed before by the caller. */
void user_task_end(struct tally_user *user, struct user_task *task);

/* ---- replay.c --------------------------------------------------------------------------- */

/* What is done while a task is on its CPU, after what it used was replayed. */
typedef void (*user_hook)(struct tally_user *user, struct user_task *task, void *arg);

/* How a reading is replayed. All zero: as far as no sample is due. */
struct user_replay {
	const struct tally_core_sample_data *sample_data; /* where it is stopped; NULL: it is not */
	bool whole; /* all of it, with samples of nowhere if they are due */
	user_hook hook;
	void *arg;
};

/* Have the core count what the task used since the last time. */
void user_replay(struct tally_user *user, struct user_task *task, const struct user_reading *now,
		 const struct user_replay *how);

/* Which CPU and what time it is where a caller of the machine calls the core; and what the core put
 * off meanwhile. */
void user_enter(struct tally_user *user);
void user_leave(struct tally_user *user);

/* Read what a task used and replay it. */
void user_settle_task(struct tally_user *user, struct user_task *task);

/* The same of every task. `recent`: unless that was done a moment ago, so that it takes a part of
 * the time at most, however many there are. */
void user_settle(struct tally_user *user, bool recent);

#endif
