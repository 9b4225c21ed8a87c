/* SPDX-License-Identifier: BSD-2-Clause */
/* IOC_MODIFY_ATTRIBUTES: change the address, length or access type of an open breakpoint. */
#include "core/check.h"
#include "core/context.h"
#include "core/control.h"
#include "core/family.h"
#include "core/open.h"
#include "core/pmus.h"

#if TALLY_CORE_TRAPS

static const struct tally_core_refusal other_type =
	TALLY_WHY(-EINVAL, "type", "an event's type cannot be changed", "open another event");
static const struct tally_core_refusal no_modify =
	TALLY_WHY(-EOPNOTSUPP, "type", "only breakpoints can be modified", "");
static const struct tally_core_refusal other_field = TALLY_WHY(
	-EINVAL, "", "only bp_type, bp_addr, bp_len, disabled and sig_data can be modified",
	"leave the other fields as they were when the event was opened");

static const struct tally_core_refusal revoked =
	TALLY_WHY(-ENODEV, "", "the event's PMU was unregistered", "close the event");

struct modification {
	struct tally_core_event *event;
	const struct perf_event_attr *attr;
	int refused; /* result of the PMU's check() for the attr and the caller */
	const struct tally_core_refusal *why;
};

static void disable_here(struct tally_core_cpu *cpu, struct tally_core_context *context, void *arg)
{
	tally_control_disable_here(cpu, arg);
}

static void enable_here(struct tally_core_cpu *cpu, struct tally_core_context *context, void *arg)
{
	tally_control_enable_here(cpu, arg);
}

static void copy_breakpoint(struct perf_event_attr *to, const struct perf_event_attr *from)
{
	to->bp_type = from->bp_type;
	to->bp_addr = from->bp_addr;
	to->bp_len = from->bp_len;
	to->disabled = from->disabled;
}

static void modify_here(struct tally_core_cpu *cpu, struct tally_core_context *context, void *arg)
{
	struct modification *modification = arg;
	struct tally_core_event *event = modification->event;
	struct perf_event_attr wanted = event->attr;
	int error = modification->refused;

	copy_breakpoint(&wanted, modification->attr);
	if (__builtin_memcmp(&wanted, modification->attr, sizeof(wanted))) {
		modification->why = &other_field;
		return;
	}
	if (!error)
		error = event->pmu->modify(event->pmu, &event->hw, &wanted);
	if (error)
		modification->why = tally_open_by_pmu(error);
	else
		event->attr = wanted;
}

static void sig_data_here(struct tally_core_cpu *cpu, struct tally_core_context *context, void *arg)
{
	const struct modification *modification = arg;

	modification->event->attr.sig_data = modification->attr->sig_data;
}

/* Modify the event while it is disabled, so the PMU's modify() finds it off. Then enable the event,
 * even if it was disabled before, unless the new attr sets `disabled`. */
static const struct tally_core_refusal *modify_one(struct tally_core_event *event,
						   const struct perf_event_attr *attr, int refused)
{
	struct modification modification = {event, attr, refused, NULL};

	tally_context_run(event->context, sig_data_here, &modification);
	tally_context_run(event->context, disable_here, event);
	tally_context_run(event->context, modify_here, &modification);
	if (!event->attr.disabled)
		tally_context_run(event->context, enable_here, event);
	return modification.why;
}

static const struct tally_core_refusal *modify_all(struct tally_core_event *event,
						   const struct perf_event_attr *attr, int refused)
{
	const struct tally_core_refusal *why = modify_one(event, attr, refused);

	tally_list_for_each (link, &event->children) {
		if (!why)
			why = modify_one(tally_container_of(link, struct tally_core_event, child),
					 attr, refused);
	}
	return why;
}

/* Permissions are checked here, in the calling task, because another task may be running on the
 * event's CPU. */
static const struct tally_core_refusal *modify_of(struct tally_core_event *event,
						  struct tally_core_pmu *pmu,
						  const struct tally_core_task *current,
						  const struct perf_event_attr *attr)
{
	const struct tally_core_refusal *why;
	int refused;

	if (!pmu->modify)
		return &no_modify;
	refused = pmu->check ? pmu->check(pmu, attr, current) : 0;
	tally_event_lock(event);
	why = tally_load_relaxed(&event->state) == TALLY_STATE_REVOKED
		      ? &revoked
		      : modify_all(event, attr, refused);
	tally_event_unlock(event);
	return why;
}

const struct tally_core_refusal *tally_control_modify(struct tally_core_event *event,
						      struct tally_core_task *current, void *user)
{
	struct tally_core *core = event->core;
	struct perf_event_attr attr;
	const struct tally_check check = {
		.core = core, .current = current, .attr = &attr, .pid = -1, .cpu = -1};
	const struct tally_core_refusal *why = tally_open_copy_attr(core, user, &attr);
	struct tally_core_pmu *pmu;

	if (!why)
		why = tally_check(&check, TALLY_CHECK_FORM);
	if (why)
		return why;
	if (attr.type != event->attr.type)
		return &other_type;
	pmu = tally_pmu_hold(event);
	why = pmu ? modify_of(event, pmu, current, &attr) : &revoked;
	tally_pmu_release(pmu);
	return why;
}

#endif
