/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/check.h"

/* ---- the attr --------------------------------------------------------------------------- */

static bool flags_unknown(const struct tally_check *c)
{
	return c->flags & ~(PERF_FLAG_FD_NO_GROUP | PERF_FLAG_FD_OUTPUT | PERF_FLAG_PID_CGROUP |
			    PERF_FLAG_FD_CLOEXEC);
}

static bool reserved_set(const struct tally_check *c)
{
	return c->attr->__reserved_1 || c->attr->__reserved_2 || c->attr->__reserved_3;
}

static bool sample_type_unknown(const struct tally_check *c)
{
	return c->attr->sample_type >= PERF_SAMPLE_MAX;
}

static bool read_format_unknown(const struct tally_check *c)
{
	return c->attr->read_format >= PERF_FORMAT_MAX;
}

#if TALLY_CORE_SAMPLE_PARTS

static bool branch_type_bad(const struct tally_check *c)
{
	const uint64_t modes =
		PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL | PERF_SAMPLE_BRANCH_HV;
	uint64_t asked = c->attr->branch_sample_type;

	return c->attr->sample_type & PERF_SAMPLE_BRANCH_STACK &&
	       (asked >= PERF_SAMPLE_BRANCH_MAX || !(asked & ~modes));
}

static bool registers_bad(const struct tally_check *c, uint64_t bit, uint64_t mask)
{
	const struct tally_host_ops *ops = c->core->ops;
	uint64_t known = ops->registers ? ops->register_mask : 0;

	return c->attr->sample_type & bit && (!mask || mask & ~known);
}

static bool user_registers_bad(const struct tally_check *c)
{
	return registers_bad(c, PERF_SAMPLE_REGS_USER, c->attr->sample_regs_user);
}

static bool intr_registers_bad(const struct tally_check *c)
{
	return registers_bad(c, PERF_SAMPLE_REGS_INTR, c->attr->sample_regs_intr);
}

static bool stack_bad(const struct tally_check *c)
{
	uint32_t size = c->attr->sample_stack_user;

	return c->attr->sample_type & PERF_SAMPLE_STACK_USER &&
	       (!c->core->ops->stack || size % 8 || size > 65528);
}

static bool weights_both(const struct tally_check *c)
{
	return (c->attr->sample_type & PERF_SAMPLE_WEIGHT_TYPE) == PERF_SAMPLE_WEIGHT_TYPE;
}

#endif

#if TALLY_CORE_INHERITANCE

static bool thread_without_inherit(const struct tally_check *c)
{
	return c->attr->inherit_thread && !c->attr->inherit;
}

#endif

static bool exec_both(const struct tally_check *c)
{
	return c->attr->remove_on_exec && c->attr->enable_on_exec;
}

#if TALLY_CORE_TRAPS

static bool trap_outlives_exec(const struct tally_check *c)
{
	return c->attr->sigtrap && !c->attr->remove_on_exec;
}

#endif

#if TALLY_CORE_FREQUENCIES

static bool frequency_too_high(const struct tally_check *c)
{
	return c->attr->freq &&
	       c->attr->sample_freq > tally_load_relaxed(&c->core->settings.max_sample_rate);
}

#endif

static bool period_too_long(const struct tally_check *c)
{
	return !c->attr->freq && c->attr->sample_period >> 63;
}

/* ---- the target ------------------------------------------------------------------------- */

static bool cgroup_anywhere(const struct tally_check *c)
{
	return c->flags & PERF_FLAG_PID_CGROUP && (c->pid == -1 || c->cpu == -1);
}

static bool cgroup_asked(const struct tally_check *c)
{
	return c->flags & PERF_FLAG_PID_CGROUP;
}

static bool cpu_unknown(const struct tally_check *c)
{
	return c->cpu < -1 || (c->cpu >= 0 && (uint32_t)c->cpu >= c->core->nr_cpus);
}

static bool cpu_offline(const struct tally_check *c)
{
	return !c->task && !c->event->moves && !tally_load_relaxed(&c->core->cpus[c->cpu].online);
}

static bool neither_task_nor_cpu(const struct tally_check *c)
{
	return !c->task && c->cpu < 0;
}

#if TALLY_CORE_TRAPS

static bool trap_without_task(const struct tally_check *c)
{
	return c->attr->sigtrap && (!c->task || !c->core->ops->sigtrap);
}

#endif

#if TALLY_CORE_INHERITANCE

