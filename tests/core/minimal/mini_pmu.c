/* SPDX-License-Identifier: BSD-2-Clause */
/* PMUs with counters that the test advances. They report incorrect use by the core. */
#include "core/minimal/mini.h"

enum { WIDTH = 48 };

/* Return an event's counter. The event must be on this CPU. */
static struct mini_counter *counter_of(struct mini *mini, const struct tally_core_hw *hw)
{
	struct mini_counter *counters = mini->cpus[mini->cpu].counters;

	if (hw->index < 0 || hw->index >= MINI_ALL_COUNTERS || counters[hw->index].owner != hw)
		mini_broken(mini, "an event is not on the counter it is said to be on");
	return &counters[hw->index];
}

static int verb_init(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	mini_check(pmu->driver, MINI_OP_INIT);
	hw->width = WIDTH;
	hw->index = -1;
	return 0;
}

static int verb_add(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	struct mini *mini = pmu->driver;
	struct mini_counter *counters = mini->cpus[mini->cpu].counters;
	bool first = pmu == &mini->pmus[0];

	mini_check(mini, MINI_OP_ADD);
	mini_at(mini, MINI_AT_ADD, hw);
	if (hw->index >= 0)
		mini_broken(mini, "an event that has a counter gets another");
	for (int i = first ? 0 : MINI_COUNTERS; i < (first ? MINI_COUNTERS : MINI_ALL_COUNTERS);
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
	struct mini *mini = pmu->driver;

	mini_check(mini, MINI_OP_DEL);
	mini_at(mini, MINI_AT_DEL, hw);
	if (hw->running)
		mini_broken(mini, "a running counter is taken away");
	counter_of(mini, hw)->owner = NULL;
	hw->index = -1;
}

static void verb_start(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	struct mini *mini = pmu->driver;

	mini_check(mini, MINI_OP_START);
	mini_at(mini, MINI_AT_START, hw);
	mini->paused = true;
	counter_of(mini, hw)->value = tally_core_hw_arm(hw);
	hw->running = true;
	mini->paused = false;
}

/* Stop a counter. The overflow interrupt must not occur after that. */
static void verb_stop(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	struct mini *mini = pmu->driver;

	mini_check(mini, MINI_OP_STOP);
	mini_at(mini, MINI_AT_STOP, hw);
	hw->running = false;
	tally_core_hw_update(hw, counter_of(mini, hw)->value);
}

static uint64_t read_counter(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	return counter_of(pmu->driver, hw)->value;
}

static void verb_read(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	struct mini *mini = pmu->driver;

	mini_check(mini, MINI_OP_READ);
	mini_at(mini, MINI_AT_READ, hw);
	tally_core_hw_fold(pmu, hw, read_counter);
}

void mini_pmus_init(struct mini *mini)
{
	mini->pmus[0] = (struct tally_core_pmu){
		.name = "least",
		.type = 10,
		.core = true,
		.nr_counters = MINI_COUNTERS,
		.width = WIDTH,
		.max_precise = 3,
		.branches = UINT64_MAX,
		.init = verb_init,
		.add = verb_add,
		.del = verb_del,
		.start = verb_start,
		.stop = verb_stop,
		.read = verb_read,
		.driver = mini,
	};
	mini->pmus[1] = mini->pmus[0];
	mini->pmus[1].name = "uncore";
	mini->pmus[1].type = 11;
	mini->pmus[1].core = false;
	mini->pmus[1].nr_counters = MINI_ALL_COUNTERS - MINI_COUNTERS;
	mini->pmus[1].caps = TALLY_PMU_NO_INTERRUPT | TALLY_PMU_PER_CPU_ONLY;
}

void mini_count(struct mini *mini, uint32_t counter, uint64_t nr)
{
	struct mini_counter *at = &mini->cpus[mini->cpu].counters[counter];

	if (at->owner && at->owner->running)
		at->value = (at->value + nr) & ((UINT64_C(1) << WIDTH) - 1);
}

bool mini_overflow(struct mini *mini, uint32_t counter,
		   const struct tally_core_sample_data *sample_data)
{
	struct mini_counter *at = &mini->cpus[mini->cpu].counters[counter];
	struct tally_core_hw *hw = at->owner;

	if (!hw || !hw->running || mini->paused || mini->nmi)
		return false;
	mini->nmi = true;
	if (!tally_core_hw_overflow(hw, at->value, sample_data, &at->value))
		hw->running = false;
	mini->nmi = false;
	if (!mini->off && !mini->hold_deferred)
		mini_deferred(mini);
	return hw->running;
}
