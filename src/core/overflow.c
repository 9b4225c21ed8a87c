/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/overflow.h"

#include "core/control.h"
#include "core/frequency.h"
#include "core/ref.h"
#include "core/core_sample.h"
#include "core/sideband.h"

/* ---- throttling ------------------------------------------------------------------------- */

bool tally_overflow_beyond_share(const struct tally_core *core, uint32_t nr)
{
	uint64_t share = (uint64_t)tally_load_relaxed(&core->settings.max_sample_rate) *
			 core->settings.tick_ns;

	return nr > 1 && (nr - 1) * TALLY_NS_PER_S >= share;
}

/* Stop all members except `event`, which its driver leaves stopped. An NMI may interrupt the
 * removal of a member. The member's links may then point anywhere in the list or to the member
 * itself, so visit at most as many members as there are. */
static void stop_others(struct tally_core_event *leader, const struct tally_core_event *event)
{
	uint32_t nr = leader->nr_siblings + 1;

	tally_group_for_each (member, leader) {
		if (!nr--)
			break;
		if (member != event && member->hw.running)
			member->pmu->stop(member->pmu, &member->hw);
	}
}

static void throttle_group(struct tally_core_cpu *cpu, struct tally_core_event *event)
{
	struct tally_core_event *leader = event->leader;

	/* The interrupt of another member may already have throttled the group. */
	if (!tally_exchange(&leader->throttled, true)) {
		tally_count_up_u32(&cpu->nr_throttled);
		tally_sideband_throttle(leader, true);
	}
	stop_others(leader, event);
}

static bool too_many(struct tally_core_cpu *cpu, struct tally_core_event *event)
{
	if (event->tick != cpu->tick) {
		event->tick = cpu->tick;
		event->interrupts = 0;
	}
	if (!tally_overflow_beyond_share(event->core, ++event->interrupts))
		return false;
	throttle_group(cpu, event);
	return true;
}

void tally_overflow_unthrottle(struct tally_core_event *leader)
{
	tally_group_for_each (event, leader)
		event->interrupts = 0;
	tally_store_relaxed(&leader->throttled, false);
	tally_sideband_throttle(leader, false);
}

void tally_overflow_uncount_throttled(struct tally_core_event *leader)
{
	tally_fetch_add(&tally_this_cpu(leader->core)->nr_throttled, UINT32_MAX);
}

/* ---- deferring work --------------------------------------------------------------------- */

void tally_overflow_defer(struct tally_core_event *event, uint32_t pending)
{
	struct tally_core *core = event->core;
	struct tally_core_cpu *cpu = tally_this_cpu(core);

	/* The caller that sets the first bit pushes the event onto this CPU's stack. Otherwise, the
	 * event is already on some CPU's stack. A CPU other than the event's CPU skips the work
	 * that must be done on the event's CPU, so record that this CPU must do that work. */
	if (tally_fetch_or(&event->pending, pending)) {
		if (pending & (TALLY_PENDING_HUP | TALLY_PENDING_TRAP)) {
			tally_store_relaxed(&cpu->missed, true);
			core->ops->defer(core->host);
		}
		return;
	}
	tally_store_relaxed(&event->stacked_on, cpu->number);
	tally_ref_get(&event->stacked);
	event->pending_next = tally_load_relaxed(&cpu->pending);
	while (!tally_compare_exchange(&cpu->pending, &event->pending_next, event))
		;
	core->ops->defer(core->host);
}

#if TALLY_CORE_TRAPS

/* ---- traps ------------------------------------------------------------------------------ */

/*
 * A trap is sent to the task of the event that overflowed. If the task leaves the CPU before that,
 * the trap is sent when the task runs again. If the event excludes the kernel, the address is
 * hidden unless user code was interrupted.
 */
static void trap_set_due(struct tally_core_event *event,
			 const struct tally_core_sample_data *sample_data)
{
	bool hidden = event->attr.exclude_kernel && sample_data->mode != PERF_RECORD_MISC_USER &&
		      sample_data->mode != PERF_RECORD_MISC_GUEST_USER;

	tally_store_relaxed(&event->trap_addr, hidden ? 0 : sample_data->addr);
	if (!tally_exchange(&event->trap_due, true))
		tally_fetch_add(&event->context->traps_due, 1);
}

