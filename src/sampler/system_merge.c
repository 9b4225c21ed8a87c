/* SPDX-License-Identifier: BSD-2-Clause */
/* Merge records that were synthesized again, some of which may be missing, into the state. */
#include <string.h>

#include "sampler/system_private.h"

struct merge {
	struct tally_system *system;
	bool distrusts;
	/* The first record of these kinds has replaced the earlier ones. */
	bool has_kernel, has_bpf;
};

/* Return the task, and mark it and its process. The first thread's records are first. */
static struct system_task *task_see(struct merge *merge, int32_t pid, int32_t tid)
{
	struct system_task *task;

	if (pid <= 0 || tid <= 0)
		return NULL;
	task = system_task_get(merge->system, pid, tid);
	if (!task)
		return NULL;
	task->is_seen = true;
	task->process->is_merged = true;
	return task;
}

static void maps_forget(struct tally_system *system, struct system_maps **maps)
{
	system_maps_put(system, *maps);
	*maps = NULL;
}

static void merge_comm(struct merge *merge, const void *record, size_t len)
{
	struct system_task *task;
	struct tally_comm comm;

	if (tally_record_comm(record, len, &comm))
		return;
	task = task_see(merge, comm.pid, comm.tid);
	if (!task)
		return;
	if (merge->distrusts && task->has_comm && comm.pid == comm.tid &&
	    strcmp(task->comm, comm.comm))
		maps_forget(merge->system, &task->process->maps);
	system_task_name(task, comm.comm);
}

static void merge_fork(struct merge *merge, const void *record, size_t len)
{
	struct system_task *task;
	struct tally_task fork;

	if (tally_record_task(record, len, &fork))
		return;
	task = task_see(merge, fork.pid, fork.tid);
	if (task && fork.pid == fork.tid)
		task->process->ppid = fork.ppid;
}

static void merge_mmap(struct merge *merge, const void *record, size_t len)
{
	struct tally_system *system = merge->system;
	struct system_task *task;
	struct tally_mmap mmap;

	if (tally_record_mmap(record, len, &mmap))
		return;
	if (!system_record_is_user(record)) {
		if (!merge->has_kernel)
			maps_forget(system, &system->kernel);
		merge->has_kernel = true;
		system_maps_add(system, &system->kernel, record, len);
		return;
	}
	task = task_see(merge, mmap.pid, mmap.pid);
	if (!task)
		return;
	if (!task->process->has_new_maps)
		maps_forget(system, &task->process->maps);
	task->process->has_new_maps = true;
	system_maps_add(system, &task->process->maps, record, len);
}

static void merge_bpf(struct merge *merge, const void *record, size_t len, uint32_t type)
{
	if (!merge->has_bpf)
		system_bpf_clear(merge->system);
	merge->has_bpf = true;
	if (type == PERF_RECORD_KSYMBOL)
		system_ksymbol(merge->system, record, len);
	else
		system_program(merge->system, record, len);
}

static void merge_one(struct merge *merge, const void *record, size_t len, uint32_t type)
{
	switch (type) {
	case PERF_RECORD_COMM: merge_comm(merge, record, len); break;
	case PERF_RECORD_FORK: merge_fork(merge, record, len); break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2: merge_mmap(merge, record, len); break;
	case PERF_RECORD_NAMESPACES: system_task_namespaces(merge->system, record, len); break;
	case PERF_RECORD_KSYMBOL:
	case PERF_RECORD_BPF_EVENT: merge_bpf(merge, record, len, type); break;
	default: tally_str_add_bytes(&merge->system->other, record, len); break;
	}
}

/* Remove the tasks of a merged process that have no records. */
static void process_finish(struct tally_system *system, struct system_process *process)
{
	struct tally_list *link, *next;

	for (link = process->tasks.next; link != &process->tasks; link = next) {
		struct system_task *task = tally_container_of(link, struct system_task, link);

		next = link->next;
		if (!task->is_seen && process->nr_alive > 1 && task->tid != process->pid)
			system_task_end(system, task);
		else
			task->is_seen = false;
	}
	process->is_merged = process->has_new_maps = false;
}

void tally_system_merge(struct tally_system *system, const void *records, size_t len,
			bool distrusts)
{
	struct merge merge = {.system = system, .distrusts = distrusts};
	const struct tally_map_slot *slot;
	const uint8_t *data = records;
	size_t pos = 0;

	tally_str_clear(&system->other);
	for (size_t at = 0; len - at >= sizeof(struct perf_event_header);) {
		struct perf_event_header header = tally_record_header(data + at);
		bool has_trailer = !tally_record_is_user(header.type);

		if (header.size < sizeof(header) + (has_trailer ? system->trailer : 0) ||
		    header.size > len - at)
			break;
		merge_one(&merge, data + at, header.size, header.type);
		at += header.size;
	}
	while ((slot = tally_map_next(&system->processes, &pos))) {
		struct system_process *process = system_slot_process(slot->value);

		if (process->is_merged)
			process_finish(system, process);
	}
}

void tally_system_expire(struct tally_system *system, bool (*is_gone)(void *arg, int32_t pid),
			 void *arg)
{
	const struct tally_map_slot *slot;
	TALLY_VEC(struct system_process *) gone = {0};
	size_t pos = 0;

	while ((slot = tally_map_next(&system->processes, &pos))) {
		struct system_process *process = system_slot_process(slot->value);

		/* Without memory for the list, the process is removed later. */
		if (is_gone(arg, process->pid) && tally_vec_push(&gone, process))
			break;
	}
	tally_vec_for_each (process, &gone)
		system_process_free(system, *process);
	tally_vec_free(&gone);
}
