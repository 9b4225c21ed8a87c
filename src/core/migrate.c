/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Migrate events on PMUs that count for several CPUs. Such an event is on the CPU that the PMU
 * designates. When that CPU goes offline, the event migrates to the CPU that the PMU designates
 * next.
 *
 * These events belong to a separate family, core->movers, whichever CPU's context they are in.
 * While core->movers is locked, no event migrates, so a migration never interferes with another
 * operation. The CPU that a group leaves is offline, so the group is not on a counter. The whole
 * group is added to its new CPU at once, with interrupts off.
 */
#include "core/migrate.h"

#include "core/context.h"
#include "core/event.h"
#include "core/family.h"
#include "core/sched.h"
#include "core/state.h"

#if TALLY_CORE_SEVERAL_CPUS

int tally_migrate_init(struct tally_core *core)
{
	core->movers = tally_family_new(core);
	return core->movers ? 0 : -ENOMEM;
}

void tally_migrate_exit(struct tally_core *core)
{
	tally_family_put(core->movers);
}

int32_t tally_migrate_target(struct tally_core *core, struct tally_core_pmu *pmu, uint32_t cpu)
{
	int32_t to = pmu->cpu_of(pmu, cpu);

	/* The CPU may have gone offline since it was designated. */
	if (!tally_core_cpu_is_online(core, (uint32_t)to))
		to = pmu->cpu_of(pmu, cpu);
	return tally_core_cpu_is_online(core, (uint32_t)to) ? to : -1;
}

struct move {
	struct tally_core_event *leader;
	struct tally_core_cpu *to;
	bool departed;
};

/* Remove the group from the old CPU's context. If the old CPU is online again, it keeps the
 * group. */
static void depart_here(struct tally_core_cpu *cpu, struct tally_core_context *context, void *arg)
{
	struct move *move = arg;

	if (cpu)
		return;
	tally_group_for_each (member, move->leader)
		tally_context_unlink_event(member);
	move->departed = true;
}

static void member_arrive(struct tally_core_event *event, struct tally_core_cpu *to)
{
	struct tally_core_context *from = event->context;

	tally_store_relaxed(&event->cpu, (int32_t)to->number);
	event->hw.cpu = (int32_t)to->number;
	tally_context_get(&to->own);
	tally_store_release(&event->context, &to->own);
	tally_context_put(from); /* a CPU's context always has another reference */
	tally_context_link_event(event);
}

static void arrive_here(struct tally_core_cpu *cpu, struct tally_core_context *context, void *arg)
{
	const struct move *move = arg;
	uint64_t now = tally_clock(context->core);

	tally_context_advance(context, now);
	tally_group_for_each (member, move->leader)
		member_arrive(member, move->to);
	if (cpu)
		tally_sched_enable(cpu, move->leader, now);
}

void tally_migrate_group(struct tally_core_event *leader)
{
	struct tally_core *core = leader->core;
	struct move move = {leader, NULL, false};
	int32_t cpu;

	if (tally_load_relaxed(&leader->state) <= TALLY_STATE_EXIT ||
	    tally_core_cpu_is_online(core, (uint32_t)leader->cpu))
		return;
	cpu = tally_migrate_target(core, leader->pmu, (uint32_t)leader->cpu);
	if (cpu < 0)
		return;
	move.to = &core->cpus[cpu];
	tally_context_run(leader->context, depart_here, &move);
	if (move.departed)
		tally_context_run(&move.to->own, arrive_here, &move);
}

void tally_migrate_event(struct tally_core_event *event)
{
	if (!event->moves)
		return;
	tally_event_lock(event);
	tally_migrate_group(event->leader);
	tally_event_unlock(event);
}

void tally_migrate(struct tally_core *core)
{
	struct tally_core_event *event = tally_core_event_next(core, NULL);
	uint64_t last = tally_load_relaxed(&core->last_id);

	/* Events listed later are migrated when they are opened; see open.c. */
	while (event && event->id <= last) {
		tally_migrate_event(event);
		event = tally_core_event_next(core, event);
	}
	tally_core_event_put(event);
}

#endif
