/* SPDX-License-Identifier: BSD-2-Clause */
/* Facts about permissions: the user, the environment, and perf's limits. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/proc.h"
#include "cli/doctor/facts.h"
#include "cli/doctor/finding.h"
#include "cli/doctor/doctor_host.h"
#include "cli/doctor/doctor_rights.h"
#include "cli/doctor/doctor_text.h"

static void find_user(const struct doctor *doctor, struct doctor_finding *finding)
{
	doctor_number(finding, doctor->access.uid);
	if (doctor->access.uid)
		doctor_finding_set(finding, DOCTOR_OK, "uid %u", doctor->access.uid);
	else
		doctor_finding_set(finding, DOCTOR_OK, "root (uid 0)");
}

/* ---- capabilities ----------------------------------------------------------------- */

static const struct {
	int capability;
	const char *name, *use;
} capabilities[] = {
	{TALLY_CAP_PERFMON, "CAP_PERFMON", "everything in perf except tracefs"},
	{TALLY_CAP_SYS_ADMIN, "CAP_SYS_ADMIN", "works in place of CAP_PERFMON; discouraged"},
	{TALLY_CAP_SYS_PTRACE, "CAP_SYS_PTRACE", "other users' tasks and maps"},
	{TALLY_CAP_SYSLOG, "CAP_SYSLOG", "kernel addresses"},
	{TALLY_CAP_IPC_LOCK, "CAP_IPC_LOCK", "ring buffers of any size"},
};

static void find_capabilities(const struct doctor *doctor, struct doctor_finding *finding)
{
	const struct tally_access *access = &doctor->access;
	struct tally_str held = {0};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(capabilities); i++) {
		if (access->permitted >> capabilities[i].capability & 1)
			tally_str_addf(&held, "%s%s", held.len ? ", " : "", capabilities[i].name);
	}
	if (!held.len) {
		doctor_finding_set(finding, DOCTOR_NOTE, "none that affects perf");
	} else if (access->initial_user_namespace) {
		doctor_finding_set(finding, DOCTOR_OK, "%s", tally_str_text(&held));
	} else {
		doctor_finding_set(finding, DOCTOR_WARN, "%s, but without effect",
				   tally_str_text(&held));
		doctor_cause(finding, "perf requires capabilities in the initial user namespace");
	}
	if (access->no_new_privileges && access->uid)
		doctor_cause(finding, "no_new_privs is set: file capabilities have no effect");
	else if (access->nosuid && access->uid)
		doctor_cause(finding,
			     "%s is on a nosuid file system: its file capabilities have no effect",
			     access->program);
	tally_str_free(&held);
}

/* ---- environment --------------------------------------------------------------------- */

/* Explain, based on the permission rules, why the kernel or a filter rejected an event. */
static void explain(const struct doctor *doctor, struct doctor_finding *finding,
		    const struct perf_event_attr *attr, int32_t pid, int32_t cpu)
{
	const struct tally_access_request ask = {attr, pid, cpu,
						 pid < 0 ? TALLY_TASK_NONE : TALLY_TASK_OWN, false};
	struct tally_refusal why;

	if (!tally_access_event(&doctor->access, &ask, &why))
		doctor_refusal(finding, &why);
}

const char *doctor_answer(const struct doctor *doctor, int code)
{
	return doctor->access.kills ? "the caller is killed" : strerror(-code);
}

static void find_seccomp(const struct doctor *doctor, struct doctor_finding *finding)
{
	const struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE, .exclude_kernel = 1};
	bool filtered = doctor->call.door == TALLY_SYSCALL_FILTERED;

	doctor_number(finding, doctor->access.seccomp);
	finding->word = filtered ? "refuses" : doctor->access.seccomp ? "permits" : "none";
	if (filtered) {
		doctor_finding_set(finding, DOCTOR_BAD, "perf_event_open is filtered: %s",
				   doctor_answer(doctor, doctor->call.code));
		explain(doctor, finding, &attr, 0, -1);
	} else if (doctor->access.seccomp) {
		doctor_finding_set(finding, DOCTOR_OK,
				   "a filter is active, but permits perf_event_open");
	} else {
		doctor_finding_set(finding, DOCTOR_OK, "no filter");
	}
}

static void find_user_namespace(const struct doctor *doctor, struct doctor_finding *finding)
{
	bool initial = doctor->access.initial_user_namespace;

	finding->word = initial ? "initial" : "own";
	if (initial) {
		doctor_finding_set(finding, DOCTOR_OK, "initial");
		return;
	}
	doctor_finding_set(finding, DOCTOR_WARN,
			   "not the initial one: capabilities have no effect on perf");
	doctor_fix(finding, "run tally outside the user namespace (in containers: not rootless, "
			    "without --userns)");
}

static void find_pid_namespace(const struct doctor *doctor, struct doctor_finding *finding)
{
	bool initial = doctor->access.initial_pid_namespace;

	finding->word = initial ? "initial" : "own";
	if (!*doctor->root && !tally_proc_matches_us()) {
		finding->word = "not-of-proc";
		doctor_finding_set(
			finding, DOCTOR_BAD,
			"/proc belongs to another PID namespace: tasks cannot be examined");
		doctor_fix(finding, "%s", TALLY_PROC_FIX);
		return;
	}
	if (initial) {
		doctor_finding_set(finding, DOCTOR_OK, "initial");
		return;
	}
	doctor_finding_set(finding, DOCTOR_NOTE,
			   "not the initial one: tasks outside it have no PID, name or maps here");
	doctor_fix(finding, "in a container: use --pid=host");
}

