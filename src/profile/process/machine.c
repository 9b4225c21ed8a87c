/* SPDX-License-Identifier: BSD-2-Clause */
/* Tracks threads and processes, their names, and the maps that they share. */
#include "profile/process/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/process/machine_private.h"
#include "symbols/jit/jit_code.h"

#define IDLE_NAME "swapper"

static struct tally_process *process_get(struct tally_machine *machine, int32_t pid)
{
	uint64_t found = tally_map_get(&machine->processes, (uint32_t)pid);
	struct tally_process *process;

	if (found != TALLY_MAP_NONE)
		return (struct tally_process *)(uintptr_t)found;
	process = calloc(1, sizeof(*process));
	if (!process)
		return NULL;
	process->pid = pid;
	process->maps = tally_maps_new(&machine->next_space);
	if (!process->maps ||
	    tally_map_set(&machine->processes, (uint32_t)pid, (uintptr_t)process)) {
		tally_maps_put(process->maps);
		free(process);
		return NULL;
	}
	return process;
}

/* Drop a reference to a process. Its PID may by now belong to another process. */
void machine_process_release(struct tally_machine *machine, struct tally_process *process)
{
	if (!process || --process->refs)
		return;
	if (tally_map_get(&machine->processes, (uint32_t)process->pid) == (uintptr_t)process)
		tally_map_remove(&machine->processes, (uint32_t)process->pid);
	tally_maps_put(process->maps);
	free(process);
}

static int thread_join(struct tally_machine *machine, struct tally_thread *thread, int32_t pid)
{
	struct tally_process *process = process_get(machine, pid);

	if (!process)
		return -ENOMEM;
	process->refs++;
	process->nr_threads++;
	if (thread->process)
		thread->process->nr_threads--;
	machine_process_release(machine, thread->process);
	thread->process = process;
	thread->pid = pid;
	thread->guesses_pid = false;
	return 0;
}

static int thread_name(struct tally_machine *machine, struct tally_thread *thread, const char *comm)
{
	return tally_intern(&machine->comms, comm, strlen(comm), &thread->comm);
}

/* Name a thread after its TID, because no record has named it. */
static int thread_name_by_tid(struct tally_machine *machine, struct tally_thread *thread)
{
	char text[16] = IDLE_NAME;
	int ret;

	thread->has_comm = false;
	if (thread->tid)
		snprintf(text, sizeof(text), ":%d", thread->tid);
	ret = thread_name(machine, thread, text);
	thread->first_comm = thread->comm;
	return ret;
}

/* Give a thread its parent's name, if the parent has ever been named. */
static int thread_inherit_name(struct tally_machine *machine, struct tally_thread *thread,
			       const struct tally_thread *parent)
{
	/* Threads forked by the idle task are older than the recording. */
	if (!parent || !parent->has_comm || !parent->tid)
		return thread_name_by_tid(machine, thread);
	thread->comm = parent->comm;
	thread->has_comm = true;
	return 0;
}

/* Create a thread. `parent` may be NULL. */
static struct tally_thread *thread_new(struct tally_machine *machine, int32_t pid, int32_t tid,
				       const struct tally_thread *parent)
{
	struct tally_thread *thread = calloc(1, sizeof(*thread));

	if (!thread)
		return NULL;
	thread->tid = tid;
	thread->index = (uint32_t)machine->all_threads.len;
	if (thread_join(machine, thread, pid < 0 ? tid : pid) ||
	    thread_inherit_name(machine, thread, parent) ||
	    tally_map_set(&machine->threads, (uint32_t)tid, (uintptr_t)thread) ||
	    tally_vec_push(&machine->all_threads, thread)) {
		tally_map_remove(&machine->threads, (uint32_t)tid);
		machine_process_release(machine, thread->process);
		free(thread);
		return NULL;
	}
	thread->guesses_pid = pid < 0;
	return thread;
}

/* Return the cache slot for a TID. Each CPU runs its own thread, so samples from several threads
 * are interleaved. */
static struct tally_thread **machine_recent(struct tally_machine *machine, int32_t tid)
{
	return &machine->recent[(uint32_t)tid % MACHINE_RECENT];
}

/* Replace a thread with a new thread that has the same TID. The state of the old thread is
 * dropped. */
static struct tally_thread *thread_renew(struct tally_machine *machine, int32_t pid, int32_t tid,
					 const struct tally_thread *parent)
{
	*machine_recent(machine, tid) = NULL;
	tally_map_remove(&machine->threads, (uint32_t)tid);
	if (pid == tid)
		tally_map_remove(&machine->processes, (uint32_t)pid);
	return thread_new(machine, pid, tid, parent);
}

