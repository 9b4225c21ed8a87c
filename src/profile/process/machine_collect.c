/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Garbage collection for a machine that is monitored for days. It frees exited threads, unused
 * names, and unmapped files. All remaining objects are renumbered, because tables indexed by number
 * would otherwise keep growing.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/process/machine_private.h"

int machine_sweep_init(const struct tally_machine *machine, struct machine_sweep *sweep)
{
	size_t threads = machine->all_threads.len, comms = machine->comms.strings.len;

	*sweep = (struct machine_sweep){
		.threads = calloc(threads + 1, sizeof(*sweep->threads)),
		.comms = calloc(comms + 1, sizeof(*sweep->comms)),
		.dsos = calloc(tally_symbols_nr_dsos(machine->symbols) + 1, sizeof(*sweep->dsos)),
		.new_threads = calloc(threads + 1, sizeof(*sweep->new_threads)),
		.new_comms = calloc(comms + 1, sizeof(*sweep->new_comms)),
	};
	if (sweep->threads && sweep->comms && sweep->dsos && sweep->new_threads && sweep->new_comms)
		return 0;
	machine_sweep_free(sweep);
	return -ENOMEM;
}

void machine_sweep_free(struct machine_sweep *sweep)
{
	free(sweep->threads);
	free(sweep->comms);
	free(sweep->dsos);
	free(sweep->new_threads);
	free(sweep->new_comms);
}

/* Mark threads that exist or have only just exited. The idle task is always kept because it also
 * represents the absence of a thread. */
static void mark_threads(struct tally_machine *machine, struct machine_sweep *sweep)
{
	tally_vec_for_each (at, &machine->all_threads) {
		struct tally_thread *thread = *at;

		if (thread->gone > 1)
			thread->gone--;
		if (thread->gone != 1)
			sweep->threads[thread->index] = 1;
		if (sweep->threads[thread->index])
			sweep->comms[thread->comm] = 1;
	}
}

/* Rebuild the table of comms in the same order, and store their new IDs. */
static int sweep_comms(struct tally_machine *machine, struct machine_sweep *sweep)
{
	struct tally_intern left = {0};
	int ret = 0;

	for (uint32_t i = 0; i < machine->comms.strings.len && !ret; i++) {
		const struct tally_interned *comm = &machine->comms.strings.data[i];

		if (sweep->comms[i])
			ret = tally_intern(&left, comm->text, comm->len, &sweep->new_comms[i]);
	}
	if (ret) {
		tally_intern_free(&left);
		return ret;
	}
	tally_intern_free(&machine->comms);
	machine->comms = left;
	return 0;
}

static void thread_free(struct tally_machine *machine, struct tally_thread *thread)
{
	uint32_t tid = (uint32_t)thread->tid;

	if (tally_map_get(&machine->threads, tid) == (uintptr_t)thread)
		tally_map_remove(&machine->threads, tid);
	thread->process->nr_threads--;
	thread->process->nr_ended -= thread->ended != 0;
	machine_process_release(machine, thread->process);
	free(thread);
}

static void sweep_threads(struct tally_machine *machine, struct machine_sweep *sweep)
{
	size_t left = 0;

	memset(machine->recent, 0, sizeof(machine->recent));
	for (size_t i = 0; i < machine->all_threads.len; i++) {
		struct tally_thread *thread = machine->all_threads.data[i];

		if (!sweep->threads[i]) {
			thread_free(machine, thread);
			continue;
		}
		sweep->new_threads[i] = (uint32_t)left;
		thread->index = (uint32_t)left;
		thread->comm = sweep->new_comms[thread->comm];
		machine->all_threads.data[left++] = thread;
	}
	machine->all_threads.len = left;
}

static void mark_map(void *arg, struct tally_mapping *map)
{
	struct machine_sweep *sweep = arg;

	sweep->dsos[tally_dso_number(map->dso)] = 1;
}

static void mapping_key_set(void *arg, struct tally_mapping *map)
{
	machine_mapping_key_set(map);
}

static void mark_process(struct machine_sweep *sweep, const struct tally_process *process)
{
	const struct tally_dso *const dsos[] = {process->jit, process->program, process->moved_map};

	tally_maps_walk(process->maps, mark_map, sweep);
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(dsos); i++) {
		if (dsos[i])
			sweep->dsos[tally_dso_number(dsos[i])] = 1;
	}
}

static void sweep_dsos(struct tally_machine *machine, struct machine_sweep *sweep)
{
	tally_maps_walk(machine->kernel, mark_map, sweep);
	if (machine->kernel_dso)
		sweep->dsos[tally_dso_number(machine->kernel_dso)] = 1;
	tally_vec_for_each (thread, &machine->all_threads)
		mark_process(sweep, (*thread)->process);
	tally_symbols_collect(machine->symbols, sweep->dsos);
	/* Maps shared by several threads are visited more than once, which is harmless. */
	tally_vec_for_each (thread, &machine->all_threads)
		tally_maps_walk((*thread)->process->maps, mapping_key_set, NULL);
}

int machine_sweep(struct tally_machine *machine, struct machine_sweep *sweep)
{
	int ret;

	mark_threads(machine, sweep);
	ret = sweep_comms(machine, sweep);
	if (ret)
		return ret;
	sweep_threads(machine, sweep);
	sweep_dsos(machine, sweep);
	machine_files_clear(machine);
	/* Cached locations may refer to DSOs that have been freed. */
	free(machine->slots);
	machine->slots = NULL;
	return 0;
}

size_t tally_machine_nr_threads(const struct tally_machine *machine)
{
	return machine->all_threads.len;
}

int tally_machine_sweep_threads(struct tally_machine *machine)
{
	struct machine_sweep sweep;
	int ret = machine_sweep_init(machine, &sweep);

	if (ret)
		return ret;
	memset(sweep.dsos, 1, tally_symbols_nr_dsos(machine->symbols));
	sweep.threads[0] = 1;
	sweep.comms[0] = 1;
	ret = machine_sweep(machine, &sweep);
	machine_sweep_free(&sweep);
	return ret;
}
