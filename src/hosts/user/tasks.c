/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads known to the host. */
#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "hosts/user/user_private.h"

struct user_task *user_task_find(const struct tally_user *user, int32_t tid)
{
	uint64_t found = tally_map_get(&user->by_tid, (uint32_t)tid);

	return found == TALLY_MAP_NONE ? NULL : (struct user_task *)(uintptr_t)found;
}

static int task_insert(struct tally_user *user, struct user_task *task)
{
	uint64_t key = (uint32_t)task->perf.tid;
	int ret = tally_map_set(&user->by_tid, key, (uintptr_t)task);

	if (!ret && tally_vec_push(&user->tasks, task)) {
		tally_map_remove(&user->by_tid, key);
		ret = -ENOMEM;
	}
	return ret;
}

int user_task_new(struct tally_user *user, int32_t pid, int32_t tid, bool anew,
		  struct user_task **ret_task)
{
	struct user_task *task = calloc(1, sizeof(*task));
	int ret;

	if (!task)
		return -ENOMEM;
	ret = user_proc_open(&task->proc, pid, tid);
	if (ret) {
		free(task);
		return ret;
	}
	tally_core_task_init(&task->perf, pid, tid);
	task->left = task->look_at = USER_NEVER;
	if (!anew)
		user_proc_read_all(&task->proc, &task->seen);
	ret = task_insert(user, task);
	if (ret) {
		user_proc_close(&task->proc);
		free(task);
		return ret;
	}
	*ret_task = task;
	return 0;
}

int user_task_rename(struct tally_user *user, struct user_task *task, int32_t tid)
{
	struct user_proc proc;
	int ret = user_proc_open(&proc, task->perf.pid, tid);

	if (!ret)
		ret = tally_map_set(&user->by_tid, (uint32_t)tid, (uintptr_t)task);
	if (ret)
		return ret;
	tally_map_remove(&user->by_tid, (uint32_t)task->perf.tid);
	user_proc_close(&task->proc);
	task->proc = proc;
	task->perf.tid = tid;
	return 0;
}

void user_task_end(struct tally_user *user, struct user_task *task)
{
	tally_vec_for_each (at, &user->tasks) {
		if (*at != task)
			continue;
		*at = user->tasks.data[--user->tasks.len];
		break;
	}
	tally_map_remove(&user->by_tid, (uint32_t)task->perf.tid);
	user_proc_close(&task->proc);
	free(task);
}
