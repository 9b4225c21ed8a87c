/* SPDX-License-Identifier: BSD-2-Clause */
/* The threads in served processes, and the CPU time that the script assigns to them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "emulate/emulate_sim_private.h"
#include "hosts/sim/sim_loop.h"
#include "hosts/sim/sim_script.h"
#include "hosts/sim/sim_task.h"

/* Very long, but too short for the machine's clock to wrap. */
#define SLEEP_FOREVER (1ull << 62)
/* Length of a round, in which each sample location gets its share of the time. It is short, and a
 * prime number, so common sampling periods are not multiples of it. */
enum { ROUND_NS = 10007 };
/* Indexes of the two segments in a task's steps. Until the next segment begins, the machine refers
 * to the segment that ran last, which must not be changed. */
enum { FIRST_SEGMENT = 1, SECOND_SEGMENT = 3 };

static struct emulated_task *find_task(const struct emulated_machine *machine, int32_t tid)
{
	uint64_t found = tally_map_get(&machine->tasks, (uint64_t)tid);

	return found == TALLY_MAP_NONE ? NULL : (struct emulated_task *)(uintptr_t)found;
}

/* ---- creation ------------------------------------------------------------------ */

static struct emulated_task *task_prepare(struct emulated_machine *machine, int32_t pid,
					  int32_t tid)
{
	const struct tally_sim_step steps[] = {
		SIM_LOOP(0),
		SIM_SEGMENT(.mode = SIM_USER, .rates = &machine->rates),
		SIM_SLEEP(SLEEP_FOREVER),
		SIM_SEGMENT(.mode = SIM_USER, .rates = &machine->rates),
		SIM_SLEEP(SLEEP_FOREVER),
		SIM_END_LOOP(),
	};
	struct emulated_task *task = calloc(1, sizeof(*task));

	if (!task)
		return NULL;
	task->pid = pid;
	task->tid = tid;
	task->stretch = SECOND_SEGMENT;
	memcpy(task->steps, steps, sizeof(steps));
	tally_sim_number_next(machine->sim, pid, tid);
	return task;
}

/* Return the machine's most recently created task. */
static struct tally_sim_task *newest_task(struct emulated_machine *machine)
{
	struct tally_sim_task *task = NULL, *next;

	while ((next = tally_sim_task_at(machine->sim, machine->nr_tasks))) {
		task = next;
		machine->nr_tasks++;
	}
	return task;
}

/* Register a newly created task, and run it until it sleeps. */
static struct emulated_task *task_begin(struct emulated_machine *machine,
					struct emulated_task *task)
{
	task->task = newest_task(machine);
	if (task->task && !tally_sim_task_exited(task->task) &&
	    !tally_map_set(&machine->tasks, (uint64_t)task->tid, (uintptr_t)task)) {
		tally_sim_run(machine->sim, 0);
		return task;
	}
	/* If the machine has created the task, it remains asleep and refers to the steps, so do not
	 * free them. */
	if (!task->task || tally_sim_task_exited(task->task))
		free(task);
	return NULL;
}

static struct emulated_task *task_new_root(struct emulated_machine *machine, int32_t pid)
{
	struct emulated_task *task = task_prepare(machine, pid, pid);
	struct tally_sim_spawn spawn = {.cpu = machine->nr_tasks % machine->nr_cpus,
					.memlock = UINT64_MAX};

	if (!task)
		return NULL;
	spawn.script = task->steps;
	tally_sim_task_new(machine->sim, &spawn);
	return task_begin(machine, task);
}

static struct emulated_task *task_new_child(struct emulated_machine *machine,
					    struct emulated_task *parent, int32_t pid, int32_t tid)
{
	struct emulated_task *task = task_prepare(machine, pid, tid);
	struct tally_sim_step step = {.op = SIM_OP_FORK};

	if (!task)
		return NULL;
	step.fork.script = task->steps;
	step.fork.process = pid == tid;
	step.fork.cpu = (int32_t)(machine->nr_tasks % machine->nr_cpus);
	tally_sim_execute(machine->sim, parent->task, &step);
	return task_begin(machine, task);
}

void emulated_fork(struct tally_emulate_backend *backend, int32_t parent, int32_t child)
{
	struct emulated_machine *machine = machine_of(backend);
	struct emulated_task *from = find_task(machine, parent);

	if (from)
		task_new_child(machine, from, child, child);
	else
		task_new_root(machine, child);
}

