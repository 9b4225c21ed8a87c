/* SPDX-License-Identifier: BSD-2-Clause */
/* Permission checks. */
#include "core/check.h"

#if TALLY_CORE_USERS

/* Return true if `current` has CAP_PERFMON, or CAP_SYS_ADMIN, which includes it. */
static bool has_perfmon(const struct tally_core *core, const struct tally_core_task *current)
{
	return tally_core_capable(core, current, TALLY_CORE_CAP_PERFMON) ||
	       tally_core_capable(core, current, TALLY_CORE_CAP_SYS_ADMIN);
}

/* Return true if perf_event_paranoid exceeds `level` and the caller lacks CAP_PERFMON. */
static bool forbidden_over(const struct tally_check *c, int32_t level)
{
	return tally_load_relaxed(&c->core->settings.paranoid) > level &&
	       !has_perfmon(c->core, c->current);
}

bool tally_anything_forbidden(const struct tally_check *c)
{
	return forbidden_over(c, 2);
}

bool tally_kernel_forbidden(const struct tally_check *c)
{
	return !c->attr->exclude_kernel && forbidden_over(c, 1);
}

bool tally_namespaces_forbidden(const struct tally_check *c)
{
	return c->attr->namespaces && !has_perfmon(c->core, c->current);
}

bool tally_addresses_forbidden(const struct tally_check *c)
{
	return c->attr->sample_type & PERF_SAMPLE_PHYS_ADDR && forbidden_over(c, 1);
}

bool tally_branches_forbidden(const struct tally_check *c)
{
	const uint64_t modes =
		PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL | PERF_SAMPLE_BRANCH_HV;
	uint64_t asked = c->attr->branch_sample_type;

	if (!(c->attr->sample_type & PERF_SAMPLE_BRANCH_STACK))
		return false;
	if (!(asked & modes))
		asked |= (c->attr->exclude_kernel ? 0 : PERF_SAMPLE_BRANCH_KERNEL) |
			 (c->attr->exclude_hv ? 0 : PERF_SAMPLE_BRANCH_HV);
	return asked & (PERF_SAMPLE_BRANCH_KERNEL | PERF_SAMPLE_BRANCH_HV) && forbidden_over(c, 1);
}

bool tally_cpu_forbidden(const struct tally_check *c)
{
	return !c->task && forbidden_over(c, 0);
}

static bool may_observe(const struct tally_check *c)
{
	const struct tally_core *core = c->core;

	return core->ops->may_observe ? core->ops->may_observe(core->host, c->current, c->task)
				      : c->current->user && c->current->user == c->task->user;
}

bool tally_task_forbidden(const struct tally_check *c)
{
	return c->task && c->task != c->current && !c->attr->sigtrap &&
	       !has_perfmon(c->core, c->current) && !may_observe(c);
}

/* Return true if the task has executed a privileged program since its permissions were checked. If
 * the task does so after this check, the exec removes the events opened on it. Calls by the kernel
 * itself are not checked. */
bool tally_task_has_more_rights(const struct tally_check *c)
{
	return c->current && c->task && tally_load_acquire(&c->task->execs) != c->execs;
}

/* A signal changes the behavior of a task, so permission to observe the task is not sufficient. */
bool tally_trap_forbidden(const struct tally_check *c)
{
	const struct tally_core *core = c->core;

	if (!c->attr->sigtrap || !c->task || !c->current || c->task->pid == c->current->pid)
		return false;
	if (has_perfmon(core, c->current) &&
	    tally_core_capable(core, c->current, TALLY_CORE_CAP_KILL))
		return false;
	return !core->ops->may_trap || !core->ops->may_trap(core->host, c->current, c->task);
}

/* Raw tracepoint data belong to the kernel, unless they contain only the task's own actions. Hit
 * counts are not restricted. As in Linux, only sample_type matters, whether or not the event
 * samples. */
bool tally_tracepoint_forbidden(const struct tally_check *c)
{
	if (c->attr->type != PERF_TYPE_TRACEPOINT || !(c->attr->sample_type & PERF_SAMPLE_RAW))
		return false;
	if (c->task && c->event->tracepoint && c->event->tracepoint->about_own_task)
		return false;
	return forbidden_over(c, -1);
}

#endif
