/* SPDX-License-Identifier: BSD-2-Clause */
/* PMUs whose counters are moved by the test, and which report wrong use by the core. */
#include "core/least/least.h"

enum { WIDTH = 48 };

/* Return the counter of an event. The event must be on this CPU. */
static struct least_counter *counter_of(struct least *least, const struct tally_core_hw *hw)
{
	struct least_counter *counters = least->cpus[least->cpu].counters;

	if (hw->index < 0 || hw->index >= LEAST_ALL_COUNTERS || counters[hw->index].owner != hw)
		least_broken(least, "an event is not on the counter it is said to be on");
	return &counters[hw->index];
}

static int verb_init(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	least_check(pmu->driver, LEAST_OP_INIT);
	hw->width = WIDTH;
	hw->index = -1;
	return 0;
}

static int verb_add(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	struct least *least = pmu->driver;
	struct least_counter *counters = least->cpus[least->cpu].counters;
	bool first = pmu == &least->pmus[0];

	least_check(least, LEAST_OP_ADD);
	least_at(least, LEAST_AT_ADD, hw);
	if (hw->index >= 0)
		least_broken(least, "an event that has a counter gets another");
	for (int i = first ? 0 : LEAST_COUNTERS; i < (first ? LEAST_COUNTERS : LEAST_ALL_COUNTERS);
	     i++) {
		if (!counters[i].owner) {
			counters[i].owner = hw;
			hw->index = i;
			return 0;
		}
	}
	return -ENOSPC;
}

static void verb_del(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	struct least *least = pmu->driver;

	least_check(least, LEAST_OP_DEL);
	least_at(least, LEAST_AT_DEL, hw);
	if (hw->running)
		least_broken(least, "a running counter is taken away");
	counter_of(least, hw)->owner = NULL;
	hw->index = -1;
}

static void verb_start(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	struct least *least = pmu->driver;

	least_check(least, LEAST_OP_START);
	least_at(least, LEAST_AT_START, hw);
	least->paused = true;
	counter_of(least, hw)->value = tally_core_hw_arm(hw);
	hw->running = true;
	least->paused = false;
}

/* No overflow interrupt occurs after the counter was stopped. */
static void verb_stop(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	struct least *least = pmu->driver;

	least_check(least, LEAST_OP_STOP);
	least_at(least, LEAST_AT_STOP, hw);
	hw->running = false;
	tally_core_hw_update(hw, counter_of(least, hw)->value);
}

static uint64_t read_counter(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	return counter_of(pmu->driver, hw)->value;
}

static void verb_read(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	struct least *least = pmu->driver;

	least_check(least, LEAST_OP_READ);
	least_at(least, LEAST_AT_READ, hw);
	tally_core_hw_fold(pmu, hw, read_counter);
}

void least_pmus_init(struct least *least)
{
	least->pmus[0] = (struct tally_core_pmu){
		.name = "least",
		.type = 10,
		.core = true,
		.nr_counters = LEAST_COUNTERS,
		.width = WIDTH,
		.max_precise = 3,
		.branches = UINT64_MAX,
		.init = verb_init,
		.add = verb_add,
		.del = verb_del,
		.start = verb_start,
		.stop = verb_stop,
		.read = verb_read,
		.driver = least,
	};
	least->pmus[1] = least->pmus[0];
	least->pmus[1].name = "uncore";
	least->pmus[1].type = 11;
	least->pmus[1].core = false;
	least->pmus[1].nr_counters = LEAST_ALL_COUNTERS - LEAST_COUNTERS;
	least->pmus[1].caps = TALLY_PMU_NO_INTERRUPT | TALLY_PMU_PER_CPU_ONLY;
}

void least_count(struct least *least, uint32_t counter, uint64_t nr)
{
	struct least_counter *at = &least->cpus[least->cpu].counters[counter];

	if (at->owner && at->owner->running)
		at->value = (at->value + nr) & ((UINT64_C(1) << WIDTH) - 1);
}

bool least_overflow(struct least *least, uint32_t counter,
		    const struct tally_core_sample_data *sample_data)
{
	struct least_counter *at = &least->cpus[least->cpu].counters[counter];
	struct tally_core_hw *hw = at->owner;

	if (!hw || !hw->running || least->paused || least->nmi)
		return false;
	least->nmi = true;
	if (!tally_core_hw_overflow(hw, at->value, sample_data, &at->value))
		hw->running = false;
	least->nmi = false;
	if (!least->off && !least->hold_deferred)
		least_deferred(least);
	return hw->running;
}
