/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/sched.h"

#include "core/overflow.h"
#include "core/mmap_page.h"
#include "core/state.h"

static struct tally_core_pmu_cpu *pmu_here(struct tally_core_cpu *cpu,
					   const struct tally_core_pmu *pmu)
{
	return &pmu->cpus[cpu->number];
}

/* ---- one event -------------------------------------------------------------------------- */

static int event_add(struct tally_core_cpu *cpu, struct tally_core_event *event)
{
	int ret;

	if (event->state != TALLY_STATE_INACTIVE)
		return 0;
	ret = event->pmu->add(event->pmu, &event->hw);
	if (ret)
		return ret;
	event->on_pmu = true;
	pmu_here(cpu, event->pmu)->nr_active++;
	cpu->nr_polled += tally_pmu_is_polled(event->pmu);
	return 0;
}

static void event_del(struct tally_core_cpu *cpu, struct tally_core_event *event)
{
	event->pmu->del(event->pmu, &event->hw);
	cpu->nr_polled -= tally_pmu_is_polled(event->pmu);
	event->on_pmu = false;
	pmu_here(cpu, event->pmu)->nr_active--;
}

static void event_start(struct tally_core_event *event)
{
	tally_event_set_state(event, TALLY_STATE_ACTIVE);
	tally_overflow_start(event);
	tally_page_update(event);
}

/* Take an event off its PMU. Disable the event if the overflow interrupt has used up its REFRESH
 * count. */
static void event_off(struct tally_core_cpu *cpu, struct tally_core_event *event)
{
	bool exhausted;

	if (!event->on_pmu)
		return;
	if (event->hw.running)
		event->pmu->stop(event->pmu, &event->hw);
	event_del(cpu, event);
	exhausted = event->exhausted;
	event->exhausted = false;
	tally_event_set_state(event, TALLY_STATE_INACTIVE);
	if (exhausted)
		tally_event_set_state(event, TALLY_STATE_OFF);
	tally_page_update(event);
}

/* ---- one group -------------------------------------------------------------------------- */

/* Add all members of the group, or none if one does not fit. */
static int group_add(struct tally_core_cpu *cpu, struct tally_core_event *leader,
		     struct tally_core_pmu *pmu)
{
	int ret = 0;

	if (pmu && pmu->begin)
		pmu->begin(pmu);
	tally_group_for_each (event, leader) {
		ret = event_add(cpu, event);
		if (ret)
			break;
	}
	if (pmu && pmu->begin) {
		if (ret)
			pmu->cancel(pmu);
		else
			ret = pmu->commit(pmu);
	}
	if (!ret)
		return 0;
	tally_group_for_each (event, leader) {
		if (event->on_pmu)
			event_del(cpu, event);
	}
	return ret;
}

static bool group_may_go_on(struct tally_core_cpu *cpu, struct tally_core_event *leader,
			    struct tally_core_pmu *pmu)
{
	struct tally_core_pmu_cpu *here = pmu ? pmu_here(cpu, pmu) : NULL;

	return !here || (!here->exclusive && !(leader->attr.exclusive && here->nr_active));
}

static int group_in(struct tally_core_cpu *cpu, struct tally_core_event *leader)
{
	struct tally_core_pmu *pmu = leader->group_pmu;
	int ret;

	if (!group_may_go_on(cpu, leader, pmu))
		return -EBUSY;
	ret = group_add(cpu, leader, pmu);
	if (ret)
		return ret;
	if (leader->throttled)
		tally_overflow_unthrottle(leader);
	if (pmu && pmu->pause)
		pmu->pause(pmu);
	cpu->frozen = true;
	tally_group_for_each (event, leader) {
		if (event->on_pmu)
			event_start(event);
	}
	cpu->frozen = false;
	if (pmu && pmu->pause)
		pmu->resume(pmu);
	if (pmu && leader->attr.exclusive)
		pmu_here(cpu, pmu)->exclusive = leader;
	leader->turn -= cpu->contended;
	tally_list_insert(&leader->context->active, &leader->active);
	return 0;
}

static void group_out(struct tally_core_cpu *cpu, struct tally_core_event *leader)
{
	struct tally_core_pmu *pmu = leader->group_pmu;

	if (pmu && pmu->pause)
		pmu->pause(pmu);
	cpu->frozen = true;
	tally_group_for_each (event, leader)
		event_off(cpu, event);
	cpu->frozen = false;
	if (pmu && pmu->pause)
		pmu->resume(pmu);
	if (leader->throttled)
		tally_overflow_uncount_throttled(leader);
	if (pmu && pmu_here(cpu, pmu)->exclusive == leader)
		pmu_here(cpu, pmu)->exclusive = NULL;
	leader->turn += cpu->contended;
	tally_list_remove(&leader->active);
}

