/* SPDX-License-Identifier: BSD-2-Clause */
/* Simulation of a plan: the core schedules the events on a simulated machine. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "cli/stat/plan_run.h"
#include "hosts/sim/sim_files.h"
#include "hosts/sim/sim_loop.h"
#include "hosts/sim/sim_task.h"

enum {
	MS = 1000000,
	TICK_NS = 4 * MS,
	ROUNDS = 200, /* approximate time slices per event; shares are accurate to 1 / ROUNDS */
	COUNTER_BITS = 48,
	NO_GENERIC = 1u << 31, /* constraint for events that use only fixed counters */
};

/* A simulated run. An event is characterized only by the set of counters that it can use, so all
 * events with the same set become one signal on the simulated machine. */
struct trial {
	struct stat_plan *plan;
	struct tally_event_counters signals[SIM_NR_HW];
	size_t nr_signals;
	struct tally_sim_pmu pmu;
	struct tally_sim *sim;
	struct tally_sim_task *task;
	int *fds;
};

/* Renumber the counters in `some` to remove the gaps in `all`. Bit n in the result corresponds to
 * the n-th bit set in `all`. */
static uint32_t without_gaps(uint32_t some, uint32_t all)
{
	uint32_t out = 0;

	for (uint32_t bit = 1; all; all &= all - 1, bit <<= 1)
		if (some & all & -all)
			out |= bit;
	return out;
}

/* ---- the PMU ------------------------------------------------------------------ */

static bool same(struct tally_event_counters a, struct tally_event_counters b)
{
	return a.generic == b.generic && a.fixed == b.fixed;
}

/* Return the signal for events with these counters, or SIM_NR_HW if there is none. */
static size_t signal_of(const struct trial *trial, struct tally_event_counters can)
{
	for (size_t i = 0; i < trial->nr_signals; i++)
		if (same(trial->signals[i], can))
			return i;
	return SIM_NR_HW;
}

static int signals_find(struct trial *trial, bool fixed_only)
{
	for (size_t i = 0; i < trial->plan->nr; i++) {
		struct tally_event_counters can = trial->plan->events[i].can;

		if ((!can.generic && !can.fixed) || !can.generic != fixed_only ||
		    signal_of(trial, can) < SIM_NR_HW)
			continue;
		if (trial->nr_signals == SIM_NR_HW)
			return -E2BIG;
		trial->signals[trial->nr_signals++] = can;
	}
	return 0;
}

/* Set up the PMU. Each fixed counter counts only one signal, so signals restricted to fixed
 * counters are assigned first. */
static int pmu_make(struct trial *trial)
{
	struct tally_event_counters all = trial->plan->all;
	struct tally_sim_pmu *pmu = &trial->pmu;
	int ret = signals_find(trial, true);

	if (!ret)
		ret = signals_find(trial, false);
	if (ret)
		return ret;
	*pmu = (struct tally_sim_pmu){
		.name = "cpu",
		.type = PERF_TYPE_RAW,
		.core = true,
		.nr_generic = (uint8_t)__builtin_popcount(all.generic),
		.nr_fixed = (uint8_t)__builtin_popcount(all.fixed),
		.width = COUNTER_BITS,
	};
	memset(pmu->fixed, SIM_NR_HW, sizeof(pmu->fixed));
	for (size_t i = 0; i < trial->nr_signals; i++) {
		uint32_t generic = without_gaps(trial->signals[i].generic, all.generic);
		uint32_t fixed = without_gaps(trial->signals[i].fixed, all.fixed);

		pmu->constraint[i] = generic ? generic : NO_GENERIC;
		for (size_t f = 0; f < TALLY_ARRAY_SIZE(pmu->fixed); f++)
			if (fixed >> f & 1 && pmu->fixed[f] == SIM_NR_HW)
				pmu->fixed[f] = (uint8_t)i;
	}
	return 0;
}

