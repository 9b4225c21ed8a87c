/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Exact counts. The number of events for a signal is floor((carried + rate * ns) / 1e9), and the
 * remainder is carried over. So the total does not depend on how often it is updated.
 */
#include "hosts/sim/hardware.h"
#include "hosts/sim/sim_private.h"
#include "hosts/sim/truth.h"

uint64_t sim_time_to(const struct tally_sim_task *task, unsigned signal, unsigned __int128 nr)
{
	const struct tally_sim_rates *rates = task->segment->rates;
	unsigned __int128 ns, rate = 0;

	if (rates)
		rate = (uint64_t)rates->per_ms[signal] * 1000 + rates->per_s[signal];
	if (!rate)
		return SIM_NEVER;
	ns = (nr * SIM_NS_PER_S - task->fraction[signal] + rate - 1) / rate;
	return ns < SIM_NEVER ? (uint64_t)ns : SIM_NEVER;
}

/* Compute how many events of each signal occur in `ns` of the task's segment. */
static void task_count(struct tally_sim_task *task, uint64_t ns, uint64_t *ret_events)
{
	static const struct tally_sim_rates none;
	const struct tally_sim_rates *rates = task->segment->rates ? task->segment->rates : &none;

	for (unsigned signal = 0; signal < SIM_NR_HW; signal++) {
		uint32_t per_ms = rates->per_ms[signal], per_s = rates->per_s[signal];
		/* Whole milliseconds and whole seconds yield whole events; the remainder fits in 64
		 * bits. */
		uint64_t parts = task->fraction[signal] +
				 per_ms * (uint64_t)1000 * (ns % SIM_NS_PER_MS) +
				 (uint64_t)per_s * (ns % SIM_NS_PER_S);

		ret_events[signal] = ns / SIM_NS_PER_MS * per_ms + ns / SIM_NS_PER_S * per_s +
				     parts / SIM_NS_PER_S;
		task->fraction[signal] = (uint32_t)(parts % SIM_NS_PER_S);
	}
	ret_events[SIM_NS] = ns;
}

void sim_update_counts(struct tally_sim *sim, struct sim_cpu *cpu)
{
	struct tally_sim_task *task = cpu->current;
	enum tally_sim_mode mode = task->segment->mode;
	uint64_t ns = sim->now - cpu->settled, events[SIM_NS + 1];

	if (!ns)
		return;
	cpu->settled = sim->now;
	if (!cpu->online)
		return;
	task->done_ns += ns;
	task_count(task, ns, events);
	for (unsigned signal = 0; signal <= SIM_NS; signal++)
		task->counts[cpu - sim->cpus][mode][signal] += events[signal];
	for (uint32_t i = 0; i < sim->config.nr_pmus; i++)
		sim_bank_count(sim, &cpu->banks[i], mode, events);
}

void sim_count(struct tally_sim *sim, struct tally_sim_task *task, uint32_t cpu,
	       enum tally_sim_mode mode, unsigned signal, uint64_t nr)
{
	task->counts[cpu][mode][signal] += nr;
}

static bool task_is_of(const struct tally_sim_task *task, const struct tally_sim_filter *filter)
{
	if (!filter->task || task == filter->task)
		return true;
	for (task = filter->tree ? task->parent : NULL; task; task = task->parent)
		if (task == filter->task)
			return true;
	return false;
}

static uint64_t task_truth(const struct tally_sim *sim, const struct tally_sim_task *task,
			   const struct tally_sim_filter *filter, unsigned signal)
{
	uint64_t sum = 0;

	if (!task_is_of(task, filter))
		return 0;
	for (uint32_t cpu = 0; cpu < sim->config.nr_cpus; cpu++)
		for (unsigned mode = 0; mode < SIM_NR_MODES; mode++)
			if ((!filter->cpus || (cpu < 32 && filter->cpus & 1u << cpu)) &&
			    (!filter->modes || filter->modes & 1u << mode))
				sum += task->counts[cpu][mode][signal];
	return sum;
}

uint64_t tally_sim_truth(struct tally_sim *sim, struct tally_sim_filter filter, unsigned signal)
{
	uint64_t sum = 0;

	for (uint32_t cpu = 0; cpu < sim->config.nr_cpus; cpu++) {
		sim_update_counts(sim, &sim->cpus[cpu]);
		sum += task_truth(sim, &sim->cpus[cpu].idle, &filter, signal);
	}
	tally_vec_for_each (task, &sim->tasks)
		sum += task_truth(sim, *task, &filter, signal);
	return sum;
}
