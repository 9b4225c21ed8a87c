/* SPDX-License-Identifier: BSD-2-Clause */
/* Verdicts: which features work, and the smallest change that would enable each of the others. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/arith.h"
#include "cli/doctor/facts.h"
#include "cli/doctor/finding.h"
#include "cli/doctor/doctor_rights.h"
#include "cli/doctor/verdict.h"

static void explain_verdict(struct doctor_finding *finding, enum doctor_state state,
			    const char *text)
{
	finding->word = state == DOCTOR_OK ? "works" : state == DOCTOR_WARN ? "partly" : "not";
	doctor_finding_set(finding, state, "%s%s%s", finding->word, *text ? ": " : "", text);
}

/* Add a limitation of a feature that works. */
static void add_limitation(struct tally_str *missing, const char *what)
{
	tally_str_addf(missing, "%s%s", missing->len ? ", " : "", what);
}

static void miss_counters(const struct doctor *doctor, bool sampling, struct tally_str *missing,
			  struct doctor_finding *finding)
{
	static const char *const whats[] = {
		[TALLY_PMU_UNKNOWN] = "no hardware counters",
		[TALLY_PMU_ABSENT] = "no hardware counters",
		[TALLY_PMU_STUCK] = "hardware counters stay at zero",
		[TALLY_PMU_TAKEN] = "hardware counters are in use by others",
		[TALLY_PMU_COUNTS_ONLY] = "hardware counters cannot sample",
	};
	enum tally_pmu_state state = doctor->pmu.state;

	if (state == TALLY_PMU_SAMPLES || (state == TALLY_PMU_COUNTS_ONLY && !sampling))
		return;
	add_limitation(missing, whats[state]);
	if (state == TALLY_PMU_TAKEN)
		doctor_fix(finding, "stop other users of the counters, or run: sudo sysctl "
				    "kernel.nmi_watchdog=0");
	else if (doctor->host.vpmu)
		doctor_fix(finding, "%s", doctor->host.vpmu);
}

static void miss_kernel(const struct doctor *doctor, struct tally_str *missing,
			struct doctor_finding *finding)
{
	const struct perf_event_attr in_kernel = {.type = PERF_TYPE_SOFTWARE};
	const struct tally_access_request ask = {&in_kernel, 0, -1, TALLY_TASK_OWN, false};
	struct tally_refusal why;

	add_limitation(missing, "user space only");
	if (!tally_access_event(&doctor->access, &ask, &why))
		doctor_refusal(finding, &why);
}

static void miss_memory(const struct doctor *doctor, const struct doctor_trial *trial,
			struct tally_str *missing, struct doctor_finding *finding)
{
	size_t page = doctor->access.page_size;
	char what[80];

	snprintf(what, sizeof(what), "ring buffers of %zu KiB instead of %zu KiB",
		 trial->pages * page >> 10, trial->pages_wanted * page >> 10);
	add_limitation(missing, what);
	doctor_refusal_of_rings(finding, &trial->why);
}

static void explain_works(const struct doctor *doctor, const struct doctor_trial *trial,
			  struct doctor_finding *finding)
{
	struct tally_str missing = {0};

	if (trial->via_user) {
		add_limitation(&missing,
			       "estimates from procfs and ptrace, without perf_event_open");
		doctor_refusal(finding, &trial->by_kernel);
	}
	if (trial->fallback & TALLY_FALLBACK_NO_KERNEL)
		miss_kernel(doctor, &missing, finding);
	if (trial->pages < trial->pages_wanted)
		miss_memory(doctor, trial, &missing, finding);
	if (!trial->via_user)
		miss_counters(doctor, trial->pages, &missing, finding);
	explain_verdict(finding, missing.len ? DOCTOR_WARN : DOCTOR_OK, tally_str_text(&missing));
	tally_str_free(&missing);
}

static void explain_not(struct doctor_finding *finding, int code, const char *answer,
			const struct tally_refusal *why)
{
	explain_verdict(finding, DOCTOR_BAD, answer);
	if (why && why->code)
		doctor_refusal(finding, why);
	else if (code == -EMFILE)
		doctor_fix(finding, "raise the descriptor limit: ulimit -Hn");
}

static void find_trial(const struct doctor *doctor, const struct doctor_trial *trial,
		       struct doctor_finding *finding)
{
	if (trial->code)
		explain_not(finding, trial->code, doctor_answer(doctor, trial->code), &trial->why);
	else
		explain_works(doctor, trial, finding);
}

static void find_stat(const struct doctor *doctor, struct doctor_finding *finding)
{
	find_trial(doctor, &doctor->count, finding);
}

static void find_record(const struct doctor *doctor, struct doctor_finding *finding)
{
	find_trial(doctor, &doctor->sample, finding);
}

static void find_record_all(const struct doctor *doctor, struct doctor_finding *finding)
{
	find_trial(doctor, &doctor->sample_all, finding);
}

static void find_top(const struct doctor *doctor, struct doctor_finding *finding)
{
	find_trial(doctor, &doctor->watch, finding);
}

static void find_ftrace(const struct doctor *doctor, struct doctor_finding *finding)
{
	const struct doctor_tracefs *tracefs = &doctor->tracefs;

	if (tracefs->why.code) {
		explain_not(finding, tracefs->why.code, strerror(-tracefs->why.code),
			    &tracefs->why);
	} else if (doctor->code) {
		explain_not(finding, doctor->code, strerror(-doctor->code), NULL);
	} else if (tracefs->function_graph) {
		explain_verdict(finding, DOCTOR_OK, "");
	} else if (tracefs->function) {
		explain_verdict(finding, DOCTOR_WARN, "only calls, without durations");
		doctor_cause(finding, "this kernel has no function_graph tracer");
		doctor_fix(finding, "use a kernel with CONFIG_FUNCTION_GRAPH_TRACER=y");
	} else {
		explain_verdict(finding, DOCTOR_BAD, "this kernel cannot trace functions");
		doctor_fix(finding, "use a kernel with CONFIG_FUNCTION_TRACER=y");
	}
}

bool doctor_works(const struct doctor *doctor)
{
	return !doctor->count.code || !doctor->sample.code || !doctor->sample_all.code;
}

static const struct doctor_fact facts[] = {
	{"works.stat", DOCTOR_VERDICT, "stat", find_stat},
	{"works.record", DOCTOR_VERDICT, "record", find_record},
	{"works.record-a", DOCTOR_VERDICT, "record -a", find_record_all},
	{"works.top", DOCTOR_VERDICT, "top", find_top},
	{"works.ftrace", DOCTOR_VERDICT, "ftrace", find_ftrace},
};
const struct doctor_facts doctor_verdict_facts = {facts, TALLY_ARRAY_SIZE(facts)};