/* ---- contexts --------------------------------------------------------------------------- */

static bool group_wants_in(struct tally_core_cpu *cpu, struct tally_core_event *leader)
{
	return leader->state == TALLY_STATE_INACTIVE && tally_event_matches(leader, cpu);
}

/* Put the pinned groups on the PMUs. A pinned group must always be on, so it enters the error state
 * if it does not fit. */
static void pinned_in(struct tally_core_cpu *cpu, struct tally_core_slice *slice)
{
	tally_list_for_each (link, &slice->pinned) {
		struct tally_core_event *leader =
			tally_container_of(link, struct tally_core_event, group);

		if (group_wants_in(cpu, leader) && group_in(cpu, leader)) {
			tally_event_set_state(leader, TALLY_STATE_ERROR);
			tally_overflow_defer(leader, TALLY_PENDING_WAKE);
		}
	}
}

/*
 * Put a group on its PMU if it fits. If a lone event is rejected because no counter is free, no
 * other event can be added, so the PMU is not asked again in this round. But if a larger group does
 * not fit, or all counters that an event can use are taken, later groups may still fit in the
 * remaining counters. They do not delay the group that is next in turn, as it is tried first.
 */
static void flexible_group_in(struct tally_core_cpu *cpu, struct tally_core_event *leader)
{
	struct tally_core_pmu_cpu *here = pmu_here(cpu, leader->pmu);
	int ret;

	if (!group_wants_in(cpu, leader))
		return;
	ret = here->full == cpu->round ? -ENOSPC : group_in(cpu, leader);
	if (!ret)
		return;
	leader->context->waiting = true;
	if (ret == -ENOSPC && !leader->nr_siblings)
		here->full = cpu->round;
}

/* A queue of flexible groups; the group that has waited longest is first. */
struct group_queue {
	const struct tally_list *head;
	struct tally_core_event *first; /* first group not tried yet, or NULL */
};

/* One queue each for the CPU's groups, the task's groups for any CPU, and the task's groups for
 * this CPU. */
enum { NR_GROUP_QUEUES = 3 };

static void queue_advance(struct group_queue *line, struct tally_list *link)
{
	line->first = link == line->head ? NULL
					 : tally_container_of(link, struct tally_core_event, group);
}

static uint32_t queue_begin(struct group_queue *lines, uint32_t nr,
			    const struct tally_core_slice *slice)
{
	if (tally_list_empty(&slice->flexible))
		return nr;
	lines[nr].head = &slice->flexible;
	queue_advance(&lines[nr], slice->flexible.next);
	return nr + 1;
}

/* Initialize a queue for each list of groups that is not empty. Return the number of queues. */
static uint32_t queues_begin(struct tally_core_cpu *cpu, struct group_queue *lines)
{
	struct tally_core_slice *slice;
	uint32_t nr = queue_begin(lines, 0, &cpu->own.any);

	if (!cpu->of_task)
		return nr;
	nr = queue_begin(lines, nr, &cpu->of_task->any);
	slice = tally_context_slice(cpu->of_task, cpu);
	return slice ? queue_begin(lines, nr, slice) : nr;
}

/* Return the queue with the group that has waited longest (the first queue in case of a tie), or
 * NULL if all queues are empty. */
static struct group_queue *longest_waiting(struct group_queue *lines, uint32_t nr)
{
	struct group_queue *longest = NULL;

	for (struct group_queue *line = lines; line < lines + nr; line++) {
		if (line->first &&
		    (!longest || line->first->waits_since < longest->first->waits_since))
			longest = line;
	}
	return longest;
}

/* Schedule the groups of all queues as though they were in a single queue. */
static void flexible_in(struct tally_core_cpu *cpu)
{
	struct group_queue lines[NR_GROUP_QUEUES], *line;
	uint32_t nr = queues_begin(cpu, lines);

	cpu->round += cpu->round == UINT32_MAX ? 2 : 1;
	cpu->own.waiting = false;
	if (cpu->of_task)
		cpu->of_task->waiting = false;
	while ((line = longest_waiting(lines, nr))) {
		struct tally_core_event *leader = line->first;

		flexible_group_in(cpu, leader);
		queue_advance(line, leader->group.next);
	}
}

/* ---- turns ------------------------------------------------------------------------------ */

