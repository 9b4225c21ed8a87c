/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Why an event was refused. perf_event_open only says a number; the rule behind it is found by
 * what was asked, by what is permitted here, and by asking again with less.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "abi/attr.h"
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

/* The one field without which the event opens; "" if there is no such field. */
static void find_field(const struct probe *probe, const struct perf_event_attr *attr,
		       char *ret_field, size_t size)
{
	for (size_t i = 0; i < tally_attr_nr_fields; i++) {
		const struct tally_attr_field *field = &tally_attr_fields[i];
		struct perf_event_attr less = *attr;

		if (!strcmp(field->name, "type") || !strcmp(field->name, "size") ||
		    !strcmp(field->name, "config") || !tally_attr_get(attr, field))
			continue;
		tally_attr_set(&less, field, 0);
		if (opens(probe, less)) {
			snprintf(ret_field, size, "%s", field->name);
			return;
		}
	}
}

static void say(char *to, size_t size, const char *text)
{
	snprintf(to, size, "%s", text);
}

#define SAY(member, text) say(member, sizeof(member), text)

static void explain_permission(const struct perf_event_attr *attr, int32_t pid, int32_t cpu,
			       struct tally_refusal *why)
{
	int paranoid = tally_permits_paranoid(), needed = 2;

	if (pid < 0 || cpu >= 0) {
		SAY(why->rule, "counting every task on a CPU needs a privilege");
		needed = 0;
	} else if (attr->type == PERF_TYPE_TRACEPOINT) {
		SAY(why->rule, "raw tracepoint data needs a privilege");
		needed = -1;
	} else if (!attr->exclude_kernel) {
		SAY(why->rule, "counting in the kernel needs a privilege");
		needed = 1;
	} else {
		SAY(why->rule,
		    "this task belongs to somebody else, or perf_event_open is forbidden "
		    "here (seccomp, perf_event_paranoid above 2)");
	}
	snprintf(why->found, sizeof(why->found),
		 "kernel.perf_event_paranoid is %d, and CAP_PERFMON is not held", paranoid);
	SAY(why->fix[0], "sudo setcap cap_perfmon=ep $(command -v tally) (CAP_SYS_ADMIN also "
			 "permits it, but is discouraged)");
	snprintf(why->fix[1], sizeof(why->fix[1]), "sudo sysctl kernel.perf_event_paranoid=%d",
		 needed);
	if (pid >= 0 && !attr->exclude_kernel)
		SAY(why->fix[2], "count in user space only: EVENT:u");
}

static void explain_missing(const struct perf_event_attr *attr, struct tally_refusal *why)
{
	if (attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE ||
	    attr->type == PERF_TYPE_RAW) {
		SAY(why->rule, "no PMU here counts this event");
		SAY(why->found,
		    "the kernel offers no hardware counters for it (a virtual machine?)");
		SAY(why->fix[0], "use software events: task-clock, cpu-clock, page-faults");
		return;
	}
	SAY(why->rule, "the kernel does not know this event");
	SAY(why->fix[0], "'tally list' shows what there is");
}

static void explain_limit(int code, struct tally_refusal *why)
{
	if (code == -EMFILE) {
		SAY(why->rule, "too many open files for one process: each event takes one for "
			       "every CPU and thread");
		SAY(why->fix[0], "ulimit -n unlimited, or count fewer CPUs (-C) or threads (-t)");
	} else {
		SAY(why->rule, "too many open files on the system");
		SAY(why->fix[0], "sudo sysctl fs.file-max=1000000");
	}
}

void counters_explain(const struct tally_counters *counters, const struct perf_event_attr *attr,
		      int32_t pid, int32_t cpu, int code, struct tally_refusal *ret_why)
{
	struct probe probe = {counters, pid, cpu};

	*ret_why = (struct tally_refusal){
		.code = code, .event = ret_why->event, .pid = pid, .cpu = cpu};
	switch (code) {
	case -EACCES:
	case -EPERM: explain_permission(attr, pid, cpu, ret_why); break;
	case -ENOENT:
	case -ENODEV:
	case -ENXIO: explain_missing(attr, ret_why); break;
	case -EMFILE:
	case -ENFILE: explain_limit(code, ret_why); break;
	case -ESRCH: SAY(ret_why->rule, "there is no such task (any more)"); break;
	case -EBUSY: SAY(ret_why->rule, "another user has the PMU for itself"); break;
	case -ENOSPC: SAY(ret_why->rule, "all breakpoint registers are taken"); break;
	case -ENOSYS:
		SAY(ret_why->rule, "this kernel was built without perf events, or a seccomp filter "
				   "forbids them");
		SAY(ret_why->fix[0], "in a container: a seccomp profile that permits "
				     "perf_event_open, or --cap-add PERFMON");
		break;
	case -EOPNOTSUPP:
		SAY(ret_why->rule, "the PMU cannot do what the event asks for");
		SAY(ret_why->fix[0], "if it is sampling: a PMU without interrupts can only count; "
				     "use cpu-clock");
		break;
	default: SAY(ret_why->rule, "the kernel does not accept the event as it is");
	}
	if (code == -EINVAL || code == -EOPNOTSUPP || code == -E2BIG)
		find_field(&probe, attr, ret_why->field, sizeof(ret_why->field));
}