static void find_container(const struct doctor *doctor, struct doctor_finding *finding)
{
	const struct doctor_host *host = &doctor->host;

	finding->word = host->container ? host->container : "none";
	if (!host->container) {
		doctor_finding_set(finding, DOCTOR_OK, "none detected");
		return;
	}
	doctor_finding_set(finding, DOCTOR_NOTE, "%s", host->container);
	doctor_cause(finding, "detected by %s", host->trace);
	if (doctor->access.initial_pid_namespace && doctor->access.initial_user_namespace &&
	    !doctor->access.seccomp)
		doctor_cause(finding, "but it uses the initial namespaces and no seccomp filter");
}

static void find_lockdown(const struct doctor *doctor, struct doctor_finding *finding)
{
	size_t len, word_len = 0;
	char *text = doctor_read(doctor->root, "/sys/kernel/security/lockdown", &len);
	const char *word = text ? doctor_text_chosen(text, len, &word_len) : NULL;

	if (!word) {
		doctor_finding_set(finding, DOCTOR_OK, "none");
	} else if (word_len == strlen("confidentiality")) {
		doctor_finding_set(finding, DOCTOR_WARN, "%.*s: the kernel cannot be profiled",
				   (int)word_len, word);
		doctor_fix(finding, "boot without lockdown=confidentiality");
	} else {
		doctor_finding_set(finding, DOCTOR_OK, "%.*s", (int)word_len, word);
	}
	free(text);
}

/* ---- perf permissions ------------------------------------------------------------------ */

static void find_paranoid(const struct doctor *doctor, struct doctor_finding *finding)
{
	static const char *const levels[] = {
		"everything is permitted", "everything except tracepoint data",
		"own tasks, including the kernel", "own tasks, only in user space"};
	int32_t level = doctor->access.paranoid;

	if (level == TALLY_ACCESS_UNKNOWN) {
		doctor_finding_set(finding, DOCTOR_UNKNOWN, "cannot be read");
		return;
	}
	doctor_number(finding, level);
	if (level > 2)
		doctor_finding_set(
			finding, DOCTOR_OK,
			"%d: without privileges: %s (above 2, some kernels permit nothing)", level,
			levels[3]);
	else
		doctor_finding_set(finding, DOCTOR_OK, "%d: without privileges: %s", level,
				   levels[TALLY_MAX(level, -1) + 1]);
}

static void find_permission(const struct doctor *doctor, struct doctor_finding *finding,
			    struct perf_event_attr attr, int32_t pid, int32_t cpu)
{
	int ret;

	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_CPU_CLOCK;
	attr.size = PERF_ATTR_SIZE_VER0;
	attr.disabled = 1;
	ret = tally_probe_event(doctor->transport, &attr, pid, cpu);
	finding->word = ret ? "no" : "yes";
	if (!ret) {
		doctor_finding_set(finding, DOCTOR_OK, "permitted");
		return;
	}
	doctor_finding_set(finding, DOCTOR_WARN, "rejected: %s", doctor_answer(doctor, ret));
	/* A rejection by a filter is already reported by a separate fact. */
	if (doctor->call.door != TALLY_SYSCALL_FILTERED)
		explain(doctor, finding, &attr, pid, cpu);
}

static void find_own_user(const struct doctor *doctor, struct doctor_finding *finding)
{
	find_permission(doctor, finding,
			(struct perf_event_attr){.exclude_kernel = 1, .exclude_hv = 1}, 0, -1);
	if (finding->state == DOCTOR_WARN)
		finding->state = DOCTOR_BAD;
}

static void find_in_kernel(const struct doctor *doctor, struct doctor_finding *finding)
{
	find_permission(doctor, finding, (struct perf_event_attr){0}, 0, -1);
}

static void find_cpus(const struct doctor *doctor, struct doctor_finding *finding)
{
	struct tally_cpus *online = NULL;
	/* Any CPU will do. */
	int32_t cpu = tally_cpus_online(NULL, &online) ? 0 : online->cpu[0].number;

	free(online);
	find_permission(doctor, finding, (struct perf_event_attr){0}, -1, cpu);
}

static const struct doctor_fact facts[] = {
	{"rights.user", DOCTOR_RIGHTS, "user", find_user},
	{"rights.capabilities", DOCTOR_RIGHTS, "capabilities", find_capabilities},
	{"rights.paranoid", DOCTOR_RIGHTS, "perf_event_paranoid", find_paranoid},
	{"rights.own", DOCTOR_RIGHTS, "own tasks, user space", find_own_user},
	{"rights.kernel", DOCTOR_RIGHTS, "own tasks, kernel", find_in_kernel},
	{"rights.cpus", DOCTOR_RIGHTS, "all tasks on a CPU", find_cpus},
	{"rights.seccomp", DOCTOR_RIGHTS, "seccomp", find_seccomp},
	{"rights.user-namespace", DOCTOR_RIGHTS, "user namespace", find_user_namespace},
	{"rights.pid-namespace", DOCTOR_RIGHTS, "pid namespace", find_pid_namespace},
	{"rights.container", DOCTOR_RIGHTS, "container", find_container},
	{"rights.lockdown", DOCTOR_RIGHTS, "lockdown", find_lockdown},
};
const struct doctor_facts doctor_rights_facts = {facts, TALLY_ARRAY_SIZE(facts)};
