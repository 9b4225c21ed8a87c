/* SPDX-License-Identifier: BSD-2-Clause */
/* Permission checks, evaluated on a snapshot of facts without calling the kernel. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/arith.h"
#include "client/access_private.h"

bool tally_access_has(const struct tally_access *access, int capability)
{
	return access->initial_user_namespace && access->permitted >> capability & 1;
}

bool tally_access_perfmon(const struct tally_access *access)
{
	return tally_access_has(access, TALLY_CAP_PERFMON) ||
	       tally_access_has(access, TALLY_CAP_SYS_ADMIN);
}

/* ---- conditions of rules ----------------------------------------------------- */

static bool everything_is_forbidden(const struct tally_access *access,
				    const struct tally_access_request *ask)
{
	return access->paranoid > 2 && (access->plain == -EACCES || access->plain == -EPERM);
}

static bool kernel_branches(const struct tally_access *access,
			    const struct tally_access_request *ask)
{
	return ask->attr->sample_type & PERF_SAMPLE_BRANCH_STACK &&
	       ask->attr->branch_sample_type & (PERF_SAMPLE_BRANCH_KERNEL | PERF_SAMPLE_BRANCH_HV);
}

static bool in_the_kernel(const struct tally_access *access, const struct tally_access_request *ask)
{
	return !ask->attr->exclude_kernel;
}

bool access_only_in_kernel(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_TRACEPOINT ||
	       (attr->type == PERF_TYPE_SOFTWARE &&
		(attr->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
		 attr->config == PERF_COUNT_SW_CPU_MIGRATIONS ||
		 attr->config == PERF_COUNT_SW_CGROUP_SWITCHES));
}

static bool only_in_the_kernel(const struct tally_access *access,
			       const struct tally_access_request *ask)
{
	return !ask->attr->exclude_kernel && access_only_in_kernel(ask->attr);
}

static bool namespaces(const struct tally_access *access, const struct tally_access_request *ask)
{
	return ask->attr->namespaces;
}

static bool physical_address(const struct tally_access *access,
			     const struct tally_access_request *ask)
{
	return ask->attr->sample_type & PERF_SAMPLE_PHYS_ADDR;
}

static bool foreign_task(const struct tally_access *access, const struct tally_access_request *ask)
{
	return ask->task == TALLY_TASK_FOREIGN && !tally_access_has(access, TALLY_CAP_SYS_PTRACE);
}

static bool dynamic_probe(const struct tally_access *access, const struct tally_access_request *ask)
{
	return ask->attr->type > PERF_TYPE_BREAKPOINT &&
	       (ask->attr->type == (uint32_t)access->kprobe_type ||
		ask->attr->type == (uint32_t)access->uprobe_type);
}

static bool tracepoint_data(const struct tally_access *access,
			    const struct tally_access_request *ask)
{
	return ask->attr->type == PERF_TYPE_TRACEPOINT &&
	       ask->attr->sample_type & PERF_SAMPLE_RAW &&
	       !(ask->syscall_tracepoint && ask->pid >= 0);
}

static bool kernel_breakpoint(const struct tally_access *access,
			      const struct tally_access_request *ask)
{
	return ask->attr->type == PERF_TYPE_BREAKPOINT && ask->attr->bp_addr >> 63 &&
	       !ask->attr->exclude_kernel;
}

static bool cpu_wide(const struct tally_access *access, const struct tally_access_request *ask)
{
	return ask->pid < 0;
}

/* Access rules, from strictest to weakest. A change that satisfies one rule also satisfies the
 * following rules, so a single change is suggested instead of several. */
