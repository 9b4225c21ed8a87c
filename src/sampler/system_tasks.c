/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes and their tasks. */
#include <stdio.h>
#include <stdlib.h>

#include "sampler/system_private.h"

/* ---- memory -------------------------------------------------------------------------------- */

void *system_alloc(struct tally_system *system, size_t size)
{
	void *block = system->bytes + size <= system->limit ? calloc(1, size) : NULL;

	if (block)
		system->bytes += size;
	else
		system->dropped++;
	return block;
}

void system_release(struct tally_system *system, void *block, size_t size)
{
	system->bytes -= size;
	free(block);
}

/* ---- processes ----------------------------------------------------------------------------- */

struct system_process *system_process_find(const struct tally_system *system, int32_t pid)
{
	uint64_t found = tally_map_get(&system->processes, (uint32_t)pid);

	return found == TALLY_MAP_NONE ? NULL : system_slot_process(found);
}

struct system_process *system_process_get(struct tally_system *system, int32_t pid)
{
	struct system_process *process = system_process_find(system, pid);

	if (process)
		return process;
	process = system_alloc(system, sizeof(*process));
	if (!process)
		return NULL;
	process->pid = pid;
	tally_list_init(&process->tasks);
	if (!tally_map_set(&system->processes, (uint32_t)pid, (uintptr_t)process))
		return process;
	system->dropped++;
	system_release(system, process, sizeof(*process));
	return NULL;
}

static void task_free(struct tally_system *system, struct system_task *task)
{
	tally_map_remove(&system->tasks, (uint32_t)task->tid);
	tally_list_remove(&task->link);
	system_record_put(system, task->namespaces);
	system_release(system, task, sizeof(*task));
}

static struct system_task *first_task(const struct tally_list *tasks)
{
	return tally_container_of(tasks->next, struct system_task, link);
}

void system_process_free(struct tally_system *system, struct system_process *process)
{
	while (!tally_list_empty(&process->tasks))
		task_free(system, first_task(&process->tasks));
	tally_map_remove(&system->processes, (uint32_t)process->pid);
	system_maps_put(system, process->maps);
	system_release(system, process, sizeof(*process));
}

void system_process_reduce(struct tally_system *system, struct system_process *process)
{
	struct tally_list *link, *next;

	for (link = process->tasks.next; link != &process->tasks; link = next) {
		struct system_task *task = tally_container_of(link, struct system_task, link);

		next = link->next;
		task->has_ended = false;
		if (task->tid != process->pid)
			task_free(system, task);
	}
	process->nr_alive = !tally_list_empty(&process->tasks);
}

/* ---- tasks --------------------------------------------------------------------------------- */

struct system_task *system_task_find(const struct tally_system *system, int32_t tid)
{
	uint64_t found = tally_map_get(&system->tasks, (uint32_t)tid);

	return found == TALLY_MAP_NONE ? NULL : (struct system_task *)(uintptr_t)found;
}

static struct system_task *task_new(struct tally_system *system, struct system_process *process,
				    int32_t tid)
{
	struct system_task *task = system_alloc(system, sizeof(*task));

	if (!task)
		return NULL;
	task->tid = tid;
	task->process = process;
	if (tally_map_set(&system->tasks, (uint32_t)tid, (uintptr_t)task)) {
		system->dropped++;
		system_release(system, task, sizeof(*task));
		return NULL;
	}
	/* The first thread is first in the list. */
	tally_list_insert(tid == process->pid ? process->tasks.next : &process->tasks, &task->link);
	process->nr_alive++;
	return task;
}

struct system_task *system_task_get(struct tally_system *system, int32_t pid, int32_t tid)
{
	struct system_task *task = system_task_find(system, tid);
	struct system_process *process;

	if (task && task->process->pid == pid)
		return task;
	/* Its EXIT record was lost. */
	if (task && task->tid == task->process->pid)
		system_process_free(system, task->process);
	else if (task)
		system_task_end(system, task);
	process = system_process_get(system, pid);
	task = process ? task_new(system, process, tid) : NULL;
	if (process && !process->nr_alive)
		system_process_free(system, process);
	return task;
}

void system_task_end(struct tally_system *system, struct system_task *task)
{
	struct system_process *process = task->process;

	process->nr_alive -= !task->has_ended;
	task->has_ended = true;
	if (task->tid != process->pid)
		task_free(system, task);
	if (!process->nr_alive)
		system_process_free(system, process);
}

void system_task_name(struct system_task *task, const char *comm)
{
	snprintf(task->comm, sizeof(task->comm), "%s", comm);
	task->has_comm = true;
}

void system_task_namespaces(struct tally_system *system, const void *record, size_t len)
{
	enum { IDS = 16 }; /* header, pid, tid */
	struct system_task *task;
	struct system_record *copy;
	int32_t ids[2];

	if (len < IDS + system->trailer)
		return;
	__builtin_memcpy(ids, (const uint8_t *)record + 8, sizeof(ids));
	if (ids[0] <= 0 || ids[1] <= 0)
		return;
	task = system_task_get(system, ids[0], ids[1]);
	copy = task ? system_record_new(system, record, len) : NULL;
	if (!copy)
		return;
	system_record_put(system, task->namespaces);
	task->namespaces = copy;
}
