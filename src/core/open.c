/* SPDX-License-Identifier: BSD-2-Clause */
/* perf_event_open(2). */
#include "abi/attr.h"
#include "core/check.h"
#include "core/context.h"
#include "core/control.h"
#include "core/event.h"
#include "core/family.h"
#include "core/migrate.h"
#include "core/open.h"
#include "core/pmus.h"
#include "core/refuse.h"

/* ---- the attr --------------------------------------------------------------------------- */

static const struct tally_core_refusal bad_address =
	TALLY_WHY(-EFAULT, "attr", "the attr cannot be read", "");
static const struct tally_core_refusal bad_size =
	TALLY_WHY(-E2BIG, "size", "the size is invalid, or unknown bits are set",
		  "use the size that was written back");
static const struct tally_core_refusal no_memory = TALLY_WHY(-ENOMEM, "", "out of memory", "");

enum { SIZE_LIMIT = 4096 };

/* The first fields of every attr. */
struct attr_head {
	uint32_t type, size;
};

/* Read the rest of an attr after its head. User memory is read only once, so it cannot change
 * between the check and the use. */
static const struct tally_core_refusal *copy_rest(struct tally_core *core, const uint8_t *user,
						  struct attr_head head,
						  struct perf_event_attr *ret_attr)
{
	uint8_t *bytes = tally_core_alloc(core, head.size);
	const struct tally_core_refusal *why = NULL;
	uint32_t known;

	if (!bytes)
		return &no_memory;
	__builtin_memcpy(bytes, &head, sizeof(head));
	if (core->ops->copy_from_user(core->host, bytes + sizeof(head), user + sizeof(head),
				      head.size - sizeof(head)))
		why = &bad_address;
	else if (tally_attr_negotiate(bytes, TALLY_CORE_ATTR_SIZE, ret_attr, &known))
		why = &bad_size;
	tally_core_free(core, bytes, head.size);
	return why;
}

const struct tally_core_refusal *tally_open_copy_attr(struct tally_core *core, uint8_t *user,
						      struct perf_event_attr *ret_attr)
{
	const struct tally_core_refusal *why = &bad_size;
	uint32_t known = TALLY_CORE_ATTR_SIZE;
	struct attr_head head;

	if (core->ops->copy_from_user(core->host, &head, user, sizeof(head)))
		return &bad_address;
	if (!head.size)
		head.size = PERF_ATTR_SIZE_VER0;
	if (head.size >= PERF_ATTR_SIZE_VER0 && head.size <= SIZE_LIMIT)
		why = copy_rest(core, user, head, ret_attr);
	if (why == &bad_size)
		core->ops->copy_to_user(core->host, user + sizeof(head.type), &known,
					sizeof(known));
	return why;
}

/* ---- group and task --------------------------------------------------------------------- */

static const struct tally_core_refusal bad_group =
	TALLY_WHY(-EBADF, "group_fd", "not an event descriptor", "");
static const struct tally_core_refusal dead_group =
	TALLY_WHY(-ENODEV, "group_fd", "the leader's task has exited", "");
static const struct tally_core_refusal no_task = TALLY_WHY(-ESRCH, "pid", "no such task", "");

static const struct tally_core_refusal *find_group(struct tally_check *check, int group_fd)
{
	const struct tally_core *core = check->core;

	if (group_fd == -1)
		return NULL;
	check->leader = core->ops->event_of_fd(core->host, check->current, group_fd);
	if (!check->leader)
		return &bad_group;
	return tally_load_relaxed(&check->leader->state) <= TALLY_STATE_EXIT ? &dead_group : NULL;
}

static const struct tally_core_refusal *find_task(struct tally_check *check)
{
	const struct tally_core *core = check->core;

	if (check->pid == -1)
		return NULL;
	if (check->pid >= 0)
		check->task = core->ops->task_get(core->host, check->current,
						  check->pid ? check->pid : check->current->tid);
	if (!check->task)
		return &no_task;
	check->execs = tally_load_acquire(&check->task->execs);
	if (!tally_load_relaxed(&check->task->exited))
		return NULL;
	core->ops->task_put(core->host, check->task);
	check->task = NULL;
	return &no_task;
}

/* ---- finding a PMU ---------------------------------------------------------------------- */

