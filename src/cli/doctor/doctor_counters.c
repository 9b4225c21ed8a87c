/* SPDX-License-Identifier: BSD-2-Clause */
/* Facts about hardware counters. */
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "base/arith.h"
#include "cli/doctor/facts.h"
#include "cli/doctor/finding.h"
#include "cli/doctor/doctor_host.h"
#include "cli/doctor/doctor_rights.h"

static void explain_absent(const struct doctor *doctor, struct doctor_finding *finding)
{
	const struct doctor_host *host = &doctor->host;

	doctor_finding_set(
		finding, DOCTOR_WARN,
		"none: cycles, instructions and cache events cannot be counted; 'tally record' "
		"samples cpu-clock instead");
	if (host->hypervisor)
		doctor_cause(finding, "%s provides no PMU to this virtual machine",
			     host->hypervisor);
	else
		doctor_cause(finding, "no PMU driver is active");
	if (host->vpmu)
		doctor_fix(finding, "%s", host->vpmu);
}

static void explain_unknown(const struct doctor *doctor, struct doctor_finding *finding)
{
	doctor_finding_set(finding, DOCTOR_UNKNOWN, "unknown: %s",
			   doctor_answer(doctor, doctor->pmu.code));
	doctor_cause(finding,
		     "events cannot be opened: see 'perf_event_open' and 'own tasks, user space'");
}

static void explain_stuck(const struct doctor *doctor, struct doctor_finding *finding)
{
	doctor_finding_set(finding, DOCTOR_WARN,
			   "present and running, but their counts stay at zero");
	doctor_cause(finding, "%s advertises counters that do not count",
		     doctor->host.hypervisor ? doctor->host.hypervisor : "the machine");
	if (doctor->host.vpmu)
		doctor_fix(finding, "%s", doctor->host.vpmu);
	doctor_fix(finding, "use software events: -e cpu-clock, -e task-clock");
}

static void explain_taken(const struct doctor *doctor, struct doctor_finding *finding)
{
	doctor_finding_set(finding, DOCTOR_WARN,
			   "all in use: tally's test event was never counted");
	doctor_cause(finding, "they are pinned by another user: a profiler, a hypervisor agent, or "
			      "the NMI watchdog");
	doctor_fix(finding, "sudo sysctl kernel.nmi_watchdog=0, and stop other profilers");
}

static void explain_counts_only(const struct doctor *doctor, struct doctor_finding *finding)
{
	doctor_finding_set(finding, DOCTOR_WARN, "they can count but not sample");
	if (doctor->pmu.no_interrupt)
		doctor_cause(finding, "sampling events can be opened, but no interrupts occur");
	else
		doctor_cause(finding, "opening %s for sampling failed: %s", doctor->pmu.event,
			     strerror(-doctor->pmu.code));
	doctor_fix(finding, "record with -e cpu-clock");
}

static void explain_samples(const struct doctor *doctor, struct doctor_finding *finding)
{
	doctor_finding_set(finding, DOCTOR_OK, "they can count and sample%s",
			   doctor->pmu.unproved ? " (events can be opened, but no ring buffer "
						  "could be mapped to check for samples)"
						: "");
}

static void find_pmu(const struct doctor *doctor, struct doctor_finding *finding)
{
	static void (*const explain[])(const struct doctor *, struct doctor_finding *) = {
		[TALLY_PMU_UNKNOWN] = explain_unknown,
		[TALLY_PMU_ABSENT] = explain_absent,
		[TALLY_PMU_STUCK] = explain_stuck,
		[TALLY_PMU_TAKEN] = explain_taken,
		[TALLY_PMU_COUNTS_ONLY] = explain_counts_only,
		[TALLY_PMU_SAMPLES] = explain_samples,
	};

	finding->word = tally_pmu_state_name(doctor->pmu.state);
	explain[doctor->pmu.state](doctor, finding);
}

static void find_slots(const struct doctor *doctor, struct doctor_finding *finding)
{
	const struct tally_pmu_probe *pmu = &doctor->pmu;

	if (pmu->state < TALLY_PMU_TAKEN) {
		doctor_finding_set(finding, DOCTOR_NOTE, "no counters");
		return;
	}
	doctor_number(finding, pmu->slots_free);
	if (!pmu->slots) {
		doctor_finding_set(finding, DOCTOR_NOTE,
				   "%u can run at the same time; the total number is unknown",
				   pmu->slots_free);
		return;
	}
	doctor_finding_set(finding, pmu->slots_free < pmu->slots ? DOCTOR_NOTE : DOCTOR_OK,
			   "%u of %u are available for %s%s", pmu->slots_free, pmu->slots,
			   pmu->event, pmu->shares ? ", multiplexed with other users" : "");
	if (pmu->slots_free < pmu->slots)
		doctor_cause(finding, "%u in use by others", pmu->slots - pmu->slots_free);
}