static bool inherited_read_without_tid(const struct tally_check *c)
{
	return c->attr->inherit && c->attr->sample_type & PERF_SAMPLE_READ &&
	       !(c->attr->sample_type & PERF_SAMPLE_TID);
}

#endif

/* ---- the event -------------------------------------------------------------------------- */

static bool cannot_interrupt(const struct tally_check *c)
{
	return tally_event_samples(c->event) && c->event->pmu->caps & TALLY_PMU_NO_INTERRUPT;
}

static bool cannot_be_precise(const struct tally_check *c)
{
	return !tally_event_is_software(c->event) &&
	       c->attr->precise_ip > c->event->pmu->max_precise;
}

#if TALLY_CORE_SAMPLE_PARTS

static bool cannot_branch(const struct tally_check *c)
{
	uint64_t known = c->event->pmu->branches;

	return c->attr->sample_type & PERF_SAMPLE_BRANCH_STACK &&
	       (!known || c->attr->branch_sample_type & ~known);
}

#endif

static bool cannot_exclude(const struct tally_check *c)
{
	const struct perf_event_attr *a = c->attr;

	return c->event->pmu->caps & TALLY_PMU_NO_EXCLUDE &&
	       (a->exclude_user || a->exclude_kernel || a->exclude_hv || a->exclude_idle ||
		a->exclude_host || a->exclude_guest);
}

static bool not_of_tasks(const struct tally_check *c)
{
	return c->task && c->event->pmu->caps & TALLY_PMU_PER_CPU_ONLY;
}

static bool aux_asked(const struct tally_check *c)
{
	return c->attr->aux_output || c->attr->aux_start_paused;
}

#if TALLY_CORE_SAMPLE_PARTS

static bool stack_too_deep(const struct tally_check *c)
{
	return c->attr->sample_type & PERF_SAMPLE_CALLCHAIN &&
	       c->attr->sample_max_stack > tally_load_relaxed(&c->core->settings.max_stack);
}

static bool clock_unknown(const struct tally_check *c)
{
	uint64_t ns;

	return c->attr->use_clockid &&
	       (!c->core->ops->clock_of ||
		!c->core->ops->clock_of(c->core->host, c->attr->clockid, &ns));
}

#endif

/* ---- the group -------------------------------------------------------------------------- */

static bool leader_is_member(const struct tally_check *c)
{
	return c->leader && !tally_event_is_leader(c->leader);
}

/* The family lock protects the group in this rule and all following rules. */
static bool leader_of_other_task(const struct tally_check *c)
{
	return c->leader && c->leader->context != c->context;
}

static bool leader_is_dead(const struct tally_check *c)
{
	return c->leader && tally_load_relaxed(&c->leader->state) <= TALLY_STATE_EXIT;
}

static bool leader_of_other_cpu(const struct tally_check *c)
{
	return c->leader && c->leader->cpu != c->cpu;
}

#if TALLY_CORE_SAMPLE_PARTS

static bool leader_of_other_clock(const struct tally_check *c)
{
	return c->leader && (c->leader->attr.use_clockid != c->attr->use_clockid ||
			     c->leader->attr.clockid != c->attr->clockid);
}

#endif

#if TALLY_CORE_INHERITANCE

static bool leader_inherits_otherwise(const struct tally_check *c)
{
	return c->leader && c->leader->attr.inherit != c->attr->inherit;
}

#endif

/* Must be the first rule that inspects the leader's group, because groups that can migrate have
 * their own family. */
static bool leader_moves_otherwise(const struct tally_check *c)
{
	return c->leader && c->leader->moves != c->event->moves;
}

/* A group migrates as a whole, so its events must belong to the same PMU. */
static bool leader_of_other_mover(const struct tally_check *c)
{
	return c->leader && c->event->moves && c->leader->pmu != c->event->pmu;
}

static bool member_pinned(const struct tally_check *c)
{
	return c->leader && (c->attr->pinned || c->attr->exclusive);
}

#if TALLY_CORE_SEVERAL_PMUS

static bool member_of_other_pmu(const struct tally_check *c)
{
	if (!c->leader || tally_event_is_software(c->event))
		return false;
	tally_group_for_each (member, c->leader) {
		if (!tally_event_is_software(member) && member->pmu != c->event->pmu)
			return true;
	}
	return false;
}

#endif

enum { GROUP_SIZE_MAX = 16384 };

