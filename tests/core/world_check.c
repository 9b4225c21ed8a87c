/* SPDX-License-Identifier: BSD-2-Clause */
/* What must hold at any time, by the core's own objects. */
#include "core/private.h"
#include "core/world.h"

static void check_event(struct world *world, const struct tally_core_cpu *cpu,
			const struct tally_core_event *event)
{
	bool active = event->state == TALLY_STATE_ACTIVE;

	if (event->running > event->enabled)
		world_fail(world, "event %llu ran longer than it was enabled",
			   (unsigned long long)event->id);
	if (active != event->on_pmu)
		world_fail(world, "event %llu is %s its PMU in state %d",
			   (unsigned long long)event->id, event->on_pmu ? "on" : "off",
			   event->state);
	if (active && !(cpu && tally_event_matches(event, cpu)))
		world_fail(world, "event %llu is on where it must not be",
			   (unsigned long long)event->id);
	if (active && event->leader->state != TALLY_STATE_ACTIVE)
		world_fail(world, "event %llu is on without its leader",
			   (unsigned long long)event->id);
}

/* Whole or absent: of a group that is on, every member that is enabled is on. */
static void check_group(struct world *world, struct tally_core_event *leader)
{
	tally_group_for_each (event, leader) {
		if (leader->state == TALLY_STATE_ACTIVE && event->state == TALLY_STATE_INACTIVE)
			world_fail(world, "event %llu is missing from its group",
				   (unsigned long long)event->id);
	}
}

/* No counter twice. */
static void check_counter(struct world *world, const struct tally_core_event *event,
			  uint64_t taken[TALLY_CORE_MAX_PMUS])
{
	uint64_t bit = UINT64_C(1) << (event->hw.index & 63);

	if (!event->on_pmu || tally_event_is_software(event))
		return;
	if (event->hw.index < 0 || taken[event->pmu->number] & bit)
		world_fail(world, "event %llu is on counter %d, which is taken",
			   (unsigned long long)event->id, event->hw.index);
	taken[event->pmu->number] |= bit;
}

static uint32_t check_context(struct world *world, const struct tally_core_cpu *cpu,
			      const struct tally_core_context *context,
			      uint64_t taken[TALLY_CORE_MAX_PMUS])
{
	uint32_t nr = 0;

	tally_list_for_each (link, &context->events) {
		struct tally_core_event *event =
			tally_container_of(link, struct tally_core_event, all);

		nr++;
		check_event(world, cpu, event);
		check_counter(world, event, taken);
		if (tally_event_is_leader(event))
			check_group(world, event);
		if (event->context != context)
			world_fail(world, "event %llu is in two contexts",
				   (unsigned long long)event->id);
	}
	if (nr != context->nr_events)
		world_fail(world, "a context has %u events and says %u", nr, context->nr_events);
	return nr;
}

static void check_cpu(struct world *world, const struct tally_core_cpu *cpu)
{
	uint64_t taken[TALLY_CORE_MAX_PMUS] = {0};

	check_context(world, cpu->online ? cpu : NULL, &cpu->own, taken);
	if (cpu->of_task)
		check_context(world, cpu, cpu->of_task, taken);
	if (cpu->of_task && cpu->task->context != cpu->of_task)
		world_fail(world, "CPU %u has not the context of its task", cpu->number);
	if (cpu->nesting)
		world_fail(world, "CPU %u is still writing a record", cpu->number);
}

static void check_task(struct world *world, struct tally_sim_task *task)
{
	const struct tally_core_task *perf = tally_sim_task_perf(task);
	const struct tally_core_context *context = perf->context;
	uint64_t taken[TALLY_CORE_MAX_PMUS] = {0};

	if (context && context->on_cpu < 0)
		check_context(world, NULL, context, taken);
	if (context && context->task != perf)
		world_fail(world, "task %d has another's context", perf->tid);
	if (context && tally_sim_task_runs(task) != (context->on_cpu >= 0))
		world_fail(world, "task %d and its context disagree on where they are", perf->tid);
}

void world_check(struct world *world)
{
	struct tally_core *core = tally_sim_core(world->sim);

	if (tally_sim_violation(world->sim))
		world_fail(world, "%s", tally_sim_violation(world->sim));
	for (uint32_t i = 0; i < core->nr_cpus; i++)
		check_cpu(world, &core->cpus[i]);
	for (int i = 0; i < WORLD_TASKS; i++) {
		if (world->tasks[i] && !tally_sim_task_exited(world->tasks[i]))
			check_task(world, world->tasks[i]);
	}
}
