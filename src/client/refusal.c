/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Explain why an event was rejected. perf_event_open only returns an error number. The violated
 * rule is deduced from the request, from this process's permissions, and by opening the event again
 * with fewer features requested.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/attr.h"
#include "base/arith.h"
#include "base/file.h"
#include "client/access_private.h"
#include "client/counters_private.h"

struct probe {
	const struct tally_counters *counters;
	int32_t pid, cpu;
};

static bool opens(const struct probe *probe, struct perf_event_attr attr)
{
	const struct tally_transport *transport = probe->counters->transport;
	int fd;

	attr.disabled = 1;
	fd = transport->open(transport, &attr, probe->pid, probe->cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd >= 0)
		transport->close(transport, fd);
	return fd >= 0;
}

/* sample_type bits, each with the attr field that contains its details, and a way to avoid the
 * bit. */
static const struct {
	uint64_t bit;
	const char *field, *fix;
} twins[] = {
	{PERF_SAMPLE_BRANCH_STACK, "branch_sample_type",
	 "leave out -b, -j and --call-graph lbr: this system cannot record branches"},
	{PERF_SAMPLE_REGS_USER, "sample_regs_user", "leave out --user-regs"},
	{PERF_SAMPLE_STACK_USER, "sample_stack_user", "use --call-graph fp instead of dwarf"},
	{PERF_SAMPLE_REGS_INTR, "sample_regs_intr", "leave out -I"},
};

static bool find_sample_field(const struct probe *probe, const struct perf_event_attr *attr,
			      struct tally_refusal *why)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(twins); i++) {
		struct perf_event_attr less = *attr;

		less.sample_type &= ~twins[i].bit;
		tally_attr_set(&less, tally_attr_find_field(twins[i].field), 0);
		if (!(attr->sample_type & twins[i].bit) || !opens(probe, less))
			continue;
		FORMAT_TEXT(why->field, "%s", twins[i].field);
		access_add_fix(why, "%s", twins[i].fix);
		return true;
	}
	return false;
}

/* Return the name to report for an attr field. For a breakpoint, config1 and config2 are reported
 * as bp_addr and bp_len. */
static const char *field_name(const struct perf_event_attr *attr, const char *name)
{
	if (attr->type == PERF_TYPE_BREAKPOINT && !strcmp(name, "config1"))
		return "bp_addr";
	if (attr->type == PERF_TYPE_BREAKPOINT && !strcmp(name, "config2"))
		return "bp_len";
	return name;
}

/* Find the single field that prevents the event from being opened, and leave why->field empty if
 * there is no such field. */
static void find_field(const struct probe *probe, const struct perf_event_attr *attr,
		       struct tally_refusal *why)
{
	if (find_sample_field(probe, attr, why))
		return;
	for (size_t i = 0; i < tally_attr_nr_fields; i++) {
		const struct tally_attr_field *field = &tally_attr_fields[i];
		struct perf_event_attr less = *attr;

		if (!strcmp(field->name, "type") || !strcmp(field->name, "size") ||
		    !strcmp(field->name, "config") || !tally_attr_get(attr, field))
			continue;
		tally_attr_set(&less, field, 0);
		if (opens(probe, less)) {
			FORMAT_TEXT(why->field, "%s", field_name(attr, field->name));
			return;
		}
	}
}

/* Return the attributes with all fallbacks applied. */
static struct perf_event_attr relaxed(const struct probe *probe, struct perf_event_attr attr)
{
	unsigned fallback = 0;

	while (attr_relax(&attr, -EINVAL, &probe->counters->options, &fallback)) {
	}
	(void)attr_relax(&attr, -ENOENT, &probe->counters->options, &fallback);
	return attr;
}

/* ---- permissions -------------------------------------------------------------- */

/* Deduce the rule from a new snapshot of the permissions, but keep the kernel's error code. */
static void explain_permission(const struct probe *probe, const struct perf_event_attr *attr,
			       int code, struct tally_refusal *why)
{
	struct tally_access_request ask = {.attr = attr, .pid = probe->pid, .cpu = probe->cpu};
	struct tally_access access;
	size_t event = why->event;

	tally_access_read(NULL, &access);
	tally_access_probe(probe->counters->transport, &access);
	ask.task = tally_access_task(&access, NULL, probe->pid);
	if (tally_access_event(&access, &ask, why)) {
		why->broken = TALLY_RULE_OTHER;
		FORMAT_TEXT(why->rule, "the kernel denies access for an unknown reason");
		FORMAT_TEXT(why->found, "kernel.perf_event_paranoid is %s, and CAP_PERFMON is %s",
			    access_level(access.paranoid).text,
			    tally_access_perfmon(&access) ? "held" : "not held");
	}
	why->code = code;
	why->event = event;
}