static bool group_too_large(const struct tally_check *c)
{
	if (!c->leader)
		return false;
	tally_group_for_each (member, c->leader) {
		if (member->attr.read_format & PERF_FORMAT_GROUP &&
		    tally_read_size(member->attr.read_format, c->leader->nr_siblings + 2) >
			    GROUP_SIZE_MAX)
			return true;
	}
	return c->attr->read_format & PERF_FORMAT_GROUP &&
	       tally_read_size(c->attr->read_format, c->leader->nr_siblings + 2) > GROUP_SIZE_MAX;
}

/* Ask the driver whether its events in the group fit together. */
static bool group_never_fits(const struct tally_check *c)
{
	struct tally_core_pmu *pmu = c->event->pmu;
	struct tally_core_hw *hws[64];
	uint32_t nr = 0;

	if (!pmu->fits)
		return false;
	hws[nr++] = &c->event->hw;
	tally_group_for_each (member, c->leader) {
		if (member->pmu != pmu)
			continue;
		if (nr == TALLY_ARRAY_SIZE(hws))
			return true;
		hws[nr++] = &member->hw;
	}
	return pmu->fits(pmu, hws, nr) != 0;
}

static bool aux_asked_of_member(const struct tally_check *c)
{
	return c->attr->aux_pause || c->attr->aux_resume || c->attr->aux_sample_size;
}

/* ---- the rules -------------------------------------------------------------------------- */

#define FIX_PERFMON "get CAP_PERFMON, or lower perf_event_paranoid"

