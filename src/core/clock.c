/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cpu-clock and task-clock, which count nanoseconds. The host's timer is their overflow interrupt,
 * so these events allow sampling without a hardware PMU.
 */
#include "core/output.h"
#include "core/overflow.h"
#include "core/software.h"
#include "core/state.h"

/* ---- deadlines: one heap for each context ----------------------------------------------- */

static struct tally_core_event *first_due(const struct tally_clocks *clocks)
{
	if (!clocks->due.least)
		return NULL;
	return tally_container_of(clocks->due.least, struct tally_core_event, due);
}

/* Return the next deadline. If the share is used up, the deadline is no earlier than the start of
 * the next share; see may_serve(). */
static uint64_t due_at(const struct tally_clocks *clocks)
{
	const struct tally_core_event *first = first_due(clocks);

	return first ? TALLY_MAX(first->due.key, clocks->held) : UINT64_MAX;
}

static void set_timer(struct tally_core_cpu *cpu)
{
	uint64_t at = due_at(&cpu->own.clocks);

	if (cpu->of_task)
		at = TALLY_MIN(at, due_at(&cpu->of_task->clocks));
	cpu->core->ops->timer(cpu->core->host, at);
}

static void queue(struct tally_core_cpu *cpu, struct tally_core_event *event)
{
	struct tally_heap *heap = &event->context->clocks.due;

	tally_heap_add(heap, &event->due);
	if (heap->least == &event->due)
		set_timer(cpu);
}

static void unqueue(struct tally_core_cpu *cpu, struct tally_core_event *event)
{
	struct tally_heap *heap = &event->context->clocks.due;
	bool first = heap->least == &event->due;

	tally_heap_remove(heap, &event->due);
	if (first)
		set_timer(cpu);
}

static uint64_t interval(const struct tally_core_event *event)
{
	return TALLY_MAX(event->hw.period, (uint64_t)TALLY_CORE_MIN_CLOCK);
}

/*
 * Return the counter's value. Clocks count their context's time, as time_running does. Both
 * therefore start and stop at the same time, when the context is put on or taken off a CPU, rather
 * than a few instructions later, when the clock event itself starts or stops.
 */
static uint64_t clock_counter(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	const struct tally_core_context *context = tally_event_of_hw(hw)->context;

	if (tally_this_cpu(pmu->owner)->frozen)
		return context->time;
	return tally_context_time(context, tally_clock(pmu->owner));
}

/* Return the host time at which the event's count was last updated. */
static uint64_t folded_at(const struct tally_core_event *event)
{
	return tally_load_relaxed(&event->hw.previous) - event->context->offset;
}

/* ---- the timer -------------------------------------------------------------------------- */

static bool wants_sample(const struct tally_core_event *event,
			 const struct tally_core_sample_data *sample_data)
{
	return !tally_software_excludes(&event->attr, sample_data) &&
	       !(event->attr.exclude_idle && sample_data->idle);
}

/*
 * Check whether another sample may be taken now. Opening many clock events must not monopolize the
 * CPU. Every event of another kind has its own share of max_sample_rate, but all of a task's clocks
 * have a single share, as do all of a CPU's clocks. A task that uses up its share does not reduce
 * the share of the CPU or of the next task. Its clocks must then wait for the next share, which
 * begins one tick later, even if that tick does not occur. The clock that has been due longest is
 * served first.
 */
static bool may_serve(const struct tally_core *core, struct tally_clocks *clocks, uint64_t now)
{
	uint32_t tick = core->settings.tick_ns;

	if (now - clocks->since >= tick) {
		clocks->since = now;
		clocks->served = 0;
	}
	if (!tally_overflow_beyond_share(core, ++clocks->served))
		return true;
	clocks->held = clocks->since + tick;
	return false;
}

/* Take a sample. Missed deadlines are skipped. If the deadlines were missed because the share was
 * used up, their samples are counted as lost. */
static bool take_sample(struct tally_core_event *event,
			const struct tally_core_sample_data *sample_data, uint64_t missed)
{
	if (!wants_sample(event, sample_data))
		return true;
	if (missed && event->due.key < event->context->clocks.held)
		tally_output_count_lost(event, missed);
	tally_core_hw_fold(event->pmu, &event->hw, clock_counter);
	return tally_overflow(event, sample_data, NULL, true);
}