/*
 * A group's turn lasts one tick; then the group moves to the end of the queue. A turn includes only
 * the time when the group is on and other groups are waiting. So a task's groups take turns even if
 * the task is never running when a tick occurs. And a CPU's groups, which may have been on without
 * competition while other tasks ran, give way when a task arrives with groups that have waited
 * longer.
 */
static bool anybody_waits(const struct tally_core_cpu *cpu)
{
	return cpu->own.waiting || (cpu->of_task && cpu->of_task->waiting);
}

static void count_turns(struct tally_core_cpu *cpu, uint64_t now)
{
	if (anybody_waits(cpu) && now > cpu->turns_stamp)
		cpu->contended += now - cpu->turns_stamp;
	cpu->turns_stamp = now;
}

/* Move groups that have had a turn of at least `ns` to the end of the queue, keeping their order.
 * As waiting groups then come first, the shares of equal groups never differ by more than one tick.
 * Return true if any group was moved. */
static bool end_turns(const struct tally_core_cpu *cpu, struct tally_core_context *context,
		      uint64_t ns, uint64_t now)
{
	bool any = false;

	if (tally_load_relaxed(&context->is_forking))
		return false;
	tally_list_for_each (link, &context->active) {
		struct tally_core_event *leader =
			tally_container_of(link, struct tally_core_event, active);

		if (leader->attr.pinned || leader->turn + cpu->contended < ns)
			continue;
		leader->waits_since = now;
		leader->turn = 0 - cpu->contended;
		tally_list_remove(&leader->group);
		tally_list_insert(&tally_event_slice(leader)->flexible, &leader->group);
		any = true;
	}
	return any;
}

/* Return the context's group that has waited longest for this CPU, or NULL if the context has no
 * flexible groups for it. */
static const struct tally_core_event *first_waiting(const struct tally_core_cpu *cpu,
						    struct tally_core_context *context)
{
	struct tally_core_slice *slices[] = {&context->any, tally_context_slice(context, cpu)};
	const struct tally_core_event *first = NULL;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(slices); i++) {
		const struct tally_core_event *leader;

		if (!slices[i] || tally_list_empty(&slices[i]->flexible))
			continue;
		leader = tally_container_of(slices[i]->flexible.next, struct tally_core_event,
					    group);
		if (!first || leader->waits_since < first->waits_since)
			first = leader;
	}
	return first;
}

/* Return true if one of the CPU's own groups is on out of turn, that is, if `context`, which is
 * being put on the CPU, has a group that did not fit last time and has waited longer. */
static bool out_of_turn(const struct tally_core_cpu *cpu, struct tally_core_context *context)
{
	const struct tally_core_event *waits =
		context->waiting ? first_waiting(cpu, context) : NULL;

	if (!waits)
		return false;
	tally_list_for_each (link, &cpu->own.active) {
		const struct tally_core_event *leader =
			tally_container_of(link, struct tally_core_event, active);

		if (!leader->attr.pinned && leader->waits_since > waits->waits_since)
			return true;
	}
	return false;
}

/* ---- contexts on and off --------------------------------------------------------------- */

static void advance(struct tally_core_cpu *cpu, uint64_t now)
{
	count_turns(cpu, now);
	tally_context_advance(&cpu->own, now);
	if (cpu->of_task)
		tally_context_advance(cpu->of_task, now);
}

void tally_sched_in(struct tally_core_cpu *cpu, uint64_t now)
{
	struct tally_core_slice *slice;

	if (!cpu->online)
		return;
	advance(cpu, now);
	pinned_in(cpu, &cpu->own.any);
	if (cpu->of_task)
		pinned_in(cpu, &cpu->of_task->any);
	slice = cpu->of_task ? tally_context_slice(cpu->of_task, cpu) : NULL;
	if (slice)
		pinned_in(cpu, slice);
	flexible_in(cpu);
}

void tally_sched_fill(struct tally_core_cpu *cpu, uint64_t now)
{
	if (!cpu->online || (!cpu->own.waiting && !(cpu->of_task && cpu->of_task->waiting)))
		return;
	advance(cpu, now);
	flexible_in(cpu);
}

static void context_off(struct tally_core_cpu *cpu, struct tally_core_context *context,
			bool pinned_too, uint64_t now)
{
	struct tally_list *link = context->active.next;

	tally_context_advance(context, now);
	while (link != &context->active) {
		struct tally_core_event *leader =
			tally_container_of(link, struct tally_core_event, active);

		link = link->next;
		if (pinned_too || !leader->attr.pinned)
			group_out(cpu, leader);
	}
}