/* ---- missing CPUs and PMUs ------------------------------------------------------ */

static bool cpu_is_online(int32_t number)
{
	struct tally_cpus *online;
	bool found;

	if (number < 0 || tally_cpus_online(NULL, &online))
		return true;
	found = tally_cpus_index(online, number) >= 0;
	free(online);
	return found;
}

static void explain_cpu(int32_t cpu, struct tally_refusal *why)
{
	why->broken = TALLY_RULE_NO_CPU;
	FORMAT_TEXT(why->rule, "CPU %d does not exist or is offline", cpu);
	access_add_fix(why, "list the online CPUs: cat /sys/devices/system/cpu/online");
}

static void explain_missing(const struct perf_event_attr *attr, struct tally_refusal *why)
{
	if (attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE ||
	    attr->type == PERF_TYPE_RAW) {
		why->broken = TALLY_RULE_NO_PMU;
		FORMAT_TEXT(why->rule, "no PMU on this system counts this event");
		FORMAT_TEXT(why->found, "the kernel has no hardware counters for this event; is "
					"this a virtual machine?");
		access_add_fix(why, "use software events: task-clock, cpu-clock, page-faults");
		return;
	}
	why->broken = TALLY_RULE_UNKNOWN_EVENT;
	FORMAT_TEXT(why->rule, "the kernel does not know this event");
	access_add_fix(why, "run 'tally list' to see the available events");
}

/* ---- limits --------------------------------------------------------------------- */

static void explain_descriptors(struct tally_refusal *why)
{
	struct tally_refusal limit;
	struct tally_access access;

	tally_access_read(NULL, &access);
	tally_access_explain_descriptors(&access, &limit);
	limit.event = why->event;
	limit.pid = why->pid;
	limit.cpu = why->cpu;
	*why = limit;
}

static bool explain_rate(const struct perf_event_attr *attr, struct tally_refusal *why)
{
	struct tally_access access;

	if (!attr->freq)
		return false;
	tally_access_read(NULL, &access);
	if (access.max_sample_rate < 0 || attr->sample_freq <= (uint64_t)access.max_sample_rate)
		return false;
	why->broken = TALLY_RULE_SAMPLE_RATE;
	FORMAT_TEXT(why->field, "sample_freq");
	FORMAT_TEXT(why->rule, "%" PRIu64 " samples per second exceed the kernel's limit",
		    (uint64_t)attr->sample_freq);
	FORMAT_TEXT(why->found, "kernel.perf_event_max_sample_rate is %" PRId64,
		    access.max_sample_rate);
	access_add_fix(why, "use -F max, or -F %" PRId64, access.max_sample_rate);
	access_fix_sysctl(&access, "kernel.perf_event_max_sample_rate", (int64_t)attr->sample_freq,
			  why);
	return true;
}

static void explain_stack(const struct perf_event_attr *attr, struct tally_refusal *why)
{
	struct tally_access access;

	tally_access_read(NULL, &access);
	why->broken = TALLY_RULE_STACK_DEPTH;
	FORMAT_TEXT(why->field, "sample_max_stack");
	FORMAT_TEXT(why->rule, "callchains of %u entries exceed the kernel's limit",
		    attr->sample_max_stack);
	FORMAT_TEXT(why->found, "kernel.perf_event_max_stack is %s",
		    access_level(access.max_stack).text);
	if (access.max_stack != TALLY_ACCESS_UNKNOWN)
		access_add_fix(why, "use shorter callchains: --max-stack %d", access.max_stack);
	access_fix_sysctl(&access, "kernel.perf_event_max_stack", attr->sample_max_stack, why);
}

/* Explain the rejection of a group member that the kernel accepts outside the group. */
static bool explain_group(const struct probe *probe, const struct perf_event_attr *attr,
			  struct tally_refusal *why)
{
	if (probe->counters->events[why->event].leader == why->event || !opens(probe, *attr))
		return false;
	why->broken = TALLY_RULE_BAD_ATTR;
	FORMAT_TEXT(why->rule, "the kernel accepts the event alone, but not in its group");
	FORMAT_TEXT(why->found, "all events in a group need counters on one PMU at the same time, "
				"and there are not enough");
	access_add_fix(why,
		       "use smaller groups, or a weak group, which may be split: {EVENT,...}:W");
	return true;
}

/* ---- other errors --------------------------------------------------------------- */

