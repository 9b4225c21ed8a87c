/* SPDX-License-Identifier: BSD-2-Clause */
/* Describe the state in records, as if it had been read from procfs. */
#include <stdlib.h>
#include <string.h>

#include "sampler/system_private.h"

enum { CHUNK = 256 << 10 };

struct emit {
	struct tally_system *system;
	struct tally_synth *synth;
	int (*write)(void *arg);
	void *arg;
};

/* Append a stored record. If `pid` is not 0, it replaces the IDs of the process and the thread,
 * because processes share mappings. */
static void emit_record(struct emit *emit, const struct system_record *record, uint32_t pid)
{
	enum { IDS_AT = 8 };
	const uint32_t ids[2] = {pid, pid};
	size_t ids_size = pid ? sizeof(ids) : 0;
	struct perf_event_header header = tally_record_header(record->bytes);

	tally_synth_begin(emit->synth, header.type, header.misc, record->size - sizeof(header));
	tally_str_add_bytes(&emit->synth->out, ids, ids_size);
	tally_str_add_bytes(&emit->synth->out, record->bytes + IDS_AT + ids_size,
			    record->size - IDS_AT - ids_size);
	tally_synth_end(emit->synth);
}

static void emit_maps(struct emit *emit, struct system_maps *maps, uint32_t pid)
{
	if (!maps)
		return;
	system_maps_compact(emit->system, maps);
	tally_vec_for_each (map, &maps->all)
		emit_record(emit, map->record, pid);
}

static void emit_records(struct emit *emit, const struct tally_map *map)
{
	const struct tally_map_slot *slot;
	size_t pos = 0;

	while ((slot = tally_map_next(map, &pos)))
		emit_record(emit, system_slot_record(slot->value), 0);
}

static void emit_task(struct emit *emit, const struct system_task *task)
{
	const struct system_process *process = task->process;
	bool is_first = task->tid == process->pid;
	int32_t parent = is_first ? process->ppid : process->pid;

	tally_synth_fork(emit->synth, process->pid, parent, task->tid, parent);
	if (task->namespaces)
		emit_record(emit, task->namespaces, 0);
	if (task->has_comm)
		tally_synth_comm(emit->synth, process->pid, task->tid, task->comm);
	if (is_first)
		emit_maps(emit, process->maps, (uint32_t)process->pid);
}

static int emit_flush(struct emit *emit, size_t most)
{
	int ret = tally_str_error(&emit->synth->out);

	return ret || emit->synth->out.len <= most ? ret : emit->write(emit->arg);
}

static int emit_process(struct emit *emit, const struct system_process *process)
{
	int ret = 0;

	tally_list_for_each (link, &process->tasks) {
		emit_task(emit, tally_container_of(link, struct system_task, link));
		ret = ret ? ret : emit_flush(emit, CHUNK);
	}
	return ret;
}

static int pid_compare(const void *a, const void *b)
{
	const struct system_process *const *left = a, *const *right = b;

	return (*left)->pid < (*right)->pid ? -1 : (*left)->pid > (*right)->pid;
}

static int emit_processes(struct emit *emit)
{
	TALLY_VEC(struct system_process *) all = {0};
	const struct tally_map_slot *slot;
	size_t pos = 0;
	int ret = 0;

	while (!ret && (slot = tally_map_next(&emit->system->processes, &pos)))
		ret = tally_vec_push(&all, system_slot_process(slot->value));
	if (!ret && all.len)
		qsort(all.data, all.len, sizeof(*all.data), pid_compare);
	for (size_t i = 0; !ret && i < all.len; i++)
		ret = emit_process(emit, all.data[i]);
	tally_vec_free(&all);
	return ret;
}

int tally_system_emit(struct tally_system *system, struct tally_synth *synth,
		      int (*write)(void *arg), void *arg)
{
	struct emit emit = {system, synth, write, arg};
	int ret;

	emit_maps(&emit, system->kernel, 0);
	emit_records(&emit, &system->ksymbols);
	emit_records(&emit, &system->programs);
	if (system->other.len)
		tally_str_add_bytes(&synth->out, system->other.data, system->other.len);
	ret = emit_flush(&emit, CHUNK);
	if (!ret)
		ret = emit_processes(&emit);
	return ret ? ret : emit_flush(&emit, 0);
}
