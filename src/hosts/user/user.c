/* SPDX-License-Identifier: BSD-2-Clause */
/* Creates and destroys the host. */
#include "hosts/user/user.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/clock.h"
#include "base/proc.h"
#include "hosts/user/user_files.h"
#include "hosts/user/user_maps.h"
#include "hosts/user/supervisor.h"
#include "hosts/user/user_private.h"
#include "hosts/user/regs.h"

/* A process that may trace a thread may count all of the thread's activity, even in the kernel.
 * CPU-wide counting is not allowed. */
enum { PARANOID = 1 };

static int cpus_init(struct tally_user *user)
{
	long nr = sysconf(_SC_NPROCESSORS_CONF);

	user->nr_cpus = (uint32_t)TALLY_MAX(nr, 1);
	user->cpus = calloc(user->nr_cpus, sizeof(*user->cpus));
	if (!user->cpus)
		return -ENOMEM;
	for (uint32_t i = 0; i < user->nr_cpus; i++)
		user->cpus[i].timer_at = USER_NEVER;
	return 0;
}

static int core_init(struct tally_user *user)
{
	struct tally_core_settings settings;
	int ret;

	tally_core_settings_init(&settings);
	settings.paranoid = PARANOID;
	settings.contiguous = true;
	user->ops = user_ops;
	user->ops.page_size = (size_t)sysconf(_SC_PAGESIZE);
	user->ops.register_mask = user_regs_mask();
	ret = tally_core_create(&user->ops, user, user->nr_cpus, &settings, &user->core);
	for (uint32_t i = 0; i < user->nr_cpus && !ret; i++)
		ret = tally_core_cpu_online(user->core, i);
	return ret;
}

/* Set up the task of the thread that created the host. This task is not traced; its values are read
 * when its events are read. */
static int self_init(struct tally_user *user)
{
	int32_t tid = (int32_t)syscall(SYS_gettid);
	int ret = user_proc_open(&user->self.proc, getpid(), tid);

	if (ret)
		return ret;
	tally_core_task_init(&user->self.perf, getpid(), tid);
	user->self.left = user->self.look_at = USER_NEVER;
	user_proc_read_all(&user->self.proc, &user->self.seen);
	return 0;
}

int tally_user_create(const struct tally_user_settings *settings, struct tally_user **ret_user)
{
	struct tally_user *user = tally_proc_matches_us() ? calloc(1, sizeof(*user)) : NULL;
	int ret;

	if (!user)
		return tally_proc_matches_us() ? -ENOMEM : -EXDEV;
	user->settings = *settings;
	user->random = tally_clock_now() | 1;
	user->self.proc.stat = user->self.proc.schedstat = -1;
	pthread_mutex_init(&user->lock, NULL);
	pthread_cond_init(&user->changed, NULL);
	ret = cpus_init(user);
	if (!ret)
		ret = core_init(user);
	if (!ret)
		ret = self_init(user);
	if (!ret)
		ret = user_supervisor_start(user);
	if (ret)
		tally_user_destroy(user);
	else
		*ret_user = user;
	return ret;
}

static void tasks_end(struct tally_user *user)
{
	user_call_begin(user);
	while (user->tasks.len) {
		struct user_task *task = user->tasks.data[user->tasks.len - 1];

		tally_core_exit(user->core, &task->perf);
		user_maps_remove(user, task->perf.pid);
		user_task_end(user, task);
	}
	tally_core_exit(user->core, &user->self.perf);
	user_call_end(user);
	while (user->processes.len)
		user_maps_remove(user, user->processes.data[0]->pid);
}

void tally_user_destroy(struct tally_user *user)
{
	if (!user)
		return;
	user_supervisor_stop(user);
	if (user->core) {
		user_files_close(user);
		tasks_end(user);
	}
	tally_core_destroy(user->core);
	user_proc_close(&user->self.proc);
	tally_map_free(&user->by_tid);
	tally_vec_free(&user->tasks);
	tally_vec_free(&user->processes);
	tally_vec_free(&user->early);
	tally_vec_free(&user->reaped);
	tally_vec_free(&user->pages);
	free(user->cpus);
	pthread_cond_destroy(&user->changed);
	pthread_mutex_destroy(&user->lock);
	free(user);
}

/* ---- children --------------------------------------------------------------------------- */

static bool is_traced(const struct tally_user *user, pid_t pid)
{
	const struct user_task *task = user_task_find(user, pid);

	return task && task->is_child;
}

static pid_t take_reaped(struct tally_user *user, pid_t pid, int *ret_status,
			 struct rusage *ret_usage)
{
	tally_vec_for_each (reaped, &user->reaped) {
		if (reaped->pid != pid)
			continue;
		*ret_status = reaped->status;
		*ret_usage = reaped->usage;
		*reaped = user->reaped.data[--user->reaped.len];
		return pid;
	}
	return is_traced(user, pid) ? 0 : -ECHILD;
}

pid_t tally_user_wait(struct tally_user *user, pid_t pid, bool block, int *ret_status,
		      struct rusage *ret_usage)
{
	pid_t ret;

	user_lock(user);
	ret = take_reaped(user, pid, ret_status, ret_usage);
	while (!ret && block) {
		pthread_cond_wait(&user->changed, &user->lock);
		ret = take_reaped(user, pid, ret_status, ret_usage);
	}
	user_unlock(user);
	return ret;
}