static const struct plain {
	int code;
	enum tally_rule broken;
	const char *rule, *fix;
} plain[] = {
	{-ESRCH, TALLY_RULE_NO_TASK, "the task does not exist or has exited", NULL},
	{-EBUSY, TALLY_RULE_BUSY, "another user has exclusive access to the PMU", NULL},
	{-ENOSPC, TALLY_RULE_BUSY, "all breakpoint registers are in use", NULL},
	{-ENFILE, TALLY_RULE_SYSTEM_FILES, "too many open files on the system",
	 "sudo sysctl fs.file-max=1000000"},
	{-ENOMEM, TALLY_RULE_MEMORY, "the kernel is out of memory", NULL},
	{-EOPNOTSUPP, TALLY_RULE_NOT_CAPABLE,
	 "the PMU does not support a feature that the event requests",
	 "a PMU without interrupts can only count; to sample, use cpu-clock"},
	{0, TALLY_RULE_BAD_ATTR, "the kernel does not accept the event's attributes", NULL},
};

static void explain_other(const struct probe *probe, const struct perf_event_attr *attr, int code,
			  struct tally_refusal *why)
{
	const struct plain *row = plain;

	while (row->code && row->code != code)
		row++;
	why->broken = row->broken;
	FORMAT_TEXT(why->rule, "%s", row->rule);
	if (code == -EINVAL || code == -EOPNOTSUPP || code == -E2BIG)
		find_field(probe, attr, why);
	/* An old kernel may also reject fields that have fallbacks. */
	if (!*why->field && (code == -EINVAL || code == -E2BIG)) {
		struct perf_event_attr less = relaxed(probe, *attr);

		find_field(probe, &less, why);
	}
	if (row->fix && !*why->fix[0])
		access_add_fix(why, "%s", row->fix);
}

/* Return the number after `name` in a procfs file, or 0 if it cannot be read. */
static long number_in(const char *path, const char *name)
{
	char *text, *line;
	size_t len;
	long number = 0;

	if (tally_file_read(path, 1 << 16, &text, &len))
		return 0;
	line = strstr(text, name);
	if (line)
		number = strtol(line + strlen(name), NULL, 10);
	free(text);
	return number;
}

/* Explain why a thread cannot be traced. Without kernel events, the thread is traced with
 * ptrace(2), which requires more permissions than counting. */
static void explain_tracing(int32_t pid, struct tally_refusal *why)
{
	char path[64];
	long tracer, scope = number_in("/proc/sys/kernel/yama/ptrace_scope", "");

	snprintf(path, sizeof(path), "/proc/%" PRId32 "/status", pid);
	tracer = number_in(path, "\nTracerPid:");
	why->broken = TALLY_RULE_FOREIGN_TASK;
	if (tracer) {
		FORMAT_TEXT(why->rule, "without kernel events, tally must trace the thread, which "
				       "is already being traced");
		FORMAT_TEXT(why->found, "thread %ld is tracing it", tracer);
		access_add_fix(why,
			       "stop the other tracer: gdb, strace or another tally --via user");
		return;
	}
	FORMAT_TEXT(why->rule,
		    "without kernel events, tally must trace the thread, which is not permitted, "
		    "because the thread belongs to another user or has privileges");
	if (scope) {
		FORMAT_TEXT(why->found, "kernel.yama.ptrace_scope is %ld", scope);
		access_add_fix(why,
			       "start the command with tally, which may trace its own children");
	}
}

void counters_explain(const struct tally_counters *counters, const struct perf_event_attr *attr,
		      int32_t pid, int32_t cpu, int code, struct tally_refusal *ret_why)
{
	struct probe probe = {counters, pid, cpu};

	*ret_why = (struct tally_refusal){
		.code = code, .event = ret_why->event, .pid = pid, .cpu = cpu};
	if (counters->transport->estimates && code == -EPERM)
		explain_tracing(pid, ret_why);
	else if (code == -EACCES || code == -EPERM || code == -ENOSYS)
		explain_permission(&probe, attr, code, ret_why);
	else if ((code == -ENODEV || code == -EINVAL) && !cpu_is_online(cpu))
		explain_cpu(cpu, ret_why);
	else if (code == -ENOENT || code == -ENODEV || code == -ENXIO)
		explain_missing(attr, ret_why);
	else if (code == -EMFILE)
		explain_descriptors(ret_why);
	else if (code == -EOVERFLOW)
		explain_stack(attr, ret_why);
	else if (code != -EINVAL ||
		 (!explain_rate(attr, ret_why) && !explain_group(&probe, attr, ret_why)))
		explain_other(&probe, attr, code, ret_why);
}
