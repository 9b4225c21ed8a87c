/* SPDX-License-Identifier: BSD-2-Clause */
/* perf_event_open(2). */
#include "abi/attr.h"
#include "core/check.h"
#include "core/context.h"
#include "core/control.h"
#include "core/event.h"
#include "core/refuse.h"

/* ---- the attr --------------------------------------------------------------------------- */

static const struct tally_core_refusal bad_address = {-EFAULT, "attr", "cannot be read", ""};
static const struct tally_core_refusal bad_size = {
	-E2BIG, "size", "the size is none, or bits beyond what is known here are set",
	"take the size that was written back"};
static const struct tally_core_refusal no_memory = {-ENOMEM, "", "out of memory", ""};

enum { SIZE_LIMIT = 4096 };

/* What every attr begins with. */
struct attr_head {
	uint32_t type, size;
};

/* Read the rest of an attr whose head was read: nothing is read twice, so that what is judged is
 * what was taken. */
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
	else if (tally_attr_negotiate(bytes, sizeof(*ret_attr), ret_attr, &known))
		why = &bad_size;
	tally_core_free(core, bytes, head.size);
	return why;
}

/* Take the whole attr, however large the caller's is, and judge what is beyond ours. */
static const struct tally_core_refusal *copy_attr(struct tally_core *core, uint8_t *user,
						  struct perf_event_attr *ret_attr)
{
	const struct tally_core_refusal *why = &bad_size;
	uint32_t known = sizeof(*ret_attr);
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

static const struct tally_core_refusal bad_group = {-EBADF, "group_fd",
						    "not the descriptor of an event", ""};
static const struct tally_core_refusal dead_group = {-ENODEV, "group_fd",
						     "the leader's task is gone", ""};
static const struct tally_core_refusal no_task = {-ESRCH, "pid", "no such task", ""};

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
	if (!check->task->exited)
		return NULL;
	core->ops->task_put(core->host, check->task);
	check->task = NULL;
	return &no_task;
}

/* ---- what the PMUs say ------------------------------------------------------------------ */

static const struct tally_core_refusal by_pmu[] = {
	{-ENOENT, "config", "no PMU has this event",
	 "choose another event; without a PMU, software events and clocks"},
	{-EOPNOTSUPP, "config", "the PMU has the event but cannot do what is asked of it",
	 "ask for less: precise_ip, branches, exclusions"},
	{-ENOMEM, "", "out of memory", ""},
	{-EINVAL, "config", "the PMU does not take the event", ""},
};

static const struct tally_core_refusal *make_event(struct tally_check *check)
{
	size_t i = 0;
	int ret = tally_event_new(check->core, check->attr, check->cpu, NULL, &check->event);

	if (!ret)
		return NULL;
	while (i < TALLY_ARRAY_SIZE(by_pmu) - 1 && by_pmu[i].code != ret)
		i++;
	return &by_pmu[i];
}

/* ---- putting it in its place ------------------------------------------------------------ */

static void own(struct tally_core_event *event, struct tally_core_task *task)
{
	event->owner = task;
	event->owned_next = task->owned;
	event->owned_at = &task->owned;
	if (task->owned)
		task->owned->owned_at = &event->owned_next;
	task->owned = event;
}

static const struct tally_core_refusal *install(struct tally_check *check,
						struct tally_core_event *leader)
{
	struct tally_core *core = check->core;
	struct tally_core_context *context = NULL;

	if (!check->task) {
		tally_event_install(check->event, &core->cpus[check->cpu].own, leader,
				    check->attr->disabled ? TALLY_STATE_OFF : TALLY_STATE_INACTIVE);
		return NULL;
	}
	if (tally_context_of_task(core, check->task, &context))
		return &no_memory;
	tally_event_install(check->event, context, leader,
			    check->attr->disabled ? TALLY_STATE_OFF : TALLY_STATE_INACTIVE);
	tally_context_unpin(context);
	return NULL;
}

/* FD_OUTPUT: group_fd says whose buffer to write to, and with NO_GROUP no more than that. The rules
 * need the event to be in its context. */
static const struct tally_core_refusal *install_output(struct tally_check *check,
						       struct tally_core_event *output)
{
	const struct tally_core_refusal *why = install(check, check->leader);

	if (!why && output)
		why = tally_control_output(check->event, output);
	return why;
}

/* With the configuration lock. */
static const struct tally_core_refusal *open_locked(struct tally_check *check, int group_fd)
{
	struct tally_core_event *output;
	const struct tally_core_refusal *why = find_group(check, group_fd);

	if (!why)
		why = find_task(check);
	output = check->flags & PERF_FLAG_FD_OUTPUT ? check->leader : NULL;
	if (check->flags & PERF_FLAG_FD_NO_GROUP)
		check->leader = NULL;
	if (!why)
		why = tally_check(check, TALLY_CHECK_TARGET);
	if (!why)
		why = make_event(check);
	if (!why)
		why = tally_check(check, TALLY_CHECK_EVENT);
	if (!why)
		why = install_output(check, output);
	if (why)
		tally_event_retire(check->event);
	else
		own(check->event, check->current);
	if (check->task)
		check->core->ops->task_put(check->core->host, check->task);
	return why;
}

int tally_core_open(struct tally_core *core, struct tally_core_task *current, void *attr,
		    int32_t pid, int32_t cpu, int group_fd, unsigned long flags,
		    struct tally_core_event **ret_event, struct tally_core_refusal *ret_why)
{
	struct perf_event_attr copy;
	struct tally_check check = {core, current, &copy, pid, cpu, flags, NULL, NULL, NULL};
	const struct tally_core_refusal *why = tally_check(&check, TALLY_CHECK_FLAGS);

	if (!why)
		why = copy_attr(core, attr, &copy);
	if (!why)
		why = tally_check(&check, TALLY_CHECK_ATTR);
	if (!why) {
		core->ops->config_lock(core->host);
		why = open_locked(&check, group_fd);
		core->ops->config_unlock(core->host);
	}
	if (!why)
		*ret_event = check.event;
	return tally_refuse(why, ret_why);
}