static const struct access_rule rules[] = {
	{TALLY_RULE_KERNEL_BREAKPOINT, -EPERM, ACCESS_NO_LEVEL, TALLY_CAP_SYS_ADMIN,
	 kernel_breakpoint, "a breakpoint on a kernel address requires privileges", NULL},
	{TALLY_RULE_PROBE, -EACCES, ACCESS_NO_LEVEL, TALLY_CAP_PERFMON, dynamic_probe,
	 "kprobes and uprobes require privileges", NULL},
	{TALLY_RULE_FOREIGN_TASK, -EACCES, ACCESS_NO_LEVEL, TALLY_CAP_PERFMON, foreign_task,
	 "the task belongs to another user, or has privileges that this process lacks", NULL},
	{TALLY_RULE_NAMESPACES, -EACCES, ACCESS_NO_LEVEL, TALLY_CAP_PERFMON, namespaces,
	 "recording namespaces requires privileges", "leave out --namespaces"},
	{TALLY_RULE_TRACEPOINT_DATA, -EPERM, -1, TALLY_CAP_PERFMON, tracepoint_data,
	 "sampling a tracepoint's data requires privileges", NULL},
	{TALLY_RULE_CPU_WIDE, -EACCES, 0, TALLY_CAP_PERFMON, cpu_wide,
	 "counting all tasks on a CPU requires privileges",
	 "count only your own tasks: a command, or -p PID"},
	{TALLY_RULE_FORBID_ALL, -EACCES, 2, TALLY_CAP_PERFMON, everything_is_forbidden,
	 "this distribution's kernel denies perf events to unprivileged users", NULL},
	{TALLY_RULE_PHYSICAL_ADDRESS, -EACCES, 1, TALLY_CAP_PERFMON, physical_address,
	 "physical addresses require privileges", "leave out --phys-data"},
	{TALLY_RULE_KERNEL, -EACCES, 1, TALLY_CAP_PERFMON, only_in_the_kernel,
	 "this event only occurs in the kernel, and counting there requires privileges", NULL},
	{TALLY_RULE_KERNEL_BRANCHES, -EACCES, 1, TALLY_CAP_PERFMON, kernel_branches,
	 "recording branches in the kernel requires privileges",
	 "record branches in user space only: -j ...,u"},
	{TALLY_RULE_KERNEL, -EACCES, 1, TALLY_CAP_PERFMON, in_the_kernel,
	 "counting in the kernel requires privileges", "count in user space only: EVENT:u"},
};

static bool rule_passes(const struct tally_access *access, const struct access_rule *rule)
{
	return tally_access_has(access, rule->capability) ||
	       tally_access_has(access, TALLY_CAP_SYS_ADMIN) ||
	       (access->paranoid <= rule->paranoid && access->paranoid != TALLY_ACCESS_UNKNOWN);
}

/* Explain why a call to perf_event_open does not reach an implementation: either the kernel does
 * not have one, or a seccomp filter intercepts the call. */
static void explain_no_syscall(const struct tally_access *access, struct tally_refusal *why)
{
	why->code = access->syscall;
	if (!access->seccomp && !access->kills) {
		why->broken = TALLY_RULE_NO_SYSCALL;
		FORMAT_TEXT(why->rule, "this kernel has no perf_event_open");
		FORMAT_TEXT(why->found, "every call fails with '%s', and no seccomp filter is set",
			    strerror(-access->syscall));
		access_add_fix(
			why,
			"use a kernel with CONFIG_PERF_EVENTS (gVisor and WSL1 do not have it)");
		return;
	}
	why->broken = TALLY_RULE_SECCOMP;
	FORMAT_TEXT(why->rule, "a seccomp filter forbids perf_event_open");
	if (access->kills)
		FORMAT_TEXT(why->found, "the filter kills callers of perf_event_open");
	else
		FORMAT_TEXT(why->found,
			    "the filter returns '%s'; perf_event_paranoid (%s) is not even "
			    "checked",
			    strerror(-access->syscall), access_level(access->paranoid).text);
	FORMAT_TEXT(why->needed, "a filter that allows perf_event_open");
	access_add_fix(why, "docker, podman: use --cap-add PERFMON, which makes the default filter "
			    "allow the call");
	access_add_fix(why, "docker, podman: use --security-opt seccomp=FILE with a profile that "
			    "allows perf_event_open");
	access_add_fix(why, "systemd: set SystemCallFilter=perf_event_open in the unit");
}

static void explain_security_module(const struct tally_access *access, struct tally_refusal *why)
{
	why->broken = TALLY_RULE_SECURITY_MODULE;
	why->code = access->plain;
	FORMAT_TEXT(why->rule,
		    "a security module (SELinux, AppArmor, Landlock) forbids perf events");
	FORMAT_TEXT(why->found,
		    "even a user-space clock event for this thread is denied (%s), which no other "
		    "rule explains",
		    strerror(-access->plain));
	FORMAT_TEXT(why->needed, "a policy that permits perf events");
	access_add_fix(why,
		       "find the module in the kernel log: sudo dmesg, or sudo ausearch -m avc");
}

