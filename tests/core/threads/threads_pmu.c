/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counters that advance by a random amount at each interrupt. The core's interrupt lock does not
 * mask this interrupt, so the driver stops all counters before it writes to one, as a driver with
 * real NMIs would.
 */
#include <errno.h>
#include <signal.h>

#include "core/threads/threads_host.h"

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

	bool shared = pmu->cpu_of;
	int32_t end = shared ? HOST_COUNTERS + HOST_SHARED : HOST_COUNTERS;

	for (int32_t i = shared ? HOST_COUNTERS : 0; i < end; i++) {
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
	for (int i = 0; i < HOST_COUNTERS + HOST_SHARED; i++) {
		struct counter *counter = &cpu->counters[i];

		if (!counter->running)
			continue;
		counter->value = (counter->value + host_random(5000)) & UINT32_MAX;
		if (i >= HOST_COUNTERS)
			continue;
		cpu->overflows++;
		overflow(counter);
	}
	paused--;
}

/* Return the designated CPU of a pair. The first CPU of the pair to come online is designated until
 * it goes offline. */
static int32_t cpu_of(struct tally_core_pmu *pmu, uint32_t cpu)
{
	struct host *host = pmu->driver;
	uint32_t *named = &host->named[cpu / 2];
	uint32_t was = __atomic_load_n(named, __ATOMIC_ACQUIRE), other = was ^ 1;

	if (tally_core_cpu_is_online(host->core, was))
		return (int32_t)was;
	if (!tally_core_cpu_is_online(host->core, other))
		return -1;
	/* If the designated CPU has changed in the meantime, use the new one. */
	return __atomic_compare_exchange_n(named, &was, other, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_ACQUIRE)
		       ? (int32_t)other
		       : (int32_t)was;
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
	host->shared = host->pmu;
	host->shared.name = "shared";
	host->shared.type = 11;
	host->shared.core = false;
	host->shared.nr_counters = HOST_SHARED;
	host->shared.caps = TALLY_PMU_NO_INTERRUPT | TALLY_PMU_PER_CPU_ONLY;
	host->shared.cpu_of = cpu_of;
	host->shared.driver = host;
	for (uint32_t i = 0; i < HOST_CPUS / 2; i++)
		host->named[i] = 2 * i;
}
