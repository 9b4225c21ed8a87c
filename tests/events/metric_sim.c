/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Count the metrics in a CPU's table on a simulated machine, with the client and the core, and
 * print their values together with the true counts:
 *
 *	metric ipc 0.66 exact together
 *	event INST_RETIRED.ANY 120000
 *	...
 *
 * If a metric has more events than the machine has signals, it is computed from generated counts.
 * Thresholds are always evaluated with generated counts. For each threshold, the program prints the
 * result, and the values of the metrics that the threshold uses:
 *
 *	threshold tma_l2_bound passed
 *	value tma_l2_bound 12.5
 *
 * usage: metric_sim TABLE [SYSFS]. metric_oracle.py computes the same values from the JSON files
 * and compares them.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/intern.h"
#include "hosts/sim/sim_loop.h"
#include "hosts/sim/sim_task.h"
#include "hosts/sim/truth.h"
#include "tally/client.h"

#include "../core/sim_transport.h"

enum { MAX_SPECS = 512, MS = 1000000, RUN_MS = 4000, NO_GENERIC = 1u << 31, UNITS_TYPE = 77 };

/* A metric that is being counted. Each event counts one of the simulated machine's signals. */
struct counting {
	struct tally_events *events;
	struct tally_metric_list *list;
	struct tally_event_counters all;
	uint32_t signals[MAX_SPECS]; /* indexed by event */
	bool outside[MAX_SPECS];     /* no core counter supports the event */
	size_t nr_signals;
	struct tally_sim_pmu pmu, units; /* PMU for core events; PMU for other events */
	struct tally_sim_rates rates;
	struct tally_sim_step script[3];
	struct tally_sim *sim;
	struct tally_sim_task *task;
	struct tally_counters *counters;
	double counts[MAX_SPECS];
	enum tally_quality quality;
};

/* Renumber the counters in `some`, a subset of `all`, so that the counters in `all` are numbered
 * without gaps. */
static uint32_t packed(uint32_t some, uint32_t all)
{
	uint32_t out = 0;

	for (uint32_t bit = 1; all; all &= all - 1, bit <<= 1)
		if (some & all & -all)
			out |= bit;
	return out;
}

static bool same_event(const struct tally_event_spec *a, const struct tally_event_spec *b)
{
	/* Each core type has its own PMU type; the simulated machine has only one core type. */
	return (a->attr.type == b->attr.type || (!a->uncore && !b->uncore)) &&
	       a->attr.config == b->attr.config && a->attr.config1 == b->attr.config1 &&
	       a->tool == b->tool;
}

/* Set up the PMUs. Returns false if there are more events than the machine has signals. */
static bool pmu_make(struct counting *c)
{
	const struct tally_event_list *list = c->list->events;

	c->units = (struct tally_sim_pmu){
		.name = "units", .type = UNITS_TYPE, .nr_generic = 16, .width = 48};
	c->pmu = (struct tally_sim_pmu){
		.name = "cpu",
		.type = PERF_TYPE_RAW,
		.core = true,
		.nr_generic = (uint8_t)__builtin_popcount(c->all.generic),
		.nr_fixed = (uint8_t)__builtin_popcount(c->all.fixed),
		.width = 48,
	};
	memset(c->pmu.fixed, SIM_NR_HW, sizeof(c->pmu.fixed));
	for (size_t i = 0; i < list->nr; i++) {
		struct tally_event_counters can =
			tally_event_counters_of(c->events, &list->specs[i], c->all);
		uint32_t signal = (uint32_t)c->nr_signals, generic, fixed;

		for (size_t j = 0; j < i; j++)
			if (same_event(&list->specs[i], &list->specs[j]))
				signal = c->signals[j];
		c->signals[i] = signal;
		c->outside[i] = !can.generic && !can.fixed;
		if (signal < c->nr_signals)
			continue;
		if (++c->nr_signals > SIM_NR_HW)
			return false;
		/* Each signal has a different, known rate. */
		c->rates.per_ms[signal] = 900000 / (signal + 2) + 1000 * signal + 7;
		generic = packed(can.generic, c->all.generic);
		fixed = packed(can.fixed, c->all.fixed);
		c->pmu.constraint[signal] = generic ? generic : NO_GENERIC;
		for (size_t f = 0; f < TALLY_ARRAY_SIZE(c->pmu.fixed); f++)
			if (fixed >> f & 1 && c->pmu.fixed[f] == SIM_NR_HW)
				c->pmu.fixed[f] = (uint8_t)signal;
	}
	return true;
}

