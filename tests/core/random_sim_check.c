/* SPDX-License-Identifier: BSD-2-Clause */
/* Invariants checked on the core's own objects. */
#include "core/core_private.h"
#include "core/random_sim.h"
#include "hosts/sim/sim_private.h"

static void check_event(struct random_sim *random_sim, const struct tally_core_cpu *cpu,
			const struct tally_core_event *event)
{
	const struct tally_core_times *times = tally_event_times(event);
	bool active = event->state == TALLY_STATE_ACTIVE;

	if (times->running > times->enabled)
		random_sim_fail(random_sim, "event %llu ran longer than it was enabled",
				(unsigned long long)event->id);
	if (active != event->on_pmu)
		random_sim_fail(random_sim, "event %llu is %s its PMU in state %d",
				(unsigned long long)event->id, event->on_pmu ? "on" : "off",
				event->state);
	if (active && !(cpu && tally_event_matches(event, cpu)))
		random_sim_fail(random_sim, "event %llu is on where it must not be",
				(unsigned long long)event->id);
	if (active && event->leader->state != TALLY_STATE_ACTIVE)
		random_sim_fail(random_sim, "event %llu is on without its leader",
				(unsigned long long)event->id);
}

/* A group is on the PMU as a whole or not at all: if the leader is active, so is every enabled
 * member. */
static void check_group(struct random_sim *random_sim, struct tally_core_event *leader)
{
	tally_group_for_each (event, leader) {
		if (leader->state == TALLY_STATE_ACTIVE && event->state == TALLY_STATE_INACTIVE)
			random_sim_fail(random_sim, "event %llu is missing from its group",
					(unsigned long long)event->id);
	}
}

/* Check that no counter is used by two events. */
static void check_counter(struct random_sim *random_sim, const struct tally_core_event *event,
			  uint64_t taken[SIM_MAX_PMUS])
{
	const struct sim_pmu *driver = event->pmu->driver;
	uint64_t bit = UINT64_C(1) << (event->hw.index & 63);

	if (!event->on_pmu || tally_event_is_software(event))
		return;
	if (event->hw.index < 0 || taken[driver->number] & bit)
		random_sim_fail(random_sim, "event %llu is on counter %d, which is taken",
				(unsigned long long)event->id, event->hw.index);
	taken[driver->number] |= bit;
}

static uint32_t check_context(struct random_sim *random_sim, const struct tally_core_cpu *cpu,
			      const struct tally_core_context *context,
			      uint64_t taken[SIM_MAX_PMUS])
{
	uint32_t nr = 0;

	tally_context_for_each (event, context) {
		nr++;
		check_event(random_sim, cpu, event);
		check_counter(random_sim, event, taken);
		if (tally_event_is_leader(event))
			check_group(random_sim, event);
		if (event->context != context)
			random_sim_fail(random_sim, "event %llu is in two contexts",
					(unsigned long long)event->id);
	}
	if (nr != context->nr_events)
		random_sim_fail(random_sim, "a context has %u events and says %u", nr,
				context->nr_events);
	return nr;
}

static void check_cpu(struct random_sim *random_sim, const struct tally_core_cpu *cpu)
{
	uint64_t taken[SIM_MAX_PMUS] = {0};

	check_context(random_sim, cpu->online ? cpu : NULL, &cpu->own, taken);
	if (cpu->of_task)
		check_context(random_sim, cpu, cpu->of_task, taken);
	if (cpu->of_task && cpu->task->context != cpu->of_task)
		random_sim_fail(random_sim, "CPU %u has not the context of its task", cpu->number);
	if (cpu->nesting)
		random_sim_fail(random_sim, "CPU %u is still writing a record", cpu->number);
}

static void check_task(struct random_sim *random_sim, struct tally_sim_task *task)
{
	const struct tally_core_task *perf = tally_sim_task_perf(task);
	const struct tally_core_context *context = perf->context;
	uint64_t taken[SIM_MAX_PMUS] = {0};

	if (context && context->on_cpu < 0)
		check_context(random_sim, NULL, context, taken);
	if (context && context->task != perf)
		random_sim_fail(random_sim, "task %d has another's context", perf->tid);
	if (context && tally_sim_task_runs(task) != (context->on_cpu >= 0))
		random_sim_fail(random_sim, "task %d and its context disagree on where they are",
				perf->tid);
}

void random_sim_check(struct random_sim *random_sim)
{
	struct tally_core *core = tally_sim_core(random_sim->sim);

	if (tally_sim_violation(random_sim->sim))
		random_sim_fail(random_sim, "%s", tally_sim_violation(random_sim->sim));
	for (uint32_t i = 0; i < core->nr_cpus; i++)
		check_cpu(random_sim, &core->cpus[i]);
	for (int i = 0; i < RANDOM_SIM_TASKS; i++) {
		if (random_sim->tasks[i] && !tally_sim_task_exited(random_sim->tasks[i]))
			check_task(random_sim, random_sim->tasks[i]);
	}
}