static const struct rule {
	uint8_t stage;
	bool (*broken)(const struct tally_check *check);
	struct tally_core_refusal why;
} rules[] = {
	{TALLY_CHECK_FLAGS, flags_unknown, TALLY_WHY(-EINVAL, "flags", "unknown bits are set", "")},

#if TALLY_CORE_USERS
	{TALLY_CHECK_ATTR, tally_anything_forbidden,
	 TALLY_WHY(-EACCES, "", "perf_event_paranoid is above 2", FIX_PERFMON)},
#endif
	{TALLY_CHECK_FORM, reserved_set,
	 TALLY_WHY(-EINVAL, "__reserved", "reserved bits are set", "")},
	{TALLY_CHECK_FORM, sample_type_unknown,
	 TALLY_WHY(-EINVAL, "sample_type", "unknown bits are set", "")},
	{TALLY_CHECK_FORM, read_format_unknown,
	 TALLY_WHY(-EINVAL, "read_format", "unknown bits are set", "")},
#if TALLY_CORE_SAMPLE_PARTS
	{TALLY_CHECK_FORM, branch_type_bad,
	 TALLY_WHY(-EINVAL, "branch_sample_type",
		   "unknown bits are set, or no branch type is selected", "")},
#endif
#if TALLY_CORE_USERS && TALLY_CORE_SAMPLE_PARTS
	{TALLY_CHECK_FORM, tally_branches_forbidden,
	 TALLY_WHY(-EACCES, "branch_sample_type", "recording kernel branches requires privileges",
		   FIX_PERFMON)},
#endif
#if TALLY_CORE_SAMPLE_PARTS
	{TALLY_CHECK_FORM, user_registers_bad,
	 TALLY_WHY(-EINVAL, "sample_regs_user", "no registers, or registers that do not exist",
		   "")},
	{TALLY_CHECK_FORM, stack_bad,
	 TALLY_WHY(-EINVAL, "sample_stack_user", "not a multiple of 8, or above 65528", "")},
	{TALLY_CHECK_FORM, intr_registers_bad,
	 TALLY_WHY(-EINVAL, "sample_regs_intr", "no registers, or registers that do not exist",
		   "")},
	{TALLY_CHECK_FORM, weights_both,
	 TALLY_WHY(-EINVAL, "sample_type", "WEIGHT and WEIGHT_STRUCT are mutually exclusive", "")},
#endif
#if TALLY_CORE_INHERITANCE
	{TALLY_CHECK_FORM, thread_without_inherit,
	 TALLY_WHY(-EINVAL, "inherit_thread", "requires inherit", "set inherit")},
#endif
	{TALLY_CHECK_FORM, exec_both,
	 TALLY_WHY(-EINVAL, "remove_on_exec", "cannot be combined with enable_on_exec", "")},
#if TALLY_CORE_TRAPS
	{TALLY_CHECK_FORM, trap_outlives_exec,
	 TALLY_WHY(-EINVAL, "sigtrap",
		   "requires remove_on_exec, because a new program does not expect the signal",
		   "set remove_on_exec")},
#endif
#if TALLY_CORE_USERS
	{TALLY_CHECK_ATTR, tally_kernel_forbidden,
	 TALLY_WHY(-EACCES, "exclude_kernel", "counting in the kernel requires privileges",
		   "set exclude_kernel, get CAP_PERFMON, or lower perf_event_paranoid")},
#endif
#if TALLY_CORE_USERS && TALLY_CORE_SIDEBAND
	{TALLY_CHECK_ATTR, tally_namespaces_forbidden,
	 TALLY_WHY(-EACCES, "namespaces", "recording namespaces requires privileges",
		   "get CAP_PERFMON")},
#endif
#if TALLY_CORE_FREQUENCIES
	{TALLY_CHECK_ATTR, frequency_too_high,
	 TALLY_WHY(-EINVAL, "sample_freq", "exceeds the maximum sample rate",
		   "lower it, or raise perf_event_max_sample_rate")},
#endif
	{TALLY_CHECK_ATTR, period_too_long,
	 TALLY_WHY(-EINVAL, "sample_period", "bit 63 is set", "")},
#if TALLY_CORE_USERS && TALLY_CORE_SAMPLE_PARTS
	{TALLY_CHECK_ATTR, tally_addresses_forbidden,
	 TALLY_WHY(-EACCES, "sample_type", "recording physical addresses requires privileges",
		   FIX_PERFMON)},
#endif
	{TALLY_CHECK_ATTR, cgroup_anywhere,
	 TALLY_WHY(-EINVAL, "cpu", "a cgroup can only be counted on one CPU at a time",
		   "pass the cgroup's descriptor and a cpu")},
	{TALLY_CHECK_ATTR, cgroup_asked,
	 TALLY_WHY(-EBADF, "flags", "this machine has no cgroups",
		   "open the event for a task or a CPU")},

	{TALLY_CHECK_TARGET, cpu_unknown, TALLY_WHY(-EINVAL, "cpu", "no such CPU", "")},
	{TALLY_CHECK_TARGET, neither_task_nor_cpu,
	 TALLY_WHY(-EINVAL, "cpu", "one event cannot count all tasks on all CPUs",
		   "pass a pid or a cpu")},
#if TALLY_CORE_TRAPS
	{TALLY_CHECK_TARGET, trap_without_task,
	 TALLY_WHY(-EINVAL, "sigtrap", "there is no task to send the signal to", "pass a pid")},
#endif
#if TALLY_CORE_INHERITANCE
	{TALLY_CHECK_TARGET, inherited_read_without_tid,
	 TALLY_WHY(-EINVAL, "sample_type", "counts of inherited events do not identify their task",
		   "add PERF_SAMPLE_TID")},
#endif

#if TALLY_CORE_USERS && TALLY_CORE_TRACEPOINTS
	{TALLY_CHECK_EVENT, tally_tracepoint_forbidden,
	 TALLY_WHY(-EPERM, "sample_type", "recording tracepoint data requires privileges",
		   FIX_PERFMON)},
#endif
	{TALLY_CHECK_EVENT, cannot_interrupt,
	 TALLY_WHY(-EOPNOTSUPP, "sample_period", "the PMU's counters cannot interrupt",
		   "count without sampling, or sample a clock")},
	{TALLY_CHECK_EVENT, cannot_be_precise,
	 TALLY_WHY(-EOPNOTSUPP, "precise_ip", "the PMU does not support this precision",
		   "lower precise_ip")},
#if TALLY_CORE_SAMPLE_PARTS
	{TALLY_CHECK_EVENT, cannot_branch,
	 TALLY_WHY(-EOPNOTSUPP, "branch_sample_type", "the PMU cannot record these branches",
		   "select fewer branch types, or sample without BRANCH_STACK")},
#endif
	{TALLY_CHECK_EVENT, cannot_exclude,
	 TALLY_WHY(-EINVAL, "exclude_user", "the PMU cannot distinguish privilege modes",
		   "clear all exclude_* bits")},
	{TALLY_CHECK_EVENT, not_of_tasks,
	 TALLY_WHY(-EINVAL, "pid", "the PMU cannot count for individual tasks",
		   "open the event for a CPU")},
	{TALLY_CHECK_EVENT, aux_asked,
	 TALLY_WHY(-EOPNOTSUPP, "aux_output", "the PMU has no AUX area", "")},
#if TALLY_CORE_SAMPLE_PARTS
	{TALLY_CHECK_EVENT, stack_too_deep,
	 TALLY_WHY(-EOVERFLOW, "sample_max_stack", "exceeds the maximum depth",
		   "lower it, or raise perf_event_max_stack")},
	{TALLY_CHECK_EVENT, clock_unknown, TALLY_WHY(-EINVAL, "clockid", "no such clock", "")},
#endif
	{TALLY_CHECK_EVENT, cpu_offline, TALLY_WHY(-ENODEV, "cpu", "the CPU is offline", "")},
#if TALLY_CORE_USERS
	{TALLY_CHECK_EVENT, tally_cpu_forbidden,
	 TALLY_WHY(-EACCES, "pid", "counting all tasks on a CPU requires privileges", FIX_PERFMON)},
#endif
#if TALLY_CORE_USERS && TALLY_CORE_TRAPS
	{TALLY_CHECK_EVENT, tally_trap_forbidden,
	 TALLY_WHY(-EACCES, "sigtrap",
		   "the task belongs to another user, and a signal would change its behavior",
		   "get CAP_PERFMON and CAP_KILL")},
#endif
#if TALLY_CORE_USERS
	{TALLY_CHECK_EVENT, tally_task_forbidden,
	 TALLY_WHY(-EACCES, "pid", "the task belongs to another user", "get CAP_PERFMON")},
#endif
#if TALLY_CORE_USERS
	{TALLY_CHECK_GROUP, tally_task_has_more_rights,
	 TALLY_WHY(-EACCES, "pid", "the task has just executed a program with more privileges",
		   "")},
#endif
	{TALLY_CHECK_GROUP, leader_moves_otherwise,
	 TALLY_WHY(-EINVAL, "group_fd",
		   "events that migrate between CPUs cannot be grouped with events that do not",
		   "open it in a group of its own")},
	{TALLY_CHECK_GROUP, leader_of_other_cpu,
	 TALLY_WHY(-EINVAL, "cpu", "the leader counts on another CPU",
		   "open all events of the group for the same CPU")},
	{TALLY_CHECK_GROUP, leader_of_other_task,
	 TALLY_WHY(-EINVAL, "pid", "the leader counts another task",
		   "open all events of the group for the same task")},
	{TALLY_CHECK_GROUP, leader_is_dead,
	 TALLY_WHY(-ENODEV, "group_fd", "the leader's task has exited", "")},
	{TALLY_CHECK_GROUP, leader_is_member,
	 TALLY_WHY(-EINVAL, "group_fd", "the event is not a group leader",
		   "pass the leader's descriptor")},
#if TALLY_CORE_SAMPLE_PARTS
	{TALLY_CHECK_GROUP, leader_of_other_clock,
	 TALLY_WHY(-EINVAL, "clockid", "the leader uses another clock", "")},
#endif
#if TALLY_CORE_INHERITANCE
	{TALLY_CHECK_GROUP, leader_inherits_otherwise,
	 TALLY_WHY(-EINVAL, "inherit", "the leader has a different setting",
		   "set inherit in all members of the group or in none")},
#endif
	{TALLY_CHECK_GROUP, leader_of_other_mover,
	 TALLY_WHY(-EINVAL, "group_fd",
		   "events that migrate must belong to the PMU of their leader",
		   "open it in a group of its own")},
	{TALLY_CHECK_GROUP, member_pinned,
	 TALLY_WHY(-EINVAL, "pinned", "only a leader can be pinned or exclusive",
		   "set it in the leader")},
#if TALLY_CORE_SEVERAL_PMUS
	{TALLY_CHECK_GROUP, member_of_other_pmu,
	 TALLY_WHY(-EINVAL, "group_fd", "the group is on another PMU",
		   "open it in a group of its own")},
#endif
	{TALLY_CHECK_GROUP, group_too_large,
	 TALLY_WHY(-E2BIG, "group_fd", "the group is too large to be read at once", "")},
	{TALLY_CHECK_GROUP, group_never_fits,
	 TALLY_WHY(-EINVAL, "group_fd", "the PMU does not have enough counters for the whole group",
		   "open fewer events in the group")},
	{TALLY_CHECK_GROUP, aux_asked_of_member,
	 TALLY_WHY(-EINVAL, "aux_action", "there is no AUX area", "")},
};

const struct tally_core_refusal *tally_check(const struct tally_check *check,
					     enum tally_check_stage stage)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(rules); i++) {
		bool judged = rules[i].stage == stage ||
			      (stage == TALLY_CHECK_ATTR && rules[i].stage == TALLY_CHECK_FORM);

		if (judged && rules[i].broken(check))
			return &rules[i].why;
	}
	return stage == TALLY_CHECK_ATTR ? tally_check_offers(check->core->ops, check->attr) : NULL;
}