struct emulated_task *emulated_task_of(struct emulated_machine *machine,
				       const struct tally_emulate_caller *caller)
{
	struct emulated_task *task = find_task(machine, caller->tid);
	struct emulated_task *first = find_task(machine, caller->pid);

	if (task && task->pid == caller->pid)
		return task;
	if (task || !first)
		return NULL;
	task = task_new_child(machine, first, caller->pid, caller->tid);
	if (!task)
		return NULL;
	task->next = first->next;
	first->next = task;
	return task;
}

/* ---- time ------------------------------------------------------------------------- */

/* Move a task to the next sample location, in rotation, for that location's share of a round. */
static void next_place(struct emulated_machine *machine, struct emulated_task *task)
{
	const struct tally_script *script = machine->script;
	struct emulated_task *first = find_task(machine, task->pid);

	task->place = (task->place + 1) % script->nr_places;
	task->left = TALLY_MAX(
		ROUND_NS * (uint64_t)script->places[task->place].weight / machine->weights, 1);
	task->ip = first ? first->places[task->place] : 0;
}

void emulated_task_spend(struct emulated_machine *machine, struct emulated_task *task, uint64_t ns)
{
	struct tally_sim_segment *stretch;
	uint64_t piece;

	task->spent += ns;
	for (; ns; ns -= piece) {
		if (machine->script->nr_places && !task->left)
			next_place(machine, task);
		piece = task->left ? TALLY_MIN(ns, task->left) : ns;
		task->left -= task->left ? piece : 0;
		stretch = &task->steps[task->stretch].run;
		task->stretch = task->stretch == FIRST_SEGMENT ? SECOND_SEGMENT : FIRST_SEGMENT;
		stretch->ns = piece;
		stretch->ip = task->ip;
		stretch->ip_len = task->ip ? 1 : 0;
		tally_sim_wake(machine->sim, task->task);
		tally_sim_run(machine->sim, piece);
	}
}

/* ---- exec and exit ------------------------------------------------------------------ */

static void read_comm(int32_t pid, char *to, size_t room)
{
	char path[64];
	size_t len = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	file = fopen(path, "re");
	if (file) {
		len = fread(to, 1, room - 1, file);
		fclose(file);
	}
	to[len] = '\0';
	to[strcspn(to, "\n")] = '\0';
}

void emulated_exec(struct tally_emulate_backend *backend, int32_t pid)
{
	struct emulated_machine *machine = machine_of(backend);
	struct emulated_task *task = find_task(machine, pid);
	char comm[16];
	struct tally_sim_step step = {.op = SIM_OP_EXEC, .exec = {.comm = comm}};

	if (!task)
		return;
	read_comm(pid, comm, sizeof(comm));
	task->spent = 0;
	tally_sim_execute(machine->sim, task->task, &step);
	emulated_maps_read(machine, task);
}

static void task_end(struct emulated_machine *machine, struct emulated_task *task)
{
	static const struct tally_sim_step step = SIM_EXIT();

	tally_sim_execute(machine->sim, task->task, &step);
	tally_map_remove(&machine->tasks, (uint64_t)task->tid);
	free(task);
}

void emulated_end(struct tally_emulate_backend *backend, int32_t pid)
{
	struct emulated_machine *machine = machine_of(backend);
	struct emulated_task *task = find_task(machine, pid);

	if (task && task->spent < machine->script->life_ns)
		emulated_task_spend(machine, task, machine->script->life_ns - task->spent);
}

void emulated_exit(struct tally_emulate_backend *backend, int32_t pid)
{
	struct emulated_machine *machine = machine_of(backend);
	struct emulated_task *task = find_task(machine, pid), *next;

	emulated_end(backend, pid);
	for (; task; task = next) {
		next = task->next;
		task_end(machine, task);
	}
	emulated_hang_up(machine);
}

void emulated_tasks_free(struct emulated_machine *machine)
{
	const struct tally_map_slot *slot;
	size_t at = 0;

	while ((slot = tally_map_next(&machine->tasks, &at)))
		free((void *)(uintptr_t)slot->value);
	tally_map_free(&machine->tasks);
}
