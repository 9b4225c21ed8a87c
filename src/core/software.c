/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/software.h"

#include "core/overflow.h"
#include "core/pmus.h"

/* ---- counting --------------------------------------------------------------------------- */

bool tally_software_excludes(const struct perf_event_attr *attr,
			     const struct tally_core_sample_data *sample_data)
{
	switch (sample_data->mode) {
	case PERF_RECORD_MISC_USER: return attr->exclude_user || attr->exclude_host;
	case PERF_RECORD_MISC_KERNEL: return attr->exclude_kernel || attr->exclude_host;
	case PERF_RECORD_MISC_HYPERVISOR: return attr->exclude_hv || attr->exclude_host;
	case PERF_RECORD_MISC_GUEST_USER: return attr->exclude_user || attr->exclude_guest;
	case PERF_RECORD_MISC_GUEST_KERNEL: return attr->exclude_kernel || attr->exclude_guest;
	}
	return false;
}

#if TALLY_CORE_SOFTWARE_EVENTS

static int64_t left_after(uint64_t period, uint64_t passed)
{
	return (int64_t)(period - (passed - tally_div(passed, period) * period));
}

/*
 * Handle the end of one or more periods. The first sample is always written, since one occurrence
 * alone cannot be too frequent; further samples are written until throttling or REFRESH stops the
 * event. The remaining periods are skipped, so the duration of a hook does not depend on the number
 * of occurrences it reports.
 */
static void overflow(struct tally_core_event *event,
		     const struct tally_core_sample_data *sample_data,
		     const struct tally_bytes *raw)
{
	bool throttle = false;

	while (event->hw.running && event->hw.left <= 0) {
		event->hw.last_period = event->hw.period;
		event->hw.left += (int64_t)event->hw.period;
		if (!tally_overflow(event, sample_data, raw, throttle))
			event->hw.running = false;
		throttle = true;
	}
	if (event->hw.left <= 0)
		event->hw.left = left_after(event->hw.period, 0 - (uint64_t)event->hw.left);
}

void tally_software_count(struct tally_core_event *event, uint64_t nr,
			  const struct tally_core_sample_data *sample_data,
			  const struct tally_bytes *raw)
{
	if (!event->hw.running || tally_software_excludes(&event->attr, sample_data))
		return;
	tally_count_alone(&event->count, nr);
	if (!event->hw.period)
		return;
	event->hw.left -= (int64_t)TALLY_MIN(nr, (uint64_t)INT64_MAX / 2);
	overflow(event, sample_data, raw);
}

void tally_core_hw_count(struct tally_core_hw *hw, uint64_t nr,
			 const struct tally_core_sample_data *sample_data)
{
	tally_software_count(tally_event_of_hw(hw), nr, sample_data, NULL);
}

static void count_list(struct tally_list *list, uint64_t nr,
		       const struct tally_core_sample_data *sample_data)
{
	tally_list_for_each (link, list)
		tally_software_count(tally_container_of(link, struct tally_core_event, hook), nr,
				     sample_data, NULL);
}

void tally_software_event(struct tally_core_cpu *cpu, uint32_t id)
{
	struct tally_core_sample_data sample_data = {.mode = PERF_RECORD_MISC_KERNEL};
	const struct tally_core *core = cpu->core;

	if (tally_list_empty(&cpu->software[id]) || core->ops->offers & TALLY_HOST_REPORTS_SWITCHES)
		return;
	if (core->ops->here)
		core->ops->here(core->host, &sample_data);
	count_list(&cpu->software[id], 1, &sample_data);
}

void tally_core_watched_software(struct tally_core *core, uint32_t id, uint64_t nr,
				 const struct tally_core_sample_data *sample_data)
{
	if (id < PERF_COUNT_SW_MAX)
		count_list(&tally_this_cpu(core)->software[id], nr, sample_data);
}

/* ---- the PMU of software events --------------------------------------------------------- */

static int software_init(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	if (hw->attr->sample_type & PERF_SAMPLE_BRANCH_STACK)
		return -EOPNOTSUPP;
	if (hw->attr->config >= PERF_COUNT_SW_MAX)
		return -ENOENT;
	return 0;
}

static int software_add(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	struct tally_core_event *event = tally_event_of_hw(hw);
	struct tally_core_cpu *cpu = tally_this_cpu(pmu->owner);

	tally_list_insert(&cpu->software[event->attr.config], &event->hook);
	return 0;
}

static void hook_del(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	tally_list_remove(&tally_event_of_hw(hw)->hook);
}

static void hook_start(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	hw->running = true;
}

static void hook_stop(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	hw->running = false;
}

static void hook_read(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
}

#if TALLY_CORE_TRACEPOINTS

/* ---- the PMU of tracepoints ------------------------------------------------------------- */

static int tracing_init(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	if (hw->attr->sample_type & PERF_SAMPLE_BRANCH_STACK)
		return -EOPNOTSUPP;
	return tally_tracepoint_find(tally_event_of_hw(hw), hw->attr->config);
}

static int tracing_add(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	struct tally_core_event *event = tally_event_of_hw(hw);
	struct tally_list *bucket =
		tally_tracepoint_bucket(tally_this_cpu(pmu->owner), event->attr.config);

	/* As in Linux, the event that was added last is the first to receive a hit. */
	tally_list_insert(bucket->next, &event->hook);
	return 0;
}

#endif

void tally_software_cpu_init(struct tally_core_cpu *cpu)
{
	for (int i = 0; i < PERF_COUNT_SW_MAX; i++)
		tally_list_init(&cpu->software[i]);
	for (int i = 0; i < TALLY_CORE_BUCKETS; i++)
		tally_list_init(&cpu->tracepoints[i]);
}

void tally_software_init(struct tally_core *core)
{
	const struct tally_core_pmu common = {
		.caps = TALLY_PMU_SOFTWARE,
		.width = 64,
		.del = hook_del,
		.start = hook_start,
		.stop = hook_stop,
		.read = hook_read,
		.owner = core,
	};

	core->software = common;
	core->software.name = "software";
	core->software.type = PERF_TYPE_SOFTWARE;
	core->software.init = software_init;
	core->software.add = software_add;
#if TALLY_CORE_TRACEPOINTS
	core->tracing = common;
	core->tracing.name = "tracepoint";
	core->tracing.type = PERF_TYPE_TRACEPOINT;
	core->tracing.init = tracing_init;
	core->tracing.add = tracing_add;
#endif
}

#else

void tally_core_hw_count(struct tally_core_hw *hw, uint64_t nr,
			 const struct tally_core_sample_data *sample_data)
{
}

void tally_core_watched_software(struct tally_core *core, uint32_t id, uint64_t nr,
				 const struct tally_core_sample_data *sample_data)
{
}

#endif