static const struct access_rule *find_broken(const struct tally_access *access,
					     const struct tally_access_request *ask)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(rules); i++) {
		if (rules[i].applies(access, ask) && !rule_passes(access, &rules[i]))
			return &rules[i];
	}
	return NULL;
}

bool tally_access_event(const struct tally_access *access, const struct tally_access_request *ask,
			struct tally_refusal *ret_why)
{
	struct tally_refusal why = {.pid = ask->pid, .cpu = ask->cpu};
	const struct access_rule *broken = NULL;

	if (access->syscall < 0)
		explain_no_syscall(access, &why);
	else if ((broken = find_broken(access, ask)))
		access_explain(access, broken, &why);
	else if (access->plain == -EACCES || access->plain == -EPERM)
		explain_security_module(access, &why);
	else
		return true;
	if (ret_why)
		*ret_why = why;
	return false;
}

/* ---- data that procfs hides --------------------------------------------------- */

/* Indexed by whether kptr_restrict is nonzero. If it is 0, a perf_event_paranoid level of at most 1
 * also makes the addresses visible. */
static const struct access_rule addresses_rules[] = {
	{.rule = TALLY_RULE_KERNEL_ADDRESSES,
	 .code = -EPERM,
	 .paranoid = 1,
	 .capability = TALLY_CAP_SYSLOG,
	 .text = "the addresses in /proc/kallsyms are hidden"},
	{.rule = TALLY_RULE_KERNEL_ADDRESSES,
	 .code = -EPERM,
	 .paranoid = ACCESS_NO_LEVEL,
	 .capability = TALLY_CAP_SYSLOG,
	 .text = "the addresses in /proc/kallsyms are hidden"},
};

static const struct access_rule maps_rule = {
	.rule = TALLY_RULE_FOREIGN_MAPS,
	.code = -EACCES,
	.paranoid = ACCESS_NO_LEVEL,
	.capability = TALLY_CAP_SYS_PTRACE,
	.text = "the maps of other users' processes are hidden",
};

static bool shows_addresses(const struct tally_access *access)
{
	bool level = access->paranoid <= 1 && access->paranoid != TALLY_ACCESS_UNKNOWN;

	return access->kptr_restrict <= 1 && (tally_access_has(access, TALLY_CAP_SYSLOG) ||
					      (access->kptr_restrict <= 0 && level));
}

bool tally_access_kernel_addresses(const struct tally_access *access, struct tally_refusal *ret_why)
{
	bool capable = tally_access_has(access, TALLY_CAP_SYSLOG);
	struct tally_refusal why = {.pid = -1, .cpu = -1};

	if (shows_addresses(access))
		return true;
	access_explain(access, &addresses_rules[access->kptr_restrict > 0], &why);
	FORMAT_TEXT(why.found, "kernel.kptr_restrict is %s, kernel.perf_event_paranoid is %s%s",
		    access_level(access->kptr_restrict).text, access_level(access->paranoid).text,
		    capable ? "" : ", and CAP_SYSLOG is not held");
	if (access->kptr_restrict > 1) {
		FORMAT_TEXT(why.needed, "kernel.kptr_restrict of at most 1, and CAP_SYSLOG");
		access_fix_sysctl(access, "kernel.kptr_restrict", 1, &why);
	}
	if (ret_why)
		*ret_why = why;
	return false;
}

void tally_access_explain_descriptors(const struct tally_access *access,
				      struct tally_refusal *ret_why)
{
	struct tally_refusal why = {
		.code = -EMFILE, .pid = -1, .cpu = -1, .broken = TALLY_RULE_DESCRIPTORS};

	FORMAT_TEXT(why.rule, "too many open files in this process: each event needs one "
			      "descriptor for every CPU and thread");
	FORMAT_TEXT(why.found, "RLIMIT_NOFILE is %" PRIu64 ", and can be raised to %" PRIu64,
		    access->files, access->files_hard);
	access_add_fix(&why, "count fewer events, CPUs (-C) or threads (-t)");
	access_add_fix(&why,
		       "raise the limit: ulimit -n (as root ulimit -Hn), or LimitNOFILE= in a "
		       "systemd unit");
	*ret_why = why;
}

bool tally_access_foreign_maps(const struct tally_access *access, struct tally_refusal *ret_why)
{
	struct tally_refusal why = {.pid = -1, .cpu = -1};

	if (tally_access_has(access, maps_rule.capability))
		return true;
	access_explain(access, &maps_rule, &why);
	if (ret_why)
		*ret_why = why;
	return false;
}
