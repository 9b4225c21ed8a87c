/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events of PMUs that count for several CPUs, when the one that counts goes off line: they go to
 * the one that the PMU names then.
 *
 * No two families are locked at once. So a group leaves its CPU, which is off line, under that
 * one's family and is in no context's lists until it gets to the other under that one's: disabled,
 * and marked as moving. What is done to it in between is done to a disabled event, and remembered
 * where it matters (`resume`); one that is closed in between does not arrive.
 */
#include "core/migrate.h"

#include "core/context.h"
#include "core/event.h"
#include "core/family.h"
#include "core/sched.h"
#include "core/state.h"

#if TALLY_CORE_SEVERAL_CPUS

/* With the family's lock, under which alone an event ends. */
static bool is_moved_leader(const struct tally_core_event *event)
{
	return event->moves && tally_event_is_leader(event) &&
	       tally_load_relaxed(&event->state) > TALLY_STATE_EXIT;
}

/* ---- leaving ---------------------------------------------------------------------------- */

struct departure {
	struct tally_core_event *leader;
	struct tally_core_cpu *to;
};

static void member_depart(struct tally_core_event *event, struct tally_core_cpu *to)
{
	event->resume = event->state >= TALLY_STATE_INACTIVE;
	event->moving = true;
	if (event->resume)
		tally_event_set_state(event, TALLY_STATE_OFF);
	tally_context_take(event);
	event->cpu = event->hw.cpu = (int32_t)to->number;
	tally_context_get(&to->own);
	tally_context_put(event->context); /* a CPU's, which keeps one of its own */
	tally_store_release(&event->context, &to->own);
}

static void depart_here(struct tally_core_cpu *cpu, struct tally_core_context *context, void *arg)
{
	const struct departure *departure = arg;

	tally_group_for_each (member, departure->leader)
		member_depart(member, departure->to);
}

/* With the family's lock. */
static void group_depart(struct tally_core_event *leader, uint32_t from)
{
	struct tally_core *core = leader->core;
	struct departure departure = {leader, NULL};
	int32_t to;

	if (!is_moved_leader(leader) || leader->cpu != (int32_t)from)
		return;
	to = leader->pmu->cpu_of(leader->pmu, from);
	if (to < 0 || (uint32_t)to >= core->nr_cpus || (uint32_t)to == from)
		return;
	departure.to = &core->cpus[to];
	tally_context_run(leader->context, depart_here, &departure);
}

/* ---- arriving --------------------------------------------------------------------------- */

static void member_arrive(struct tally_core_event *event)
{
	if (!event->moving)
		return;
	event->moving = false;
	tally_context_bring(event);
	if (event->resume && event->state == TALLY_STATE_OFF)
		tally_event_set_state(event, TALLY_STATE_INACTIVE);
	event->resume = false;
}

static void arrive_here(struct tally_core_cpu *cpu, struct tally_core_context *context, void *arg)
{
	struct tally_core_event *leader = arg;

	tally_context_advance(context, tally_clock(context->core));
	tally_group_for_each (member, leader)
		member_arrive(member);
	if (cpu)
		tally_sched_enable(cpu, leader, tally_clock(context->core));
}

/* With the family's lock. */
static void group_arrive(struct tally_core_event *leader)
{
	if (is_moved_leader(leader) && leader->moving)
		tally_context_run(leader->context, arrive_here, leader);
}

/* ---- both ------------------------------------------------------------------------------- */

void tally_migrate(struct tally_core *core, uint32_t from)
{
	struct tally_core_event *event = NULL;

	while ((event = tally_core_event_next(core, event))) {
		struct tally_core_family *family;

		tally_event_lock(event);
		family = event->context->family; /* it is another one's afterwards */
		group_depart(event, from);
		tally_family_unlock(family);
	}
	while ((event = tally_core_event_next(core, event))) {
		tally_event_lock(event);
		group_arrive(event);
		tally_event_unlock(event);
	}
}

#endif
