/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How far a command gets, by doing what it does: the same events, in the same numbers, on a child
 * that is held and never let go. The kernel's answer is the truth; rules only explain it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arith.h"
#include "sampler/child.h"
#include "cli/doctor.h"
#include "cli/record.h"
#include "sampler/refuse.h"

enum { MAX_OTHER_FILES = 1 };

struct plan {
	const char *events;
	bool sampling, all_cpus;
	int other_files; /* that it has open beside its events and what a held child takes */
	struct doctor_trial *trial;
};

struct stage {
	const struct doctor *doctor;
	const struct plan *plan;
	struct tally_events *events;
	struct tally_event_list *list;
	struct tally_cpus *cpus;
	struct tally_threads *threads;
	struct tally_counters *counters;
	struct tally_rings *rings;
};

/* ---- what is opened ------------------------------------------------------------ */

static void sampling_attrs(struct stage *stage)
{
	int64_t limit = stage->doctor->permits.max_sample_rate;

	for (size_t i = 0; i < stage->list->nr; i++) {
		struct perf_event_attr *attr = &stage->list->specs[i].attr;

		attr->sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
				    PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;
		attr->disabled = 1;
		attr->inherit = !stage->plan->all_cpus;
		attr->freq = 1;
		attr->sample_freq = RECORD_FREQ;
		if (limit > 0 && limit < RECORD_FREQ)
			attr->sample_freq = (uint64_t)limit;
	}
}

/* What is to be opened, and on whom. */
static int stage_set(struct stage *stage, pid_t child)
{
	const struct plan *plan = stage->plan;
	const struct tally_target target = {
		.all_cpus = plan->all_cpus, .per_thread = !plan->sampling, .command = child};
	struct tally_event_error err;
	int ret = tally_events_new(NULL, NULL, &stage->events);

	if (!ret)
		ret = tally_events_parse(stage->events, plan->events, strlen(plan->events),
					 &stage->list, &err);
	if (!ret)
		ret = tally_target_resolve(&target, &stage->cpus, &stage->threads, NULL);
	if (!ret && plan->sampling)
		sampling_attrs(stage);
	return ret;
}

static int stage_open(struct stage *stage)
{
	const struct tally_open_options options = {
		.disabled = true,
		.inherit = true,
		.sampling = stage->plan->sampling,
		.may_fall_back = stage->plan->sampling,
		.skip_unsupported = !stage->plan->sampling,
	};
	struct doctor_trial *trial = stage->plan->trial;
	int ret = tally_counters_open(stage->doctor->transport, stage->list, stage->cpus,
				      stage->threads, &options, &stage->counters, &trial->why);
	size_t opened = 0;

	for (size_t i = 0; !ret && i < stage->list->nr; i++) {
		const struct tally_refusal *why = tally_counters_refusal(stage->counters, i);

		trial->fallback |= tally_counters_fallback(stage->counters, i);
		if (why && !trial->why.code)
			trial->why = *why;
		opened += !why;
	}
	/* stat shows those that there are. */
	return ret || opened ? ret : trial->why.code;
}

/* ---- rings --------------------------------------------------------------------- */

/* As many pages as are to be had; the kernel knows what the sums do not. */
static int stage_map(struct stage *stage)
{
	const struct tally_permits *permits = &stage->doctor->permits;
	struct doctor_trial *trial = stage->plan->trial;
	int ret = tally_rings_new(stage->counters, &stage->rings);

	if (ret)
		return ret;
	trial->pages_wanted = RECORD_RING / permits->page_size;
	trial->pages = trial->pages_wanted;
	while ((ret = tally_rings_map(stage->rings, trial->pages)) == -EPERM && trial->pages > 1)
		trial->pages /= 2;
	if (ret == -EPERM || (!ret && trial->pages < trial->pages_wanted))
		tally_permits_explain_rings(permits, ret ? 1 : trial->pages_wanted,
					    tally_rings_nr(stage->rings), &trial->why);
	return ret;
}

/* ---- one trial ------------------------------------------------------------------- */

static void stage_free(struct stage *stage)
{
	tally_rings_free(stage->rings);
	tally_counters_close(stage->counters);
	free(stage->threads);
	free(stage->cpus);
	tally_event_list_free(stage->list);
	tally_events_free(stage->events);
}

static int trial_run(const struct doctor *doctor, const struct plan *plan, pid_t child)
{
	struct stage stage = {.doctor = doctor, .plan = plan};
	int ret = stage_set(&stage, child);

	if (!ret)
		ret = stage_open(&stage);
	/* The rules as the doctor found them: only it knows that the call kills. */
	if (ret == -EPERM && doctor->permits.kills) {
		const struct perf_event_attr any = {.type = PERF_TYPE_SOFTWARE};

		tally_permits_event(&doctor->permits,
				    &(struct tally_permits_ask){&any, 0, -1, TALLY_TASK_OWN, false},
				    &plan->trial->why);
	}
	if (!ret && plan->sampling)
		ret = stage_map(&stage);
	if (!ret && plan->sampling)
		ret = tally_spare_descriptors();
	stage_free(&stage);
	return ret;
}

/* The same beside as many other descriptors as the command has. */
static int trial_run_crowded(const struct doctor *doctor, const struct plan *plan, pid_t child)
{
	int files[MAX_OTHER_FILES], nr = 0, ret = 0;

	while (!ret && nr < plan->other_files) {
		files[nr] = dup(STDERR_FILENO);
		if (files[nr] < 0)
			ret = -errno;
		else
			nr++;
	}
	if (!ret)
		ret = trial_run(doctor, plan, child);
	while (nr)
		close(files[--nr]);
	return ret;
}

void doctor_trials(struct doctor *doctor)
{
	const struct plan plans[] = {
		{"task-clock,context-switches,cpu-migrations,page-faults,cycles,instructions,"
		 "branches,branch-misses",
		 false, false, 1, &doctor->count},
		{"cycles:P", true, false, 1, &doctor->sample},
		{"cycles:P,dummy", true, true, 1, &doctor->sample_all},
		/* It starts nobody, and waits for keys and the clock instead. */
		{"cycles:P,dummy", true, true, 1, &doctor->watch},
	};
	char *command[] = {(char *)"true", NULL};
	struct tally_child child = {0};

	doctor->code = tally_child_start(&child, command, STDOUT_FILENO);
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(plans); i++) {
		if (plans[i].trial == &doctor->watch)
			tally_child_free(&child); /* nor has it the pipes to one */
		plans[i].trial->code = doctor->code
					       ? doctor->code
					       : trial_run_crowded(doctor, &plans[i], child.pid);
	}
	tally_child_free(&child);
}