static void timer_expire(struct tally_core_cpu *cpu, struct tally_core_event *event,
			 const struct tally_core_sample_data *sample_data, uint64_t now)
{
	uint64_t step = interval(event), missed;

	if (!event->hw.running)
		return;
	missed = tally_div(now - event->due.key, step);
	event->hw.last_period = event->hw.period;
	if (!take_sample(event, sample_data, missed)) {
		event->pmu->stop(event->pmu, &event->hw);
		return;
	}
	event->due.key += (missed + 1) * step;
	queue(cpu, event);
}

static void serve(struct tally_core_cpu *cpu, struct tally_clocks *clocks,
		  const struct tally_core_sample_data *sample_data, uint64_t now)
{
	struct tally_core_event *event = first_due(clocks);

	while (event && event->due.key <= now && may_serve(cpu->core, clocks, now)) {
		tally_heap_remove(&clocks->due, &event->due);
		timer_expire(cpu, event, sample_data, now);
		event = first_due(clocks);
	}
}

void tally_core_timer(struct tally_core *core, const struct tally_core_sample_data *sample_data)
{
	struct tally_core_cpu *cpu = tally_this_cpu(core);
	uint64_t now = tally_clock(core);

	serve(cpu, &cpu->own.clocks, sample_data, now);
	if (cpu->of_task)
		serve(cpu, &cpu->of_task->clocks, sample_data, now);
	if (core->ops->timer)
		set_timer(cpu);
}

/* ---- the PMUs --------------------------------------------------------------------------- */

/* Convert a frequency to a period. For a clock, the period can be computed rather than
 * estimated. */
static void fix_period(struct tally_core_event *event)
{
	struct perf_event_attr *attr = &event->attr;

	if (!attr->freq || !attr->sample_freq)
		return;
	attr->sample_period = TALLY_MAX(tally_div(TALLY_NS_PER_S, attr->sample_freq), 1);
	attr->freq = 0;
}

static int clock_init(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	uint64_t mine =
		pmu == &pmu->owner->cpu_clock ? PERF_COUNT_SW_CPU_CLOCK : PERF_COUNT_SW_TASK_CLOCK;

	if (hw->attr->config != mine)
		return -ENOENT;
	if (hw->attr->sample_type & PERF_SAMPLE_BRANCH_STACK)
		return -EOPNOTSUPP;
	hw->width = 64;
	fix_period(tally_event_of_hw(hw));
	return 0;
}

static int clock_add(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	return 0;
}

static void clock_del(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	struct tally_core_event *event = tally_event_of_hw(hw);

	if (tally_heap_has(&event->due))
		unqueue(tally_this_cpu(pmu->owner), event);
}

static void clock_start(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	struct tally_core_event *event = tally_event_of_hw(hw);

	tally_store_relaxed(&hw->previous, clock_counter(pmu, hw));
	hw->running = true;
	if (!hw->period)
		return;
	if (tally_heap_has(&event->due))
		unqueue(tally_this_cpu(pmu->owner), event);
	if (hw->left <= 0 || hw->left > (int64_t)interval(event))
		hw->left = (int64_t)interval(event);
	event->due.key = folded_at(event) + (uint64_t)hw->left;
	queue(tally_this_cpu(pmu->owner), event);
}

/*
 * Stop the clock. Also called from the event's own overflow, when the event is not in the heap. The
 * remaining part of the period continues when the event starts again. This function must not modify
 * the heap or the timer, because it may run in the overflow interrupt of another counter in the
 * group, and that interrupt may have occurred while they were being modified.
 */
static void clock_stop(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	struct tally_core_event *event = tally_event_of_hw(hw);
	uint64_t now;

	tally_core_hw_fold(pmu, hw, clock_counter);
	hw->running = false;
	now = folded_at(event);
	if (tally_heap_has(&event->due))
		hw->left = event->due.key > now ? (int64_t)(event->due.key - now) : 0;
}

static void clock_read(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	tally_core_hw_fold(pmu, hw, clock_counter);
}

void tally_clock_init(struct tally_core *core)
{
	const struct tally_core_pmu common = {
		.type = PERF_TYPE_SOFTWARE,
		.caps = TALLY_PMU_SOFTWARE | (core->ops->timer ? 0 : TALLY_PMU_NO_INTERRUPT),
		.width = 64,
		.init = clock_init,
		.add = clock_add,
		.del = clock_del,
		.start = clock_start,
		.stop = clock_stop,
		.read = clock_read,
		.owner = core,
	};

	core->cpu_clock = core->task_clock = common;
	core->cpu_clock.name = "cpu-clock";
	core->task_clock.name = "task-clock";
}
