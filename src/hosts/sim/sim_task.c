/* SPDX-License-Identifier: BSD-2-Clause */
/* Task creation and exit. */
#include <errno.h>
#include <stdlib.h>

#include "hosts/sim/schedule.h"
#include "hosts/sim/sim_private.h"
#include "hosts/sim/sim_task.h"

/* A task's segment before the first one in its script. */
static const struct tally_sim_segment nothing = {.mode = SIM_KERNEL};

static struct sim_user *user_get(struct tally_sim *sim, uint32_t uid)
{
	struct sim_user *user;

	for (user = sim->users; user; user = user->next)
		if (user->uid == uid)
			return user;
	user = calloc(1, sizeof(*user));
	if (!user)
		return NULL;
	user->uid = uid;
	user->next = sim->users;
	sim->users = user;
	return user;
}

static void process_put(struct sim_process *process)
{
	if (!process || --process->threads)
		return;
	tally_vec_free(&process->fds);
	tally_vec_free(&process->mappings);
	free(process);
}

void sim_task_free(struct tally_sim_task *task)
{
	if (!task)
		return;
	process_put(task->process);
	free(task->counts);
	free(task);
}

/* Return the process for a new task: the parent's process, or a new one with the same
 * descriptors. */
static struct sim_process *process_of(const struct tally_sim_task *parent, bool process)
{
	struct sim_process *made = parent && !process ? parent->process : calloc(1, sizeof(*made));

	if (!made)
		return NULL;
	made->threads++;
	if (parent && process)
		sim_files_copy(made, parent->process);
	return made;
}

static struct tally_sim_task *task_new(struct tally_sim *sim, struct tally_sim_task *parent,
				       bool process)
{
	struct tally_sim_task *task = calloc(1, sizeof(*task));
	int32_t tid = sim->next_tid ? sim->next_tid : SIM_FIRST_TID + (int32_t)sim->tasks.len;
	int32_t pid = sim->next_tid ? sim->next_pid : process ? tid : parent->perf.pid;

	if (!task)
		return NULL;
	task->counts = calloc(sim->config.nr_cpus, sizeof(*task->counts));
	task->process = process_of(parent, process);
	if (!task->counts || !task->process || tally_vec_push(&sim->tasks, task)) {
		sim_task_free(task);
		return NULL;
	}
	tally_core_task_init(&task->perf, pid, tid);
	sim->next_tid = 0;
	task->perf.space = &task->process->space;
	task->parent = parent;
	task->state = SIM_READY;
	task->segment = &nothing;
	tally_list_init(&task->queued);
	return task;
}

void tally_sim_number_next(struct tally_sim *sim, int32_t pid, int32_t tid)
{
	sim->next_pid = pid;
	sim->next_tid = tid;
}

struct tally_sim_task *tally_sim_task_new(struct tally_sim *sim,
					  const struct tally_sim_spawn *spawn)
{
	struct sim_user *user = user_get(sim, spawn->uid);
	struct tally_sim_task *task = user ? task_new(sim, NULL, true) : NULL;

	if (!task)
		return NULL;
	task->perf.user = &user->account;
	task->next = spawn->script;
	task->cpu = spawn->cpu;
	task->priority = spawn->priority;
	task->uid = spawn->uid;
	task->caps = spawn->caps;
	task->memlock = spawn->memlock;
	if (task->next)
		sim_ready(sim, task);
	else
		sim_sleep(sim, task, SIM_NEVER);
	return task;
}

/* Leave the process. The last thread closes the process's descriptors and removes its mappings. */
static void leave_process(struct tally_sim *sim, struct tally_sim_task *task)
{
	if (task->process->threads == 1) {
		sim_files_close(sim, task, false);
		if (task->process->space.locked_pages)
			sim_violate(sim, "pages are still accounted to a process without mappings");
	}
	process_put(task->process);
	task->process = NULL;
	task->perf.space = NULL;
}

int sim_fork(struct tally_sim *sim, struct tally_sim_task *task, const struct tally_sim_step *step)
{
	bool room = !sim->config.max_tasks || sim->tasks.len < sim->config.max_tasks;
	struct tally_sim_task *child = room ? task_new(sim, task, step->fork.process) : NULL;
	int ret;

	if (!child)
		return -ENOMEM;
	child->perf.user = task->perf.user;
	child->next = step->fork.script;
	child->cpu = step->fork.cpu < 0 ? sim->cpu : (uint32_t)step->fork.cpu;
	child->priority = task->priority;
	child->uid = task->uid;
	child->caps = task->caps;
	child->memlock = task->memlock;
	child->user_segment = task->user_segment;
	ret = tally_core_fork(sim->core, &task->perf, &child->perf, step->fork.process);
	if (ret) {
		child->state = SIM_EXITED;
		leave_process(sim, child);
		return ret;
	}
	sim_ready(sim, child);
	return 0;
}

void sim_exit(struct tally_sim *sim, struct tally_sim_task *task)
{
	if (task->held)
		sim_violate(sim, "a task exits while task_get() holds a reference");
	leave_process(sim, task);
	tally_core_exit(sim->core, &task->perf);
	tally_list_remove(&task->queued);
	task->state = SIM_EXITED;
}

/* ---- accessors for tests ------------------------------------------------------ */

struct tally_sim_task *tally_sim_task_at(struct tally_sim *sim, size_t i)
{
	return i < sim->tasks.len ? sim->tasks.data[i] : NULL;
}

int32_t tally_sim_task_tid(const struct tally_sim_task *task)
{
	return task->perf.tid;
}

int32_t tally_sim_task_pid(const struct tally_sim_task *task)
{
	return task->perf.pid;
}

bool tally_sim_task_exited(const struct tally_sim_task *task)
{
	return task->state == SIM_EXITED;
}

uint32_t tally_sim_task_cpu(const struct tally_sim_task *task)
{
	return task->cpu;
}

bool tally_sim_task_runs(const struct tally_sim_task *task)
{
	return task->state == SIM_RUNNING;
}

struct tally_core_task *tally_sim_task_perf(struct tally_sim_task *task)
{
	return &task->perf;
}

struct tally_sim_task *tally_sim_task_parent(const struct tally_sim_task *task)
{
	return task->parent;
}

void tally_sim_task_set_caps(struct tally_sim_task *task, uint64_t caps)
{
	task->caps = caps;
}

void tally_sim_task_set_uid(struct tally_sim *sim, struct tally_sim_task *task, uint32_t uid)
{
	struct sim_user *user = user_get(sim, uid);

	if (!user)
		return;
	task->uid = uid;
	task->perf.user = &user->account;
}

void tally_sim_task_set_memlock(struct tally_sim_task *task, uint64_t bytes)
{
	task->memlock = bytes;
}

struct tally_sim_signals tally_sim_task_signals(const struct tally_sim_task *task)
{
	return task->signals;
}