/* Make each event count its signal. Tool events become dummy events, which never count. */
static void attrs_set(struct counting *c, struct tally_event_list *list)
{
	for (size_t i = 0; i < list->nr; i++) {
		struct perf_event_attr *attr = &list->specs[i].attr;

		if (list->specs[i].tool)
			*attr = (struct perf_event_attr){.type = PERF_TYPE_SOFTWARE,
							 .config = PERF_COUNT_SW_DUMMY};
		else
			*attr = (struct perf_event_attr){.type = c->outside[i] ? UNITS_TYPE
									       : PERF_TYPE_RAW,
							 .config = c->signals[i]};
		attr->exclude_kernel = attr->exclude_hv = 1;
		list->specs[i].uncore = false; /* here, uncore events count the task as well */
	}
}

static int counts_read(struct counting *c, const struct tally_event_list *list)
{
	int ret = 0;

	for (size_t i = 0; i < list->nr && !ret; i++) {
		struct tally_count count;

		ret = tally_counters_read(c->counters, i, 0, 0, &count);
		c->counts[i] = list->specs[i].tool ? (double)RUN_MS * MS
						   : (double)tally_count_scaled(&count);
		c->quality = TALLY_MAX(c->quality, count.quality);
	}
	return ret;
}

static int machine_run(struct counting *c)
{
	const struct tally_sim_step script[3] = {
		SIM_LOOP(0),
		SIM_RUN(SIM_USER, MS, &c->rates),
		SIM_END_LOOP(),
	};
	struct tally_event_list *list = c->list->events;
	struct sim_transport transport;
	struct tally_cpus *cpus = NULL;
	struct tally_threads *threads = NULL;
	struct tally_refusal why = {0};
	/* The core PMU is last, because it accepts any type. */
	const struct tally_sim_pmu pmus[2] = {c->units, c->pmu};
	int ret = tally_sim_create(
		&(struct tally_sim_config){.nr_cpus = 1, .pmus = pmus, .nr_pmus = 2}, &c->sim);

	if (ret)
		return ret;
	/* The script must live as long as the machine. */
	memcpy(c->script, script, sizeof(script));
	c->task = tally_sim_task_new(c->sim, &(struct tally_sim_spawn){.script = c->script});
	sim_transport_init(&transport, c->sim, c->task);
	attrs_set(c, list);
	ret = tally_cpus_any(&cpus);
	if (!ret)
		ret = tally_threads_of_tid(tally_sim_task_tid(c->task), &threads);
	if (!ret)
		ret = tally_counters_open(&transport.transport, list, cpus, threads,
					  &(struct tally_open_options){.disabled = false},
					  &c->counters, &why);
	if (ret)
		fprintf(stderr, "%s: %s\n", list->specs[why.event].name, why.rule);
	else
		tally_sim_run(c->sim, (uint64_t)RUN_MS * MS);
	if (!ret)
		ret = counts_read(c, list);
	tally_counters_close(c->counters);
	free(cpus);
	free(threads);
	return ret;
}

static double count_of(void *data, uint32_t event)
{
	return ((const struct counting *)data)->counts[event];
}

/* Return a generated count. All counts are different, and some differ by a factor of up to 100. */
static double made_up(const struct counting *c, uint32_t event)
{
	return c->list->events->specs[event].tool ? (double)RUN_MS * MS
						  : 1e6 * (1 + event * 37 % 101) + event;
}

/* Print the true counts under the names used in the expression. */
static void truth_print(struct counting *c, const struct tally_metric *metric)
{
	for (size_t i = 0; i < metric->nr_events; i++) {
		const struct tally_event_spec *spec = &c->list->events->specs[metric->events[i]];
		double truth = c->counts[metric->events[i]];

		if (spec->tool)
			truth = RUN_MS / 1e3;
		else if (c->sim)
			truth = (double)tally_sim_truth(c->sim,
							(struct tally_sim_filter){.task = c->task},
							c->signals[metric->events[i]]);
		printf("event %s %.17g\n", spec->name, truth);
	}
}

