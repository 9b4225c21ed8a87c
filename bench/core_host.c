/* SPDX-License-Identifier: BSD-2-Clause */
#include "core_host.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct host host;

#if defined(__x86_64__)
uint64_t machine_clock(void *m)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return ((uint64_t)high << 32 | low) >> 1;
}
#else
uint64_t machine_clock(void *m)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}
#endif

static void *op_alloc(void *m, size_t size)
{
	host.bytes += size;
	return calloc(1, size);
}

static void op_free(void *m, void *memory, size_t size)
{
	host.bytes -= size;
	free(memory);
}

static void *op_pages_alloc(void *m, size_t nr)
{
	void *pages = aligned_alloc(4096, nr * 4096);

	return pages ? memset(pages, 0, nr * 4096) : NULL;
}

static void op_pages_free(void *m, void *pages, size_t nr)
{
	free(pages);
}

static void op_nothing(void *m)
{
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
	host.locks++;
}

static void op_unlock(void *m, void *lock)
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
	return host.cpu;
}

static int op_call(void *m, uint32_t cpu, void (*fn)(void *arg), void *arg)
{
	uint32_t before = host.cpu;

	host.calls += cpu != before;
	host.cpu = cpu;
	fn(arg);
	host.cpu = before;
	return 0;
}

static struct tally_core_task *op_task_get(void *m, struct tally_core_task *current, int32_t tid)
{
	return host.task;
}

static void op_task_put(void *m, struct tally_core_task *task)
{
}

static int32_t op_task_cpu(void *m, const struct tally_core_task *task)
{
	return -1;
}

/* Return NULL, because no task is running when events are opened. */
static struct tally_core_task *op_running(void *m)
{
	return NULL;
}

static struct tally_core_event *op_event_of_fd(void *m, struct tally_core_task *current, int fd)
{
	return NULL;
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

static uint32_t op_callchain(void *m, const struct tally_core_sample_data *sample_data, bool user,
			     uint64_t *ret_ips, uint32_t max)
{
	uint32_t nr = user && max > 32 ? 32 : 0;

	for (uint32_t i = 0; i < nr; i++)
		ret_ips[i] = sample_data->ip + 16 * i;
	return nr;
}

static const struct tally_host_ops ops = {
	.alloc = op_alloc,
	.free = op_free,
	.pages_alloc = op_pages_alloc,
	.pages_free = op_pages_free,
	.lock_new = op_lock_new,
	.lock_free = op_lock_free,
	.lock = op_lock,
	.unlock = op_unlock,
	.irq_save = op_irq_save,
	.irq_restore = op_irq_restore,
	.this_cpu = op_this_cpu,
	.call = op_call,
	.defer = op_nothing,
	.clock = machine_clock,
	.task_get = op_task_get,
	.task_put = op_task_put,
	.task_cpu = op_task_cpu,
	.running = op_running,
	.event_of_fd = op_event_of_fd,
	.capable = op_capable,
	.may_observe = op_may_observe,
	.copy_from_user = op_copy,
	.copy_to_user = op_copy,
	.callchain = op_callchain,
	.page_size = 4096,
};

/* ---- the PMU ------------------------------------------------------------------------------ */

static int pmu_init(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	hw->width = 48;
	return 0;
}

static int pmu_add(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	uint64_t *taken = &host.taken[host.cpu];
	int32_t free = ~*taken ? __builtin_ctzll(~*taken) : BENCH_COUNTERS;

	if (free >= pmu->nr_counters)
		return -ENOSPC;
	*taken |= UINT64_C(1) << free;
	host.owner[host.cpu][free] = hw;
	hw->index = free;
	return 0;
}

static void pmu_del(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	host.taken[host.cpu] &= ~(UINT64_C(1) << hw->index);
}

static void pmu_start(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	host.value[hw->index] = tally_core_hw_arm(hw);
	hw->running = true;
}

static void pmu_stop(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	tally_core_hw_update(hw, host.value[hw->index]);
	hw->running = false;
}

static void pmu_read(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	tally_core_hw_update(hw, host.value[hw->index]);
}

void machine_boot(uint32_t nr_cpus, uint8_t nr_counters, uint32_t record_max)
{
	struct tally_core_settings settings;

	memset(&host, 0, sizeof(host));
	tally_core_settings_init(&settings);
	settings.max_sample_rate = UINT32_MAX;
	if (record_max)
		settings.record_max = record_max;
	if (tally_core_create(&ops, &host, nr_cpus, &settings, &host.core))
		exit(1);
	host.pmu = (struct tally_core_pmu){.name = "bench",
					   .type = 10,
					   .core = true,
					   .nr_counters = nr_counters,
					   .width = 48,
					   .caps = TALLY_PMU_USER_READ,
					   .init = pmu_init,
					   .add = pmu_add,
					   .del = pmu_del,
					   .start = pmu_start,
					   .stop = pmu_stop,
					   .read = pmu_read};
	if (tally_core_pmu_register(host.core, &host.pmu))
		exit(1);
	for (uint32_t i = 0; i < nr_cpus; i++)
		tally_core_cpu_online(host.core, i);
}