static const struct tally_core_refusal by_pmu[] = {
	TALLY_WHY(-ENOENT, "config", "no PMU supports this event",
		  "choose another event; without a hardware PMU, use software events or clocks"),
	TALLY_WHY(-EOPNOTSUPP, "config", "the PMU supports the event, but not with these options",
		  "try without precise_ip, branch sampling or exclude bits"),
	TALLY_WHY(-ENOMEM, "", "out of memory", ""),
	TALLY_WHY(-ENOSPC, "config", "the PMU has no free counter for the event",
		  "close other events of this kind"),
	TALLY_WHY(-EPERM, "config", "the event requires privileges", ""),
	TALLY_WHY(-EACCES, "config", "the event requires privileges", ""),
	TALLY_WHY(-EINVAL, "config", "the PMU rejects the event", ""),
};

static const struct tally_core_refusal no_pmus =
	TALLY_WHY(-ENOENT, "type", "the host has registered no PMU",
		  "use software events or clocks; if this is your host, set "
		  "ops->pmu_init, because a tally_core_pmu_init() in "
		  "an archive is not linked in");

const struct tally_core_refusal *tally_open_by_pmu(int error)
{
	size_t i = 0;

	while (i < TALLY_ARRAY_SIZE(by_pmu) - 1 && by_pmu[i].code != error)
		i++;
	return &by_pmu[i];
}

static const struct tally_core_refusal no_cpu =
	TALLY_WHY(-ENODEV, "cpu", "no online CPU can count events on behalf of this CPU", "");

/* Replace the requested CPU with the one that the PMU designates for it. */
static const struct tally_core_refusal *designate(struct tally_check *check)
{
	struct tally_core_event *event = check->event;
	struct tally_core_pmu *pmu = event->pmu;
	int32_t cpu;

	if (!event->moves)
		return NULL;
	cpu = tally_migrate_target(check->core, pmu, (uint32_t)check->cpu);
	if (cpu < 0)
		return &no_cpu;
	check->cpu = event->cpu = event->hw.cpu = cpu;
	return NULL;
}

static const struct tally_core_refusal *make_event(struct tally_check *check)
{
	struct tally_core_pmu *pmu;
	int ret = tally_event_new(check->core, check->attr, check->task, check->cpu, &check->event);

	if (ret == -ENOENT && check->attr->type != PERF_TYPE_SOFTWARE &&
	    !tally_pmus_of_host(check->core))
		return &no_pmus;
	if (ret)
		return tally_open_by_pmu(ret);
	check->event->viewer = check->current ? check->current->viewer : NULL;
	check->event->overflow = check->overflow;
	check->event->overflow_arg = check->overflow_arg;
	pmu = check->event->pmu;
	check->event->moves = TALLY_CORE_SEVERAL_CPUS && pmu->cpu_of && check->cpu >= 0;
	ret = pmu->check ? pmu->check(pmu, &check->event->attr, check->current) : 0;
	return ret ? tally_open_by_pmu(ret) : NULL;
}

/* ---- installation ----------------------------------------------------------------------- */

/* Find the event's context and lock its family. */
static const struct tally_core_refusal *context_lock(struct tally_check *check)
{
	if (!check->task) {
		check->context = &check->core->cpus[check->cpu].own;
		tally_family_lock(tally_event_family(check->event, check->context));
		return NULL;
	}
	switch (tally_context_lock_task(check->core, check->task, &check->context)) {
	case 0: return NULL;
	case -ESRCH: return &no_task;
	}
	return &no_memory;
}

static void context_unlock(struct tally_check *check)
{
	if (check->task)
		tally_context_unlock_task(check->context);
	else
		tally_family_unlock(tally_event_family(check->event, check->context));
}

/* Lock the context, and allocate slices if they are needed for a task's event on a single CPU. */
static const struct tally_core_refusal *context_lock_sliced(struct tally_check *check)
{
	const struct tally_core_refusal *why = context_lock(check);
	int ret = 0;

	while (TALLY_CORE_SEVERAL_CPUS && !why && !ret && check->task && check->cpu >= 0 &&
	       !tally_load_relaxed(&check->context->slices)) {
		struct tally_core_context *context = check->context;

		/* Memory is allocated without the lock. The task may get another context in the
		 * meantime, so check again. */
		tally_context_get(context);
		context_unlock(check);
		ret = tally_context_alloc_slices(context);
		tally_context_put(context);
		why = ret ? &no_memory : context_lock(check);
	}
	return why;
}

/* For an event that can migrate, determine the CPU again, under the lock that prevents the event
 * and its group from migrating. The CPU found earlier may have gone offline, and the group may not
 * have migrated yet. */
static const struct tally_core_refusal *designate_locked(struct tally_check *check)
{
	const struct tally_core_refusal *why;

	if (!check->event->moves)
		return NULL;
	why = designate(check);
	if (why)
		return why;
	check->context = &check->core->cpus[check->cpu].own;
	if (check->leader && check->leader->moves)
		tally_migrate_group(check->leader->leader);
	return NULL;
}