static int metric_print(struct counting *c, const struct tally_metric *metric)
{
	double value = NAN;
	int ret = tally_metric_evaluate(c->list, metric, count_of, c, &value);

	if (ret)
		return ret;
	printf("metric %s%s%s %.17g %s %s\n", metric->name, metric->pmu ? "@" : "",
	       metric->pmu ? metric->pmu : "", value, tally_quality_name(c->quality),
	       metric->together ? "together" : "apart");
	truth_print(c, metric);
	return 0;
}

static void counts_make(struct counting *c)
{
	for (uint32_t i = 0; i < c->list->events->nr && i < MAX_SPECS; i++)
		c->counts[i] = made_up(c, i);
}

static int threshold_print(struct counting *c, const struct tally_metric *metric)
{
	static const char *const words[] = {"unknown", "kept", "passed"};
	enum tally_threshold threshold;
	int ret = tally_metric_threshold(c->list, metric, count_of, c, &threshold);

	if (ret || !*metric->threshold || metric->hidden)
		return ret;
	printf("threshold %s %s\n", metric->name, words[threshold]);
	for (size_t i = 0; i < c->list->nr; i++) {
		const struct tally_metric *other = &c->list->metrics[i];
		double value;

		ret = tally_metric_evaluate(c->list, other, count_of, c, &value);
		if (ret)
			return ret;
		if (metric->pmu == other->pmu || !strcmp(metric->pmu, other->pmu))
			printf("value %s %.17g\n", other->name, value / other->scale);
	}
	return 0;
}

static int thresholds_print(struct tally_events *events, const char *name)
{
	struct counting c = {.events = events};
	int ret = tally_metrics_parse(events, name, strlen(name), TALLY_METRICS_THRESHOLDS, &c.list,
				      NULL);

	if (!ret && c.list->events->nr > MAX_SPECS)
		ret = -1;
	if (!ret)
		counts_make(&c);
	for (size_t i = 0; !ret && i < c.list->nr; i++)
		ret = threshold_print(&c, &c.list->metrics[i]);
	tally_metric_list_free(c.list);
	return ret;
}

/* Names of metrics that have already been counted. A metric is listed once per core type, but
 * parsed for all core types at once. */
struct walk {
	struct tally_events *events;
	struct tally_intern names;
};

static int metric_count(const struct tally_event_info *info, void *data)
{
	struct walk *walk = data;
	struct counting c = {.events = walk->events};
	size_t known = walk->names.strings.len;
	uint32_t id;
	int ret = tally_intern(&walk->names, info->name, strlen(info->name), &id);

	if (ret || id < known)
		return ret;
	ret = tally_metrics_parse(c.events, info->name, strlen(info->name), 0, &c.list, NULL);
	if (!ret)
		ret = tally_events_counters(c.events, &c.all);
	if (!ret && c.list->events->nr > MAX_SPECS)
		ret = -1;
	if (!ret && pmu_make(&c))
		ret = machine_run(&c);
	else if (!ret)
		counts_make(&c);
	for (size_t i = 0; !ret && i < c.list->nr; i++)
		ret = metric_print(&c, &c.list->metrics[i]);
	tally_sim_destroy(c.sim);
	tally_metric_list_free(c.list);
	return ret ? ret : thresholds_print(walk->events, info->name);
}

int main(int argc, char **argv)
{
	struct tally_events *events = NULL;
	struct walk walk = {.names = {.nr_slots = 0}};
	int ret = tally_events_new(argc > 2 ? argv[2] : "/nonexistent", "/nonexistent", &events);

	if (!ret)
		ret = tally_events_set_cpu(events, TALLY_CPU_OTHER, argc > 1 ? argv[1] : "");
	walk.events = events;
	if (!ret)
		ret = tally_events_each(events, TALLY_EVENT_METRIC, NULL, metric_count, &walk);
	tally_intern_free(&walk.names);
	tally_events_free(events);
	return !!ret;
}