static bool trap_clear_due(struct tally_core_event *event)
{
	bool due = tally_exchange(&event->trap_due, false);

	if (due)
		tally_fetch_add(&event->context->traps_due, UINT32_MAX);
	return due;
}

static void trap(struct tally_core_cpu *cpu, struct tally_core_event *event)
{
	struct tally_core_context *context = event->context;
	struct tally_core *core = event->core;

	if (tally_load_relaxed(&context->on_cpu) != (int32_t)cpu->number || !cpu->task ||
	    context->task != cpu->task)
		return;
	if (trap_clear_due(event))
		core->ops->sigtrap(core->host, cpu->task, tally_load_relaxed(&event->trap_addr),
				   event->attr.type, event->attr.sig_data);
}

void tally_overflow_send_traps(struct tally_core_context *context)
{
	tally_context_for_each (event, context) {
		if (tally_load_relaxed(&event->trap_due))
			tally_overflow_defer(event, TALLY_PENDING_TRAP);
	}
}

void tally_overflow_drop_trap(struct tally_core_event *event)
{
	trap_clear_due(event);
}

static void trap_all(struct tally_core_cpu *cpu)
{
	if (!cpu->of_task || !tally_load_relaxed(&cpu->of_task->traps_due))
		return;
	tally_context_for_each (event, cpu->of_task) {
		if (tally_load_relaxed(&event->trap_due))
			trap(cpu, event);
	}
}

#else

static void trap_set_due(struct tally_core_event *event,
			 const struct tally_core_sample_data *sample_data)
{
}

static void trap(struct tally_core_cpu *cpu, struct tally_core_event *event)
{
}

static void trap_all(struct tally_core_cpu *cpu)
{
}

#endif

/* ---- running deferred work -------------------------------------------------------------- */

static void run_pending(struct tally_core_cpu *cpu, struct tally_core_event *event)
{
	uint32_t pending = tally_exchange(&event->pending, 0);

	if (pending & TALLY_PENDING_HUP)
		tally_control_exhausted(cpu, event);
	if (TALLY_CORE_TRAPS && pending & TALLY_PENDING_TRAP)
		trap(cpu, event);
	if (pending & (TALLY_PENDING_WAKE | TALLY_PENDING_HUP))
		tally_control_wake(event, pending & TALLY_PENDING_HUP ? TALLY_CORE_POLLHUP
								      : TALLY_CORE_POLLIN);
}

void tally_core_deferred(struct tally_core *core)
{
	struct tally_core_cpu *cpu = tally_this_cpu(core);
	struct tally_core_event *event = tally_exchange(&cpu->pending, NULL);

	while (event) {
		struct tally_core_event *next = event->pending_next;

		run_pending(cpu, event);
		tally_ref_put(&event->stacked); /* the event may be freed from now on */
		event = next;
	}
	if (tally_exchange(&cpu->missed, false)) {
		tally_control_exhausted_all(cpu);
		trap_all(cpu);
	}
}

/* ---- the overflow ----------------------------------------------------------------------- */

/* Count down the IOC_REFRESH limit. Return true if this was the last overflow. The limit belongs to
 * a single opened event: REFRESH is rejected for events with attr.inherit. */
static bool limit_reached(struct tally_core_event *event)
{
	int32_t limit = tally_load_relaxed(&event->limit);

	while (limit > 0) {
		if (tally_compare_exchange(&event->limit, &limit, limit - 1))
			return limit == 1;
	}
	return false;
}

bool tally_overflow(struct tally_core_event *event,
		    const struct tally_core_sample_data *sample_data, const struct tally_bytes *raw,
		    bool throttle)
{
	bool go_on = !throttle || !too_many(tally_this_cpu(event->core), event);
	uint32_t pending = 0;

	if (tally_event_has_frequency(event))
		tally_frequency_sample(event);
	if (limit_reached(event)) {
		tally_store_relaxed(&event->exhausted, true);
		pending |= TALLY_PENDING_HUP;
		go_on = false;
	}
	if (TALLY_CORE_TRAPS && event->attr.sigtrap) {
		trap_set_due(event, sample_data);
		pending |= TALLY_PENDING_TRAP;
	}
	if (event->overflow)
		event->overflow(tally_event_root(event), sample_data, event->overflow_arg);
	else if (tally_sample_write(event, sample_data, raw))
		tally_overflow_defer(tally_event_root(event), TALLY_PENDING_WAKE);
	if (pending)
		tally_overflow_defer(event, pending);
	return go_on;
}