struct tally_thread *tally_machine_thread(struct tally_machine *machine, int32_t pid, int32_t tid)
{
	struct tally_thread **recent = machine_recent(machine, tid), *thread = *recent;
	uint64_t found;

	if (!thread || thread->tid != tid) {
		found = tally_map_get(&machine->threads, (uint32_t)tid);
		if (found == TALLY_MAP_NONE)
			return thread_new(machine, pid, tid, NULL);
		thread = *recent = (struct tally_thread *)(uintptr_t)found;
	}
	if (pid < 0 || pid == thread->pid)
		return thread;
	if (!thread->guesses_pid)
		return thread_renew(machine, pid, tid, NULL);
	return thread_join(machine, thread, pid) ? NULL : thread;
}

/* ---- reused numbers ------------------------------------------------------------------------ */

static void machine_advance_time(struct tally_machine *machine, uint64_t time)
{
	machine->latest = TALLY_MAX(machine->latest, time);
}

/* Return true if a thread exited long enough ago that new records must belong to another thread.
 * CPU clocks differ, and TIDs are not reused immediately. */
static bool is_long_gone(const struct tally_machine *machine, const struct tally_thread *thread)
{
	enum { SOON_NS = 1000000000 };

	return thread->ended && machine->latest > thread->ended &&
	       machine->latest - thread->ended > SOON_NS;
}

/* ---- tasks outside the recorder's pid namespace ------------------------------------------ */

/* Record the fact that there are tasks outside the namespace. Thread 0 may then be one of them or
 * the idle task. */
static int machine_note_outside(struct tally_machine *machine)
{
	struct tally_thread *thread = machine->all_threads.data[0];

	if (machine->has_outside)
		return 0;
	machine->has_outside = true;
	thread->has_comm = false;
	if (thread_name(machine, thread, MACHINE_UNKNOWN))
		return -ENOMEM;
	thread->first_comm = thread->comm;
	return 0;
}

int machine_is_outside(struct tally_machine *machine, int32_t pid)
{
	if (pid)
		return 0;
	return machine_note_outside(machine) ? -ENOMEM : 1;
}

struct tally_thread *tally_machine_sample_thread(struct tally_machine *machine, int32_t pid,
						 int32_t tid, uint8_t cpumode, uint64_t time)
{
	struct tally_thread *thread = tally_machine_thread(machine, pid, tid);

	machine_advance_time(machine, time);
	if (!thread || cpumode != PERF_RECORD_MISC_USER)
		return thread;
	if (is_long_gone(machine, thread))
		return thread_renew(machine, pid, tid, NULL);
	if (tid)
		return thread;
	machine->stats.outside++;
	return machine_note_outside(machine) ? NULL : thread;
}

/* Undo the exit of a process's first thread if another thread executed a program and took over its
 * TID. The first thread exited because of the exec, and the process continues. */
static bool thread_take_over(struct tally_thread *thread)
{
	struct tally_process *process = thread->process;

	if (!thread->ended || process->nr_threads <= process->nr_ended)
		return false;
	process->nr_ended--;
	thread->ended = 0;
	thread->gone = 0;
	return true;
}

/* Return the thread for a record. If the known thread exited long ago, a new thread is using its
 * TID, and the record of the new thread's creation was lost. */
struct tally_thread *machine_record_thread(struct tally_machine *machine, int32_t pid, int32_t tid)
{
	struct tally_thread *thread = tally_machine_thread(machine, pid, tid);

	return thread && is_long_gone(machine, thread) ? thread_renew(machine, pid, tid, NULL)
						       : thread;
}

const struct tally_thread *tally_machine_thread_at(const struct tally_machine *machine,
						   uint32_t index)
{
	return machine->all_threads.data[index];
}

/* Remove all mappings of a process that executed another program or exited. */
static int process_unmap(struct tally_machine *machine, struct tally_process *process)
{
	struct tally_maps *maps = tally_maps_new(&machine->next_space);

	if (!maps)
		return -ENOMEM;
	tally_maps_put(process->maps);
	process->maps = maps;
	return 0;
}

/* Reset the information about the previously executed program. */
static void process_forget(struct tally_process *process)
{
	process->jit = process->program = process->moved_map = NULL;
}

static int machine_comm(struct tally_machine *machine, const void *record, size_t len)
{
	struct tally_thread *thread;
	struct tally_comm comm;
	bool is_first;
	int ret;

	if (tally_record_comm(record, len, &comm) || !machine_name_fits(comm.comm)) {
		machine->stats.damaged++;
		return 0;
	}
	/* Some recorders emit a COMM record that names the idle task. */
	ret = strcmp(comm.comm, IDLE_NAME) ? machine_is_outside(machine, comm.pid)
					   : !comm.pid && machine->has_outside;
	if (ret)
		return ret < 0 ? ret : 0;
	thread = tally_machine_thread(machine, comm.pid, comm.tid);
	if (thread && !(comm.exec && thread_take_over(thread)))
		thread = machine_record_thread(machine, comm.pid, comm.tid);
	if (!thread)
		return -ENOMEM;
	is_first = !thread->has_comm;
	thread->has_comm = true;
	if (comm.exec)
		process_forget(thread->process);
	if (machine->follows && comm.exec && process_unmap(machine, thread->process))
		return -ENOMEM;
	ret = thread_name(machine, thread, comm.comm);
	if (is_first)
		thread->first_comm = thread->comm;
	return ret;
}

