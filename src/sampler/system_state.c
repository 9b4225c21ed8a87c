/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of the recorded system, and the kernel's records that change it. */
#include "sampler/system_state.h"

#include <errno.h>
#include <stdlib.h>

#include "base/endian.h"
#include "sampler/system_private.h"

enum { KSYMBOL_BPF = 1, UNREGISTERED = 1, LOADED = 1, UNLOADED = 2 };
enum { KSYMBOL_SIZE = 24, BPF_SIZE = 24 }; /* without the name, and without the trailer */

int tally_system_new(size_t trailer, uint64_t limit, struct tally_system **ret_system)
{
	struct tally_system *system = calloc(1, sizeof(*system));

	if (!system)
		return -ENOMEM;
	system->trailer = trailer;
	system->limit = limit;
	*ret_system = system;
	return 0;
}

static void records_clear(struct tally_system *system, struct tally_map *map)
{
	const struct tally_map_slot *slot;
	size_t pos = 0;

	while ((slot = tally_map_next(map, &pos)))
		system_record_put(system, system_slot_record(slot->value));
	tally_map_free(map);
}

void tally_system_free(struct tally_system *system)
{
	if (!system)
		return;
	for (;;) {
		size_t pos = 0;
		const struct tally_map_slot *slot = tally_map_next(&system->processes, &pos);

		if (!slot)
			break;
		system_process_free(system, system_slot_process(slot->value));
	}
	tally_map_free(&system->processes);
	tally_map_free(&system->tasks);
	records_clear(system, &system->ksymbols);
	records_clear(system, &system->programs);
	system_maps_put(system, system->kernel);
	tally_str_free(&system->other);
	free(system);
}

const struct tally_map *tally_system_pids(const struct tally_system *system)
{
	return &system->processes;
}

uint64_t tally_system_bytes(const struct tally_system *system)
{
	return system->bytes;
}

uint64_t tally_system_dropped(const struct tally_system *system)
{
	return system->dropped;
}

/* ---- kernel code --------------------------------------------------------------------------- */

static void slot_remove(struct tally_system *system, struct tally_map *map, uint64_t key)
{
	uint64_t found = tally_map_remove(map, key);

	if (found != TALLY_MAP_NONE)
		system_record_put(system, system_slot_record(found));
}

static void slot_set(struct tally_system *system, struct tally_map *map, uint64_t key,
		     const void *record, size_t len)
{
	struct system_record *copy = system_record_new(system, record, len);

	slot_remove(system, map, key);
	if (!copy || !tally_map_set(map, key, (uintptr_t)copy))
		return;
	system->dropped++;
	system_record_put(system, copy);
}

void system_ksymbol(struct tally_system *system, const void *record, size_t len)
{
	const uint8_t *at = record;
	uint64_t address;

	if (len < KSYMBOL_SIZE + system->trailer)
		return;
	address = tally_get_u64(at + 8);
	if (tally_get_u16(at + 22) & UNREGISTERED)
		slot_remove(system, &system->ksymbols, address);
	else
		slot_set(system, &system->ksymbols, address, record, len);
}

void system_program(struct tally_system *system, const void *record, size_t len)
{
	const uint8_t *at = record;
	uint32_t id;

	if (len < BPF_SIZE + system->trailer)
		return;
	id = tally_get_u32(at + 12);
	switch (tally_get_u16(at + 8)) {
	case LOADED: slot_set(system, &system->programs, id, record, len); break;
	case UNLOADED: slot_remove(system, &system->programs, id); break;
	}
}

void system_bpf_clear(struct tally_system *system)
{
	const struct tally_map_slot *slot;
	TALLY_VEC(uint64_t) addresses = {0};
	size_t pos = 0;

	records_clear(system, &system->programs);
	while ((slot = tally_map_next(&system->ksymbols, &pos))) {
		uint16_t type = tally_get_u16(system_slot_record(slot->value)->bytes + 20);

		if (type == KSYMBOL_BPF && tally_vec_push(&addresses, slot->key))
			break;
	}
	tally_vec_for_each (address, &addresses)
		slot_remove(system, &system->ksymbols, *address);
	tally_vec_free(&addresses);
}

/* ---- tasks --------------------------------------------------------------------------------- */

static void on_comm(struct tally_system *system, const void *record, size_t len)
{
	struct system_task *task;
	struct tally_comm comm;

	if (tally_record_comm(record, len, &comm) || comm.pid <= 0 || comm.tid <= 0)
		return;
	task = system_task_get(system, comm.pid, comm.tid);
	if (!task)
		return;
	system_task_name(task, comm.comm);
	/* The task that executes a program has become the first thread, and all others exit. */
	if (!comm.exec || comm.tid != comm.pid)
		return;
	system_process_reduce(system, task->process);
	system_maps_put(system, task->process->maps);
	task->process->maps = NULL;
}

static void on_fork(struct tally_system *system, const void *record, size_t len)
{
	struct system_process *parent, *old;
	struct system_task *task, *by;
	struct tally_task fork;

	if (tally_record_task(record, len, &fork) || fork.pid <= 0 || fork.tid <= 0)
		return;
	/* If the PID or TID is known, the EXIT record was lost. */
	old = fork.pid == fork.tid ? system_process_find(system, fork.pid) : NULL;
	if (old)
		system_process_free(system, old);
	task = system_task_find(system, fork.tid);
	if (task)
		system_task_end(system, task);
	task = system_task_get(system, fork.pid, fork.tid);
	if (!task)
		return;
	by = system_task_find(system, fork.ptid);
	if (by && by->has_comm)
		system_task_name(task, by->comm);
	if (fork.pid != fork.tid)
		return;
	parent = system_process_find(system, fork.ppid);
	task->process->ppid = fork.ppid;
	if (parent && parent != task->process)
		task->process->maps = system_maps_get(parent->maps);
}

static void on_exit_record(struct tally_system *system, const void *record, size_t len)
{
	struct system_task *task;
	struct tally_task exited;

	if (tally_record_task(record, len, &exited))
		return;
	task = system_task_find(system, exited.tid);
	if (task)
		system_task_end(system, task);
}

static void on_mmap(struct tally_system *system, const void *record, size_t len)
{
	struct system_task *task;
	struct tally_mmap mmap;

	if (tally_record_mmap(record, len, &mmap))
		return;
	if (!system_record_is_user(record)) {
		system_maps_add(system, &system->kernel, record, len);
		return;
	}
	task = mmap.pid > 0 ? system_task_get(system, mmap.pid, mmap.pid) : NULL;
	if (task)
		system_maps_add(system, &task->process->maps, record, len);
}

void tally_system_record(struct tally_system *system, const void *record, size_t len)
{
	if (len < sizeof(struct perf_event_header) + system->trailer || len > UINT16_MAX)
		return;
	switch (tally_record_header(record).type) {
	case PERF_RECORD_COMM: on_comm(system, record, len); break;
	case PERF_RECORD_FORK: on_fork(system, record, len); break;
	case PERF_RECORD_EXIT: on_exit_record(system, record, len); break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2: on_mmap(system, record, len); break;
	case PERF_RECORD_NAMESPACES: system_task_namespaces(system, record, len); break;
	case PERF_RECORD_KSYMBOL: system_ksymbol(system, record, len); break;
	case PERF_RECORD_BPF_EVENT: system_program(system, record, len); break;
	}
}