void tally_sched_out(struct tally_core_cpu *cpu, struct tally_core_context *context, uint64_t now)
{
	context_off(cpu, context, true, now);
}

static void flexible_out(struct tally_core_cpu *cpu, struct tally_core_context *context,
			 uint64_t now)
{
	context_off(cpu, context, false, now);
}

static bool has_pinned(const struct tally_core_cpu *cpu, struct tally_core_context *context)
{
	const struct tally_core_slice *slice = tally_context_slice(context, cpu);

	return !tally_list_empty(&context->any.pinned) ||
	       (slice && !tally_list_empty(&slice->pinned));
}

void tally_sched_back_in(struct tally_core_cpu *cpu, struct tally_core_context *context,
			 uint64_t now)
{
	/* Pinned groups take precedence over flexible groups, whichever context they are in. */
	if (has_pinned(cpu, context) || out_of_turn(cpu, context))
		flexible_out(cpu, &cpu->own, now);
	tally_sched_in(cpu, now);
}

void tally_sched_context_in(struct tally_core_cpu *cpu, struct tally_core_context *context,
			    uint64_t now)
{
	tally_spin_lock(&context->lock, cpu->core->ops, cpu->core->host);
	tally_context_begin_time(context, now);
	tally_store_relaxed(&context->on_cpu, (int32_t)cpu->number);
	tally_spin_unlock(&context->lock);
	count_turns(cpu, now);
	cpu->of_task = context;
	tally_sched_back_in(cpu, context, now);
	tally_overflow_send_due_traps(context);
}

void tally_sched_context_out(struct tally_core_cpu *cpu, struct tally_core_context *context,
			     uint64_t now)
{
	uint64_t tick = cpu->core->settings.tick_ns;

	count_turns(cpu, now);
	if (anybody_waits(cpu)) {
		end_turns(cpu, context, tick, now);
		end_turns(cpu, &cpu->own, tick, now);
	}
	tally_sched_out(cpu, context, now);
	cpu->of_task = NULL;
	tally_spin_lock(&context->lock, cpu->core->ops, cpu->core->host);
	tally_store_relaxed(&context->on_cpu, -1);
	tally_spin_unlock(&context->lock);
}

/* ---- rotation --------------------------------------------------------------------------- */

void tally_sched_rotate(struct tally_core_cpu *cpu, uint64_t now)
{
	/* Half a tick is enough for a turn, as ticks are not perfectly regular. */
	uint64_t half = cpu->core->settings.tick_ns / 2;
	bool over;

	count_turns(cpu, now);
	if (!anybody_waits(cpu))
		return;
	over = end_turns(cpu, &cpu->own, half, now);
	if (cpu->of_task)
		over |= end_turns(cpu, cpu->of_task, half, now);
	if (!over)
		return;
	flexible_out(cpu, &cpu->own, now);
	if (cpu->of_task)
		flexible_out(cpu, cpu->of_task, now);
	tally_sched_in(cpu, now);
}

/* ---- single events ---------------------------------------------------------------------- */

static void reschedule_for_pinned(struct tally_core_cpu *cpu, uint64_t now)
{
	if (cpu->of_task)
		flexible_out(cpu, cpu->of_task, now);
	flexible_out(cpu, &cpu->own, now);
	tally_sched_in(cpu, now);
}

static void enable_leader(struct tally_core_cpu *cpu, struct tally_core_event *leader, uint64_t now)
{
	if (!group_wants_in(cpu, leader))
		return;
	if (leader->attr.pinned)
		reschedule_for_pinned(cpu, now);
	else if (group_in(cpu, leader))
		leader->context->waiting = true;
}

void tally_sched_enable(struct tally_core_cpu *cpu, struct tally_core_event *event, uint64_t now)
{
	struct tally_core_event *leader = event->leader;

	if (!cpu->online)
		return;
	advance(cpu, now);
	/* The group has a new member, so it must be taken off and put on again as a whole. */
	if (event != leader && leader->state == TALLY_STATE_ACTIVE)
		group_out(cpu, leader);
	enable_leader(cpu, leader, now);
}

void tally_sched_disable(struct tally_core_cpu *cpu, struct tally_core_event *event, uint64_t now)
{
	advance(cpu, now);
	if (event->state != TALLY_STATE_ACTIVE)
		return;
	if (tally_event_is_leader(event)) {
		group_out(cpu, event);
		return;
	}
	cpu->frozen = true;
	event_off(cpu, event);
	cpu->frozen = false;
}
