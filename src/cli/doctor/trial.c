/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Trials: open the same events, and the same number of them, as a command would. The events are
 * opened on a child that is held and never starts its program. The kernel decides how far a command
 * gets; the rules only explain its decision.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arith.h"
#include "cli/doctor/trial.h"
#include "cli/main/via.h"
#include "sampler/child.h"
#include "sampler/counting.h"
#include "sampler/sampler.h"

struct plan {
	bool sampling, all_cpus;
	struct doctor_trial *trial;
};

/* ---- counting, as tally stat does ------------------------------------------------ */

struct counting {
	struct tally_events *events;
	struct tally_event_list *list;
	struct tally_cpus *cpus;
	struct tally_threads *threads;
	struct tally_counters *counters;
};

static int count_prepare(struct counting *counting, pid_t child)
{
	const struct tally_target target = {.per_thread = true, .command = child};
	struct tally_event_error err;
	struct tally_str events = {0};
	int ret = tally_events_new(NULL, NULL, &counting->events);

	tally_counting_events(false, &events);
	if (!ret)
		ret = tally_str_error(&events);
	if (!ret)
		ret = tally_events_parse(counting->events, tally_str_text(&events), events.len,
					 &counting->list, &err);
	tally_str_free(&events);
	return ret ? ret : tally_target_resolve(&target, &counting->cpus, &counting->threads, NULL);
}

/* Try to open tally stat's events. This succeeds if at least one event can be opened. */
static int count_open(const struct doctor *doctor, struct counting *counting,
		      struct doctor_trial *trial)
{
	const struct tally_counting wishes = {.transport = doctor->transport, .on_exec = true};
	int ret = tally_counting_open(&wishes, counting->list, counting->cpus, counting->threads,
				      &counting->counters, &trial->why);
	size_t opened = 0;

	for (size_t i = 0; !ret && i < counting->list->nr; i++) {
		const struct tally_refusal *why = tally_counters_refusal(counting->counters, i);

		trial->fallback |= tally_counters_fallback(counting->counters, i);
		if (why && !trial->why.code)
			trial->why = *why;
		opened += !why;
	}
	return ret || opened ? ret : trial->why.code;
}

static int trial_count(const struct doctor *doctor, const struct plan *plan, pid_t child)
{
	struct counting counting = {0};
	int ret = count_prepare(&counting, child);

	if (!ret)
		ret = count_open(doctor, &counting, plan->trial);
	tally_counters_close(counting.counters);
	free(counting.threads);
	free(counting.cpus);
	tally_event_list_free(counting.list);
	tally_events_free(counting.events);
	return ret;
}

/* ---- sampling, as tally record and tally top do ------------------------------------ */

static int trial_sample(const struct doctor *doctor, const struct plan *plan, pid_t child)
{
	const struct tally_sampling sampling = {.target.all_cpus = plan->all_cpus,
						.transport = doctor->transport,
						.access = &doctor->access};
	struct tally_sampler sampler = {.sampling = &sampling};
	struct doctor_trial *trial = plan->trial;
	/* Do not read the user's event tables, because privileges would have to be dropped
	 * first. */
	int ret = tally_events_new(NULL, NULL, &sampler.events);

	if (!ret)
		ret = tally_sampler_prepare(&sampler);
	if (!ret)
		ret = tally_sampler_resolve(&sampler, child);
	if (!ret)
		ret = tally_sampler_open(&sampler);
	trial->why = sampler.why;
	trial->fallback = sampler.fallbacks;
	trial->pages = sampler.pages;
	trial->pages_wanted = TALLY_SAMPLING_RING / doctor->access.page_size;
	tally_sampler_close(&sampler);
	return ret;
}

/* ---- trials ---------------------------------------------------------------------- */

static int trial_run(const struct doctor *doctor, const struct plan *plan, pid_t child)
{
	int ret = plan->sampling ? trial_sample(doctor, plan, child)
				 : trial_count(doctor, plan, child);

	/* Use the doctor's access data, because only the doctor knows that the call kills its
	 * caller. */
	if (ret == -EPERM && doctor->access.kills) {
		const struct perf_event_attr any = {.type = PERF_TYPE_SOFTWARE};

		tally_access_event(
			&doctor->access,
			&(struct tally_access_request){&any, 0, -1, TALLY_TASK_OWN, false},
			&plan->trial->why);
	}
	return ret;
}

/* Run a trial with one more descriptor open, because a command needs at least one in addition to
 * its events. */
static int trial_run_crowded(const struct doctor *doctor, const struct plan *plan, pid_t child)
{
	int other = dup(STDERR_FILENO), ret;

	if (other < 0)
		return -errno;
	ret = trial_run(doctor, plan, child);
	close(other);
	return ret;
}

static void trial_make(const struct doctor *doctor, const struct plan *plan, pid_t child)
{
	plan->trial->code = doctor->code ? doctor->code : trial_run_crowded(doctor, plan, child);
}

/* If the kernel rejects all events, try the user host, because commands then use it for tasks. */
static void trials_via_user(const struct doctor *doctor, const struct plan *plans, size_t nr)
{
	const struct tally_target target = {0};
	char *command[] = {(char *)"true", NULL};
	struct doctor without = *doctor;
	struct tally_child child = {0};
	struct tally_via via;

	if (doctor->code || !tally_via_kernel_refuses(&doctor->access) ||
	    tally_via_open(&via, "user", &target, true, NULL))
		return;
	without.transport = tally_via_transport(&via);
	without.access.kills = false;
	if (!tally_child_start(&child, command, STDOUT_FILENO))
		tally_via_adopt(&via, &child);
	for (size_t i = 0; i < nr && child.pid; i++) {
		const struct tally_refusal by_kernel = plans[i].trial->why;

		if (plans[i].all_cpus)
			continue;
		*plans[i].trial = (struct doctor_trial){.via_user = true, .by_kernel = by_kernel};
		trial_make(&without, &plans[i], child.pid);
	}
	tally_child_free(&child);
	tally_via_close(&via);
}

void doctor_trials(struct doctor *doctor)
{
	const struct plan plans[] = {
		{false, false, &doctor->count},
		{true, false, &doctor->sample},
		{true, true, &doctor->sample_all},
		/* top does not start a command; it waits for keys and timeouts instead. */
		{true, true, &doctor->watch},
	};
	char *command[] = {(char *)"true", NULL};
	struct tally_child child = {0};

	doctor->code = tally_child_start(&child, command, STDOUT_FILENO);
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(plans); i++) {
		if (plans[i].trial == &doctor->watch)
			/* Unlike the other commands, top does not hold pipes to a child. */
			tally_child_free(&child);
		trial_make(doctor, &plans[i], child.pid);
	}
	tally_child_free(&child);
	trials_via_user(doctor, plans, TALLY_ARRAY_SIZE(plans));
}