/* ---- the machine ----------------------------------------------------------------- */

static int machine_make(struct trial *trial)
{
	static const struct tally_sim_step busy[] = {
		SIM_LOOP(0),
		SIM_RUN(SIM_USER, MS, NULL),
		SIM_END_LOOP(),
	};
	struct tally_core_settings settings;
	int ret = pmu_make(trial);

	if (ret)
		return ret;
	tally_core_settings_init(&settings);
	settings.tick_ns = TICK_NS;
	ret = tally_sim_create(
		&(struct tally_sim_config){
			.nr_cpus = 1, .pmus = &trial->pmu, .nr_pmus = 1, .settings = &settings},
		&trial->sim);
	if (ret)
		return ret;
	trial->task = tally_sim_task_new(trial->sim, &(struct tally_sim_spawn){.script = busy});
	return trial->task ? 0 : -ENOMEM;
}

static int event_open(struct trial *trial, size_t index, int group_fd)
{
	const struct stat_plan_event *event = &trial->plan->events[index];
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW,
		.size = sizeof(attr),
		.config = signal_of(trial, event->can),
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.pinned = event->spec->attr.pinned,
		.exclusive = event->spec->attr.exclusive,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	if (!event->can.generic && !event->can.fixed) {
		attr.type = PERF_TYPE_SOFTWARE;
		attr.config = PERF_COUNT_SW_DUMMY;
	}
	return tally_sim_open(trial->sim, trial->task, &attr, 0, -1, group_fd, 0);
}

/* Open an event in the same way as the client: if a member of a weak group is rejected, open it
 * outside the group. */
static void event_try(struct trial *trial, size_t index)
{
	struct stat_plan_event *event = &trial->plan->events[index];
	int leader = event->leader == index ? -1 : trial->fds[event->leader];
	int fd = event_open(trial, index, leader);

	if (fd < 0 && leader >= 0 && event->spec->weak_group) {
		event->alone = true;
		fd = event_open(trial, index, -1);
	}
	event->refused = TALLY_MIN(fd, 0);
	trial->fds[index] = fd;
}

/* ---- results ------------------------------------------------------------------------ */

struct times {
	uint64_t value, enabled, running;
};

static int share_read(struct trial *trial, size_t index)
{
	struct stat_plan_event *event = &trial->plan->events[index];
	struct times times = {0, 1, 0};
	int64_t len;

	if (trial->fds[index] < 0)
		return 0;
	len = tally_sim_read(trial->sim, trial->task, trial->fds[index], &times, sizeof(times));
	if (len < 0)
		return (int)len;
	event->share = len && times.enabled ? (double)times.running / (double)times.enabled : 0;
	return 0;
}

/* Return the number of time slices after which even the event with the smallest share has been
 * counted once. */
static uint32_t passes_of(const struct stat_plan *plan)
{
	double least = 1;

	for (size_t i = 0; i < plan->nr; i++)
		if (plan->events[i].share > 0)
			least = TALLY_MIN(least, plan->events[i].share);
	return (uint32_t)(1 / least + 0.5);
}

static int trial_run(struct trial *trial)
{
	int ret = machine_make(trial);

	if (ret)
		return ret;
	for (size_t i = 0; i < trial->plan->nr; i++)
		event_try(trial, i);
	tally_sim_run(trial->sim, (uint64_t)ROUNDS * TICK_NS * (trial->plan->nr + 1));
	for (size_t i = 0; i < trial->plan->nr && !ret; i++)
		ret = share_read(trial, i);
	trial->plan->passes = passes_of(trial->plan);
	return ret;
}

int stat_plan_run(struct stat_plan *plan)
{
	struct trial trial = {.plan = plan, .fds = calloc(plan->nr + 1, sizeof(*trial.fds))};
	int ret = trial.fds ? trial_run(&trial) : -ENOMEM;

	tally_sim_destroy(trial.sim);
	free(trial.fds);
	return ret;
}