static const struct tally_core_refusal *install(struct tally_check *check)
{
	const struct tally_core_refusal *why = context_lock_sliced(check);

	if (why)
		return why;
	why = designate_locked(check);
	if (!why)
		why = tally_check(check, TALLY_CHECK_GROUP);
	if (!why)
		tally_event_install(check->event, check->context, check->leader,
				    check->attr->disabled ? TALLY_STATE_OFF : TALLY_STATE_INACTIVE);
	context_unlock(check);
	return why;
}

/* Undo a failed open: retire and release the event. */
static void abort_open(struct tally_core_event *event)
{
	struct tally_list dead;

	tally_list_init(&dead);
	if (event->context)
		tally_event_lock(event);
	tally_event_retire(event, &dead);
	if (event->context)
		tally_event_unlock(event);
	tally_events_put(&dead);
}

/* Create, check and install the event. With FD_OUTPUT, its records go to the buffer of the event
 * group_fd; with NO_GROUP, group_fd selects only the output. The output rules require that the
 * event is in its context. */
static const struct tally_core_refusal *create_and_install(struct tally_check *check)
{
	const struct tally_core_refusal *why = tally_check(check, TALLY_CHECK_TARGET);

	if (!why)
		why = make_event(check);
	if (!why)
		why = tally_check(check, TALLY_CHECK_EVENT);
	if (!why)
		why = designate(check);
	if (!why)
		why = install(check);
	if (!why && check->output)
		why = tally_control_output(check->event, check->output);
	if (why && check->event)
		abort_open(check->event);
	if (why)
		return why;
	tally_event_register(check->event, check->current);
	/* If the event's CPU went offline before the event was listed, the event has not migrated
	 * yet. */
	tally_migrate_event(check->event);
	return NULL;
}

static const struct tally_core_refusal *open_event(struct tally_check *check, int group_fd)
{
	const struct tally_core_refusal *why = find_group(check, group_fd);

	if (!why)
		why = find_task(check);
	if (check->flags & PERF_FLAG_FD_OUTPUT)
		check->output = check->leader;
	if (check->flags & PERF_FLAG_FD_NO_GROUP)
		check->leader = NULL;
	if (!why)
		why = create_and_install(check);
	if (check->task)
		check->core->ops->task_put(check->core->host, check->task);
	return why;
}

int tally_core_open(struct tally_core *core, struct tally_core_task *current, void *attr,
		    int32_t pid, int32_t cpu, int group_fd, unsigned long flags,
		    struct tally_core_event **ret_event, struct tally_core_refusal *ret_why)
{
	struct perf_event_attr copy;
	struct tally_check check = {.core = core,
				    .current = current,
				    .attr = &copy,
				    .pid = pid,
				    .cpu = cpu,
				    .flags = flags};
	const struct tally_core_refusal *why = tally_check(&check, TALLY_CHECK_FLAGS);

	if (!why)
		why = tally_open_copy_attr(core, attr, &copy);
	if (!why)
		why = tally_check(&check, TALLY_CHECK_ATTR);
	if (!why && TALLY_CORE_USERS && core->ops->permit &&
	    !core->ops->permit(core->host, TALLY_HOST_OPEN, &copy, NULL))
		why = &tally_not_permitted;
	if (!why)
		why = open_event(&check, group_fd);
	if (!why)
		*ret_event = check.event;
	return tally_refusal_report(why, ret_why);
}

/* ---- in-kernel events ------------------------------------------------------------------- */

int tally_core_event_create(struct tally_core *core, const struct perf_event_attr *attr,
			    const struct tally_core_event_setup *setup,
			    struct tally_core_event **ret_event, struct tally_core_refusal *ret_why)
{
	struct perf_event_attr copy = *attr;
	struct tally_check check = {.core = core,
				    .attr = &copy,
				    .pid = -1,
				    .cpu = setup->cpu,
				    .leader = setup->leader,
				    .output = setup->output,
				    .task = setup->task,
				    .overflow = setup->overflow,
				    .overflow_arg = setup->overflow_arg};
	const struct tally_core_refusal *why = tally_check(&check, TALLY_CHECK_ATTR);

	if (!why && check.leader && tally_load_relaxed(&check.leader->state) <= TALLY_STATE_EXIT)
		why = &dead_group;
	if (!why)
		why = create_and_install(&check);
	if (!why)
		*ret_event = check.event;
	return tally_refusal_report(why, ret_why);
}