static int machine_fork(struct tally_machine *machine, const void *record, size_t len)
{
	bool keeps_maps = !(tally_record_header(record).misc & PERF_RECORD_MISC_FORK_EXEC);
	struct tally_thread *parent, *child;
	struct tally_task task;
	int ret;

	if (tally_record_task(record, len, &task)) {
		machine->stats.damaged++;
		return 0;
	}
	machine_advance_time(machine, task.time);
	ret = machine_is_outside(machine, task.pid);
	if (ret)
		return ret < 0 ? ret : 0;
	parent = tally_machine_thread(machine, task.ppid, task.ptid);
	if (parent && parent->pid != task.ppid)
		parent = thread_renew(machine, task.ppid, task.ptid, NULL);
	child = parent ? thread_renew(machine, task.pid, task.tid, parent) : NULL;
	if (!child)
		return -ENOMEM;
	if (child->process != parent->process && keeps_maps && !child->process->maps->root) {
		tally_maps_put(child->process->maps);
		child->process->maps = tally_maps_get(parent->process->maps);
		child->process->jit = parent->process->jit;
		child->process->program = parent->process->program;
		child->process->moved_map = parent->process->moved_map;
	}
	return 0;
}

/* Mark a thread as exited. The thread is kept for a while because late samples still need its
 * name. */
static void thread_end(struct tally_thread *thread)
{
	enum { SWEEPS = 2 };

	if (!thread->gone && thread->tid)
		thread->gone = SWEEPS + 1;
}

/* Release the maps of an exited process after several other processes have exited, because its last
 * samples may still arrive until then. This applies only to processes that never had a second
 * thread. If maps were never released, they would take up most of the memory in a day-long
 * recording of short-lived processes. After tally_machine_follow(), processes are garbage-collected
 * instead. */
static int process_end(struct tally_machine *machine, const struct tally_thread *thread)
{
	struct tally_process **slot = &machine->ended[machine->nr_ended % MACHINE_ENDED];
	int ret = 0;

	if (machine->follows || thread->process->refs > 1 || thread->tid != thread->pid)
		return 0;
	if (*slot)
		ret = process_unmap(machine, *slot);
	machine_process_release(machine, *slot);
	*slot = thread->process;
	thread->process->refs++;
	machine->nr_ended++;
	return ret;
}

static int machine_exit(struct tally_machine *machine, const void *record, size_t len)
{
	struct tally_thread *thread;
	struct tally_task task;
	uint64_t found;

	if (tally_record_task(record, len, &task)) {
		machine->stats.damaged++;
		return 0;
	}
	found = tally_map_get(&machine->threads, (uint32_t)task.tid);
	if (found == TALLY_MAP_NONE)
		return 0;
	thread = (struct tally_thread *)(uintptr_t)found;
	if (!thread->tid)
		return 0;
	machine_advance_time(machine, task.time);
	thread->process->nr_ended += !thread->ended && task.time;
	thread->ended = task.time;
	thread_end(thread);
	return process_end(machine, thread);
}

void tally_machine_set_time(struct tally_machine *machine, uint64_t time)
{
	machine->time = time;
}

void tally_machine_set_guard(struct tally_machine *machine, tally_machine_guard fn, void *arg)
{
	machine->guard = fn;
	machine->guard_arg = arg;
}

void tally_machine_show_hidden(struct tally_machine *machine)
{
	machine->shows_hidden = true;
}

void tally_machine_show_paths(struct tally_machine *machine)
{
	machine->shows_paths = true;
}

void tally_machine_follow(struct tally_machine *machine)
{
	machine->follows = true;
}

size_t tally_machine_expire(struct tally_machine *machine,
			    bool (*is_gone)(int32_t pid, int32_t tid))
{
	size_t nr = 0;

	tally_vec_for_each (at, &machine->all_threads) {
		struct tally_thread *thread = *at;

		/* Another thread now has this TID. */
		if (tally_map_get(&machine->threads, (uint32_t)thread->tid) != (uintptr_t)thread)
			thread_end(thread);
		else if (is_gone && !thread->gone && is_gone(thread->pid, thread->tid))
			thread_end(thread);
		nr += thread->gone != 0;
	}
	return nr;
}

