/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counters that move when an interrupt comes, by as much as chance has it. The interrupt is not
 * masked by the core's interrupt lock, so the driver keeps it out while it writes, as a driver
 * of real NMIs does: it switches the counters off first.
 */
#include <errno.h>
#include <signal.h>

#include "core/threads/host.h"

static _Thread_local volatile sig_atomic_t paused;

static struct counter *counter_of(const struct tally_core_hw *hw)
{
	return &host_cpu()->counters[hw->index];
}

static int verb_init(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	hw->width = 32;
	return 0;
}

static int verb_add(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	struct host_cpu *cpu = host_cpu();

	for (int32_t i = 0; i < HOST_COUNTERS; i++) {
		if (cpu->counters[i].owner)
			continue;
		cpu->counters[i].owner = hw;
		hw->index = i;
		return 0;
	}
	return -ENOSPC;
}

static void verb_del(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	counter_of(hw)->owner = NULL;
	hw->index = -1;
}

static void verb_start(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	struct counter *counter = counter_of(hw);

	paused++;
	counter->value = tally_core_hw_arm(hw);
	counter->running = hw->running = true;
	paused--;
}

static void verb_stop(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	struct counter *counter = counter_of(hw);

	paused++;
	counter->running = hw->running = false;
	tally_core_hw_update(hw, counter->value);
	paused--;
}

static uint64_t read_counter(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	return counter_of(hw)->value;
}

static void verb_read(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	tally_core_hw_fold(pmu, hw, read_counter);
}

static void overflow(struct counter *counter)
{
	const struct tally_core_sample_data sample_data = {.ip = 0x1000,
							   .mode = PERF_RECORD_MISC_USER};
	struct tally_core_hw *hw = counter->owner;
	uint64_t next;

	if (tally_core_hw_overflow(hw, counter->value, &sample_data, &next))
		counter->value = next;
	else
		counter->running = hw->running = false;
}

void host_pmu_interrupt(struct host_cpu *cpu)
{
	if (paused)
		return;
	paused++;
	for (int i = 0; i < HOST_COUNTERS; i++) {
		struct counter *counter = &cpu->counters[i];

		if (!counter->running)
			continue;
		counter->value = (counter->value + host_random(5000)) & UINT32_MAX;
		cpu->overflows++;
		overflow(counter);
	}
	paused--;
}

void host_pmu_init(struct host *host)
{
	host->pmu = (struct tally_core_pmu){
		.name = "threads",
		.type = 10,
		.core = true,
		.nr_counters = HOST_COUNTERS,
		.width = 32,
		.init = verb_init,
		.add = verb_add,
		.del = verb_del,
		.start = verb_start,
		.stop = verb_stop,
		.read = verb_read,
	};
}