static void find_precise(const struct doctor *doctor, struct doctor_finding *finding)
{
	int precise = doctor->pmu.precise;

	doctor_number(finding, precise);
	if (doctor->pmu.state != TALLY_PMU_SAMPLES)
		doctor_finding_set(finding, DOCTOR_NOTE, "no sampling counters");
	else if (precise)
		doctor_finding_set(finding, DOCTOR_OK, "up to :%.*s", precise, "ppp");
	else
		doctor_finding_set(
			finding, DOCTOR_NOTE,
			"not supported (:p): samples skid past the instruction that caused them");
}

static void find_watchdog(const struct doctor *doctor, struct doctor_finding *finding)
{
	int64_t on;

	if (!doctor_read_number(doctor->root, "/proc/sys/kernel/nmi_watchdog", &on)) {
		doctor_finding_set(finding, DOCTOR_OK, "none in this kernel");
		return;
	}
	doctor_number(finding, on);
	if (!on) {
		doctor_finding_set(finding, DOCTOR_OK, "off");
	} else if (doctor->pmu.state < TALLY_PMU_TAKEN ||
		   doctor->pmu.slots_free == doctor->pmu.slots) {
		doctor_finding_set(finding, DOCTOR_OK, "on, but uses no counter");
	} else {
		doctor_finding_set(finding, DOCTOR_NOTE, "on: it may use a counter on each CPU");
		doctor_fix(finding, "sudo sysctl kernel.nmi_watchdog=0");
	}
}

static void find_breakpoints(const struct doctor *doctor, struct doctor_finding *finding)
{
	static const char *const kinds[] = {"data breakpoints (mem:ADDRESS:w)",
					    "code breakpoints (mem:ADDRESS:x)"};
	struct tally_str stuck = {0};
	size_t works = 0;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(kinds); i++) {
		works += doctor->fires[i] == TALLY_PROBE_YES;
		if (doctor->fires[i] == TALLY_PROBE_NO)
			tally_str_addf(&stuck, "%s%s", stuck.len ? " and " : "", kinds[i]);
	}
	finding->word = stuck.len ? "stuck" : works ? "work" : "unknown";
	if (stuck.len) {
		doctor_finding_set(finding, DOCTOR_WARN, "%s can be opened but never fire",
				   tally_str_text(&stuck));
		doctor_cause(finding, "%s does not deliver them",
			     doctor->host.hypervisor ? doctor->host.hypervisor : "the hypervisor");
	} else if (works) {
		doctor_finding_set(finding, DOCTOR_OK, "tested: they fire");
	} else {
		doctor_finding_set(finding, DOCTOR_UNKNOWN, "none could be opened for a test");
	}
	tally_str_free(&stuck);
}

static void find_hypervisor(const struct doctor *doctor, struct doctor_finding *finding)
{
	const char *name = doctor->host.hypervisor;

	if (name)
		doctor_finding_set(finding, DOCTOR_NOTE, "this is a virtual machine on %s", name);
	else
		doctor_finding_set(finding, DOCTOR_OK, "none detected");
}

static void find_pmus(const struct doctor *doctor, struct doctor_finding *finding)
{
	static const char *const where = "/sys/bus/event_source/devices";
	char path[512];
	struct dirent **names;
	struct tally_str list = {0};
	int nr;

	snprintf(path, sizeof(path), "%s%s", doctor->root, where);
	nr = scandir(path, &names, NULL, alphasort);
	for (int i = 0; i < nr; i++) {
		if (names[i]->d_name[0] != '.')
			tally_str_addf(&list, "%s%s", list.len ? ", " : "", names[i]->d_name);
		free(names[i]);
	}
	if (nr < 0)
		doctor_finding_set(finding, DOCTOR_UNKNOWN, "%s cannot be read", where);
	else
		doctor_finding_set(finding, DOCTOR_OK, "%s", tally_str_text(&list));
	if (nr >= 0)
		free(names);
	tally_str_free(&list);
}

static const struct doctor_fact facts[] = {
	{"counters.pmu", DOCTOR_COUNTERS, "hardware counters", find_pmu},
	{"counters.slots", DOCTOR_COUNTERS, "counters free", find_slots},
	{"counters.precise", DOCTOR_COUNTERS, "precise samples", find_precise},
	{"counters.watchdog", DOCTOR_COUNTERS, "NMI watchdog", find_watchdog},
	{"counters.breakpoints", DOCTOR_COUNTERS, "hardware breakpoints", find_breakpoints},
	{"counters.hypervisor", DOCTOR_COUNTERS, "hypervisor", find_hypervisor},
	{"counters.pmus", DOCTOR_COUNTERS, "PMUs in sysfs", find_pmus},
};
const struct doctor_facts doctor_counters_facts = {facts, TALLY_ARRAY_SIZE(facts)};
