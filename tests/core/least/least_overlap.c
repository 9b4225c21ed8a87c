/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls in progress, and other calls that interrupt them. The objects that a call uses stay valid
 * until it returns, as if it held references in a kernel. */
#include <string.h>

#include "core/least/least.h"

enum { MAX_DEPTH = 3 };

void least_call_begin(struct least *least, struct least_call *call,
		      const struct least_task *current, int fd)
{
	*call = (struct least_call){
		.outer = least->call, .current = current, .nr_held = least->nr_held};
	least->call = call;
	least->nr_fetches = least->nr_relaxed = 0;
	least->why = (struct tally_core_refusal){0};
	if (fd >= 0)
		least_call_borrow(least, fd);
}

void least_call_borrow(struct least *least, int fd)
{
	struct least_call *call = least->call;

	if (!call)
		return;
	if (call->nr_files == LEAST_BORROWED)
		least_broken(least, "one call looks up %d descriptors", LEAST_BORROWED);
	call->files[call->nr_files++] = fd;
	least->files[fd].users++;
}

/* Check that no task is referenced when no call is in progress. */
static void check_tasks(struct least *least, const char *name)
{
	if (least->nr_gone)
		least_broken(least, "%s keeps a task that is gone", name);
	for (int i = 0; i < LEAST_TASKS; i++) {
		if (least->tasks[i] && least->tasks[i]->refs)
			least_broken(least, "%s keeps a task", name);
	}
}

void least_call_end(struct least *least, const char *name)
{
	struct least_call *call = least->call;

	if (least->off)
		least_broken(least, "%s leaves interrupts off", name);
	if (least->nr_held != call->nr_held)
		least_broken(least, "%s leaves a lock locked", name);
	least->call = call->outer;
	if (!call->outer)
		check_tasks(least, name);
	while (call->nr_files) {
		int fd = call->files[--call->nr_files];

		if (!--least->files[fd].users && least->files[fd].closing)
			least_close(least, fd);
	}
}

bool least_in_call(const struct least *least, const struct least_task *task)
{
	for (const struct least_call *call = least->call; call; call = call->outer) {
		if (call->current == task)
			return true;
	}
	return false;
}

static uint32_t depth_of(const struct least *least)
{
	uint32_t depth = 0;

	for (const struct least_call *call = least->call; call; call = call->outer)
		depth++;
	return depth;
}

static bool holds_lock(const struct least *least)
{
	for (uint32_t i = 0; i < least->nr_held; i++) {
		if (least->held[i].lock)
			return true;
	}
	return false;
}

/* Continue the preempted call: where its task runs, on this CPU, or on any CPU that is online. */
static void resume(struct least *least, struct least_task *task, uint32_t cpu)
{
	while (!least->cpus[cpu].online)
		cpu = (cpu + 1) % least->nr_cpus;
	if (task && task->cpu >= 0)
		cpu = (uint32_t)task->cpu;
	least_on(least, cpu);
	if (task && task->cpu < 0)
		least_switch(least, task);
}

/* State of the host that is restored when a preempted call continues. */
struct preempted {
	struct least_task *task;
	uint32_t cpu, held_base, nr_fetches, nr_relaxed;
	struct least_fetch fetches[LEAST_FETCHES];
	void *user;
	size_t user_len;
};

static void save(const struct least *least, struct preempted *call)
{
	struct least_task *task = least->cpus[least->cpu].task;

	*call = (struct preempted){.task = least_in_call(least, task) ? task : NULL,
				   .cpu = least->cpu,
				   .held_base = least->held_base,
				   .nr_fetches = least->nr_fetches,
				   .nr_relaxed = least->nr_relaxed,
				   .user = least->user,
				   .user_len = least->user_len};
	memcpy(call->fetches, least->fetches, sizeof(call->fetches));
}

static void restore(struct least *least, const struct preempted *call)
{
	resume(least, call->task, call->cpu);
	least->held_base = call->held_base;
	least->nr_fetches = call->nr_fetches;
	least->nr_relaxed = call->nr_relaxed;
	least->user = call->user;
	least->user_len = call->user_len;
	memcpy(least->fetches, call->fetches, sizeof(call->fetches));
}

static bool overlap(struct least *least, void (*fn)(void))
{
	struct preempted call;

	if (least->off || least->nmi || depth_of(least) >= MAX_DEPTH)
		return false;
	save(least, &call);
	least->inside = false;
	least->held_base = least->nr_held;
	fn();
	restore(least, &call);
	least->inside = true;
	return true;
}

bool least_overlap(struct least *least, void (*fn)(void))
{
	return !holds_lock(least) && overlap(least, fn);
}

bool least_overlap_locked(struct least *least, void (*fn)(void))
{
	return overlap(least, fn);
}