int tally_machine_record(struct tally_machine *machine, const void *record, size_t len)
{
	if (len < sizeof(struct perf_event_header)) {
		machine->stats.damaged++;
		return 0;
	}
	switch (tally_record_header(record).type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2: return machine_mmap(machine, record, len);
	case PERF_RECORD_COMM: return machine_comm(machine, record, len);
	case PERF_RECORD_FORK: return machine_fork(machine, record, len);
	case PERF_RECORD_KSYMBOL: return machine_ksymbol(machine, record, len);
	case PERF_RECORD_EXIT: return machine_exit(machine, record, len);
	default: return 0;
	}
}

/* Set up the initial state, in which only the idle task exists. */
static int machine_start(struct tally_machine *machine)
{
	machine->kernel_space = machine->next_space++;
	machine->kernel = tally_maps_new(&machine->next_space);
	return machine->kernel && tally_machine_thread(machine, 0, 0) ? 0 : -ENOMEM;
}

int tally_machine_new(struct tally_symbols *symbols, struct tally_machine **ret_machine)
{
	struct tally_machine *machine = calloc(1, sizeof(*machine));
	int ret;

	if (!machine)
		return -ENOMEM;
	machine->symbols = symbols;
	machine->next_space = 1;
	machine->time = TALLY_TIME_UNKNOWN;
	ret = machine_start(machine);
	if (ret)
		tally_machine_free(machine);
	else
		*ret_machine = machine;
	return ret;
}

struct tally_symbols *tally_machine_symbols(const struct tally_machine *machine)
{
	return machine->symbols;
}

/* Remove all threads, including the idle task, and all mappings. */
static void machine_clear(struct tally_machine *machine)
{
	tally_vec_for_each (thread, &machine->all_threads) {
		machine_process_release(machine, (*thread)->process);
		free(*thread);
	}
	for (size_t i = 0; i < MACHINE_ENDED; i++) {
		machine_process_release(machine, machine->ended[i]);
		machine->ended[i] = NULL;
	}
	tally_vec_free(&machine->all_threads);
	tally_map_free(&machine->threads);
	tally_map_free(&machine->processes);
	tally_maps_put(machine->kernel);
	memset(machine->recent, 0, sizeof(machine->recent));
	machine->kernel = NULL;
	machine->kernel_dso = NULL;
	machine->has_outside = false;
	machine->latest = 0;
	machine->stats.damaged = machine->stats.outside = 0;
}

int tally_machine_restart(struct tally_machine *machine)
{
	machine_clear(machine);
	return machine_start(machine);
}

void tally_machine_free(struct tally_machine *machine)
{
	if (!machine)
		return;
	machine_clear(machine);
	machine_files_clear(machine);
	tally_vec_free(&machine->build_ids);
	tally_vec_free(&machine->build_id_of);
	tally_intern_free(&machine->comms);
	tally_intern_free(&machine->names);
	free(machine->slots);
	free(machine);
}

uint32_t tally_machine_comm_of(const struct tally_machine *machine, uint32_t key)
{
	if (!(key & TALLY_COMM_LATER))
		return key;
	return machine->all_threads.data[key & ~TALLY_COMM_LATER]->first_comm;
}

const char *tally_machine_comm(const struct tally_machine *machine,
			       const struct tally_thread *thread)
{
	return tally_intern_text(&machine->comms, thread->comm);
}

const char *tally_machine_comm_of_tid(const struct tally_machine *machine, int32_t tid)
{
	uint64_t found = tally_map_get(&machine->threads, (uint32_t)tid);

	if (found == TALLY_MAP_NONE)
		return NULL;
	return tally_machine_comm(machine, (const struct tally_thread *)(uintptr_t)found);
}

/* Context of tally_machine_walk_files(): the callback and its argument. */
struct files_walk {
	void (*fn)(void *arg, const struct tally_dso *dso);
	void *arg;
};

static void walk_file(void *arg, struct tally_mapping *map)
{
	const struct files_walk *walk = arg;

	walk->fn(walk->arg, map->dso);
}

void tally_machine_walk_files(const struct tally_machine *machine, int32_t pid,
			      void (*fn)(void *arg, const struct tally_dso *dso), void *arg)
{
	uint64_t found = tally_map_get(&machine->processes, (uint32_t)pid);
	struct files_walk walk = {fn, arg};

	if (found != TALLY_MAP_NONE)
		tally_maps_walk(((const struct tally_process *)(uintptr_t)found)->maps, walk_file,
				&walk);
}

const struct tally_intern *tally_machine_comms(const struct tally_machine *machine)
{
	return &machine->comms;
}

const struct tally_machine_stats *tally_machine_stats(const struct tally_machine *machine)
{
	return &machine->stats;
}
