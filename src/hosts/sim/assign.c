/* SPDX-License-Identifier: BSD-2-Clause */
/* Assign counters to events. The assignment is a matching, found by augmenting paths. */
#include <errno.h>

#include "hosts/sim/hardware.h"
#include "hosts/sim/sim_private.h"

/* An assignment in progress: the event on each counter. */
struct match {
	struct tally_core_hw *on[SIM_MAX_COUNTERS];
	uint32_t fixed; /* bit mask of counters that keep their event */
	uint32_t tried;
};

/* Find a counter for `hw`, moving other events if they can use other counters. */
static bool match_place(struct match *match, struct tally_core_hw *hw)
{
	uint32_t able = (uint32_t)hw->config[SIM_CONFIG_COUNTERS] & ~match->fixed;

	/* Start with the highest counter: the counters that can count the fewest signals come
	 * last. */
	while (able & ~match->tried) {
		int index = 31 - __builtin_clz(able & ~match->tried);

		match->tried |= 1u << index;
		if (!match->on[index] || match_place(match, match->on[index])) {
			match->on[index] = hw;
			return true;
		}
	}
	return false;
}

static bool match_all(struct match *match, struct tally_core_hw *const *hws, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++) {
		match->tried = 0;
		if (!match_place(match, hws[i]))
			return false;
	}
	return true;
}

bool sim_pmu_fits(struct tally_core_hw *const *hws, uint32_t nr)
{
	struct match match = {0};

	return match_all(&match, hws, nr);
}

int sim_pmu_assign(struct sim_pmu *driver, struct tally_core_hw *const *hws, uint32_t nr)
{
	struct sim_pmu_cpu *cpu = &driver->cpus[driver->sim->cpu];
	struct match match = {0};
	uint32_t nr_counters = driver->desc.nr_generic + driver->desc.nr_fixed;

	for (uint32_t i = 0; i < nr_counters; i++)
		if (cpu->owner[i])
			match.fixed |= 1u << i;
	if ((uint32_t)__builtin_popcount(match.fixed) + nr > nr_counters)
		return -ENOSPC;
	if (!match_all(&match, hws, nr))
		return -EBUSY;
	for (uint32_t i = 0; i < nr_counters; i++)
		if (match.on[i]) {
			cpu->owner[i] = match.on[i];
			match.on[i]->index = (int32_t)i;
		}
	return 0;
}
