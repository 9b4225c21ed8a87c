/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cpu-clock and task-clock: counters whose events are nanoseconds, and whose overflow
 * interrupt is the host's timer. With them there is something to sample by where there is
 * no PMU.
 */
#include "core/output.h"
#include "core/overflow.h"
#include "core/software.h"
#include "core/state.h"

/* ---- deadlines: a heap of each context -------------------------------------------------- */

static struct tally_core_event *first_due(const struct tally_clocks *clocks)
{
	if (!clocks->due.least)
		return NULL;
	return tally_container_of(clocks->due.least, struct tally_core_event, due);
}

/* Not before the next share begins: may_serve(). */
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
 * They count the time of their context, as time_running does: then the one begins and ends where
 * the other does, which is where the context came and went and not some instructions later, when it
 * is the clock's turn.
 */
static uint64_t clock_counter(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	const struct tally_core_context *context = tally_event_of_hw(hw)->context;

	if (tally_this_cpu(pmu->owner)->frozen)
		return context->time;
	return tally_context_time(context, tally_clock(pmu->owner));
}

/* The host's clock when its counter was last folded in. */
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
 * Whoever opens many clocks must not get the CPU with them: the share of max_sample_rate that other
 * events have each for itself is one for all clocks of a task, and one for all of a CPU: a task
 * that uses up its own takes nothing from who watches the CPU, nor from the next task. Then they
 * wait for the next share, which begins a tick later, whether or not that tick comes; who is due
 * longest is served first.
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

/* Deadlines that were missed altogether are left out. Of those that went by because the share was
 * used up the samples are lost. */
static bool take_sample(struct tally_core_event *event,
			const struct tally_core_sample_data *sample_data, uint64_t missed)
{
	if (!wants_sample(event, sample_data))
		return true;
	if (missed && event->due.key < event->context->clocks.held)
		tally_output_lose(event, missed);
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

/* A frequency of a clock is a period: nothing has to be found out. */
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
 * Also from its own overflow: then it is not in the heap. What is left goes on when it starts
 * again. The heap is not touched, nor the timer: this may be the overflow interrupt of another
 * counter of its group, in the middle of what does.
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
