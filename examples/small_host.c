/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Host the core (perf_event_open as a library) in a program with one CPU, two tasks, a PMU with one
 * counter, and simulated time. Three events share the counter of a task, so they take turns.
 *
 *	cc small_host.c $(pkg-config --cflags --libs tally-core) && ./a.out
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tally/core.h>

static struct {
	struct tally_core *core;
	struct tally_core_task tasks[2], *running;
	uint64_t clock, counter; /* the counter counts work */
	bool taken;
} host;

/* ---- the host's operations: a program with one CPU needs no locks and no interrupts ---------- */

static void *op_alloc(void *m, size_t size)
{
	return calloc(1, size);
}
static void op_free(void *m, void *memory, size_t size)
{
	free(memory);
}
static void *op_pages_alloc(void *m, size_t nr)
{
	return calloc(nr, 4096);
}
static void op_pages_free(void *m, void *pages, size_t nr)
{
	free(pages);
}
static void *op_lock_new(void *m)
{
	return calloc(1, 1);
}
static void op_lock_free(void *m, void *lock)
{
	free(lock);
}
static void op_lock(void *m, void *lock)
{
}
static uintptr_t op_irq_save(void *m)
{
	return 0;
}
static void op_irq_restore(void *m, uintptr_t flags)
{
}
static uint32_t op_this_cpu(void *m)
{
	return 0;
}
static int op_call(void *m, uint32_t cpu, void (*fn)(void *), void *arg)
{
	return fn(arg), 0;
}
static void op_defer(void *m)
{
}
static uint64_t op_clock(void *m)
{
	return host.clock;
}
static void op_task_put(void *m, struct tally_core_task *task)
{
}
static struct tally_core_task *op_running(void *m)
{
	return host.running;
}

static struct tally_core_task *op_task_get(void *m, struct tally_core_task *current, int32_t tid)
{
	return tid == 1 || tid == 2 ? &host.tasks[tid - 1] : NULL;
}

static struct tally_core_event *op_event_of_fd(void *m, struct tally_core_task *current, int fd)
{
	return NULL; /* this program has no descriptors; they are needed only for groups */
}

static int32_t op_task_cpu(void *m, const struct tally_core_task *task)
{
	return task == host.running ? 0 : -1;
}

static bool op_capable(void *m, const struct tally_core_task *current, int capability)
{
	return true;
}

static bool op_may_observe(void *m, const struct tally_core_task *current,
			   const struct tally_core_task *target)
{
	return true;
}

static int op_copy(void *m, void *to, const void *from, size_t len)
{
	memcpy(to, from, len);
	return 0;
}

static const struct tally_host_ops ops = {
	.alloc = op_alloc,
	.free = op_free,
	.pages_alloc = op_pages_alloc,
	.pages_free = op_pages_free,
	.lock_new = op_lock_new,
	.lock_free = op_lock_free,
	.lock = op_lock,
	.unlock = op_lock,
	.irq_save = op_irq_save,
	.irq_restore = op_irq_restore,
	.this_cpu = op_this_cpu,
	.call = op_call,
	.defer = op_defer,
	.clock = op_clock,
	.task_get = op_task_get,
	.task_put = op_task_put,
	.task_cpu = op_task_cpu,
	.running = op_running,
	.event_of_fd = op_event_of_fd,
	.capable = op_capable,
	.may_observe = op_may_observe,
	.copy_from_user = op_copy,
	.copy_to_user = op_copy,
	.page_size = 4096,
};

/* ---- the PMU -------------------------------------------------------------------------------- */

static int pmu_init(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	hw->width = 48;
	return 0;
}

static int pmu_add(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	if (host.taken)
		return -28; /* ENOSPC: the event waits for its turn */
	host.taken = true;
	return hw->index = 0;
}

static void pmu_del(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	host.taken = false;
}
static void pmu_start(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	host.counter = tally_core_hw_arm(hw);
	hw->running = true;
}

static void pmu_read(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	tally_core_hw_update(hw, host.counter);
}

static void pmu_stop(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	pmu_read(pmu, hw);
	hw->running = false;
}

static struct tally_core_pmu pmu = {.name = "cpu",
				    .type = 10,
				    .core = true,
				    .nr_counters = 1,
				    .width = 48,
				    .init = pmu_init,
				    .add = pmu_add,
				    .del = pmu_del,
				    .start = pmu_start,
				    .stop = pmu_stop,
				    .read = pmu_read};

/* ---- the program ---------------------------------------------------------------------------- */

/* Let a task work for some ticks of 4 ms; each counts 1,000,000. */
static void run(struct tally_core_task *task, int ticks)
{
	static const struct tally_core_sample_data nowhere = {.mode = PERF_RECORD_MISC_USER};

	tally_core_switch(host.core, host.running, task, true);
	host.running = task;
	while (ticks--) {
		host.clock += 4000000;
		host.counter += 1000000;
		tally_core_tick(host.core, &nowhere);
	}
}

int main(void)
{
	struct tally_core_event *events[3];
	struct tally_core_settings settings;

	tally_core_settings_init(&settings);
	if (tally_core_create(&ops, &host, 1, &settings, &host.core) ||
	    tally_core_pmu_register(host.core, &pmu) || tally_core_cpu_online(host.core, 0))
		return 1;
	for (int i = 0; i < 2; i++)
		tally_core_task_init(&host.tasks[i], i + 1, i + 1);
	for (int i = 0; i < 3; i++) {
		struct perf_event_attr attr = {.type = 10,
					       .size = sizeof(attr),
					       .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
							      PERF_FORMAT_TOTAL_TIME_RUNNING};

		if (tally_core_open(host.core, &host.tasks[1], &attr, 1, -1, -1, 0, &events[i],
				    NULL))
			return 1;
	}
	for (int i = 0; i < 10; i++) {
		run(&host.tasks[0], 6);
		run(&host.tasks[1], 1); /* not counted: the events belong to task 1 */
	}
	for (int i = 0; i < 3; i++) {
		uint64_t value[3]; /* count, time enabled, time running */

		if (tally_core_read(host.core, events[i], value, sizeof(value)) != sizeof(value))
			return 1;
		printf("event %d: %llu in %llu of %llu ms\n", i, (unsigned long long)value[0],
		       (unsigned long long)value[2] / 1000000,
		       (unsigned long long)value[1] / 1000000);
		tally_core_close(host.core, events[i]);
	}
	run(NULL, 0);
	for (int i = 0; i < 2; i++)
		tally_core_exit(host.core, &host.tasks[i]);
	tally_core_destroy(host.core);
	return 0;
}
