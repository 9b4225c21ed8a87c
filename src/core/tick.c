/* SPDX-License-Identifier: BSD-2-Clause */
/* Work done at each tick. */
#include "core/frequency.h"
#include "core/overflow.h"
#include "core/sched.h"
#include "core/state.h"

static void tick_event(struct tally_core_cpu *cpu, struct tally_core_event *event, uint64_t now)
{
	if (tally_event_has_frequency(event)) {
		tally_frequency_tick(event, now);
	} else if (tally_pmu_is_polled(event->pmu) && event->hw.running) {
		event->pmu->read(event->pmu, &event->hw);
	}
}

/* Resume a throttled group as a whole. */
static void group_resume(struct tally_core_event *leader)
{
	struct tally_core_pmu *pmu = leader->group_pmu;

	tally_overflow_uncount_throttled(leader);
	tally_overflow_unthrottle(leader);
	if (pmu && pmu->pause)
		pmu->pause(pmu);
	tally_group_for_each (event, leader) {
		if (event->state == TALLY_STATE_ACTIVE && !event->hw.running)
			tally_overflow_start(event);
	}
	if (pmu && pmu->pause)
		pmu->resume(pmu);
}

static void group_tick(struct tally_core_cpu *cpu, struct tally_core_event *leader, uint64_t now)
{
	if (leader->throttled) {
		group_resume(leader);
		return;
	}
	tally_group_for_each (event, leader) {
		if (event->state == TALLY_STATE_ACTIVE)
			tick_event(cpu, event, now);
	}
}

static void serve_context(struct tally_core_cpu *cpu, struct tally_core_context *context,
			  uint64_t now)
{
	tally_list_for_each (link, &context->active)
		group_tick(cpu, tally_container_of(link, struct tally_core_event, active), now);
}

void tally_core_watched_tick(struct tally_core *core,
			     const struct tally_core_sample_data *sample_data)
{
	struct tally_core_cpu *cpu = tally_this_cpu(core);
	struct tally_core_context *of_task = cpu->of_task;
	uint64_t now = tally_clock(core);
	bool all = tally_load_relaxed(&cpu->nr_throttled) || cpu->nr_polled;

	cpu->tick++;
	if (all || cpu->own.nr_freq)
		serve_context(cpu, &cpu->own, now);
	if (of_task && (all || of_task->nr_freq))
		serve_context(cpu, of_task, now);
	if (of_task)
		tally_overflow_send_due_traps(of_task);
	tally_sched_rotate(cpu, now);
}
