/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/control.h"

#include "core/buffer.h"
#include "core/context.h"
#include "core/event.h"
#include "core/family.h"
#include "core/filter.h"
#include "core/overflow.h"
#include "core/mmap_page.h"
#include "core/read.h"
#include "core/refuse.h"
#include "core/sched.h"
#include "core/scratch.h"
#include "core/state.h"

/* ---- enabling and disabling ------------------------------------------------------------- */

/* Call fn for the event and each of its children, in accordance with the context rule. */
static void for_family(struct tally_core_event *event, tally_context_fn fn)
{
	tally_context_run(event->context, fn, event);
	tally_list_for_each (link, &event->children) {
		struct tally_core_event *child =
			tally_container_of(link, struct tally_core_event, child);

		tally_context_run(child->context, fn, child);
	}
}

void tally_control_enable_here(struct tally_core_cpu *cpu, struct tally_core_event *event)
{
	uint64_t now = tally_clock(event->core);

	/* The event is still on the PMU but stopped. Its last overflow deferred the work that
	 * disables the event, and this work has not run yet. */
	if (tally_load_relaxed(&event->exhausted)) {
		tally_store_relaxed(&event->exhausted, false);
		if (cpu && event->state == TALLY_STATE_ACTIVE && !event->hw.running)
			tally_overflow_start(event);
	}
	if (event->state >= TALLY_STATE_INACTIVE || event->state <= TALLY_STATE_EXIT)
		return;
	tally_context_advance(event->context, now);
	tally_event_set_state(event, TALLY_STATE_INACTIVE);
	if (cpu)
		tally_sched_enable(cpu, event, now);
}

static void enable_here(struct tally_core_cpu *cpu, struct tally_core_context *context, void *arg)
{
	tally_control_enable_here(cpu, arg);
}

void tally_control_disable_here(struct tally_core_cpu *cpu, struct tally_core_event *event)
{
	uint64_t now = tally_clock(event->core);

	/* A pinned event in the error state stays there until it is enabled again. */
	if (event->state <= TALLY_STATE_OFF)
		return;
	tally_context_advance(event->context, now);
	if (cpu)
		tally_sched_disable(cpu, event, now);
	if (event->state != TALLY_STATE_OFF)
		tally_event_set_state(event, TALLY_STATE_OFF);
	tally_page_update(event);
	if (cpu)
		tally_sched_fill(cpu, now);
}

static void disable_here(struct tally_core_cpu *cpu, struct tally_core_context *context, void *arg)
{
	tally_control_disable_here(cpu, arg);
}

/* Enable or disable an event and its children. */
static void control_enable(struct tally_core_event *event)
{
	for_family(event, enable_here);
}

static void control_disable(struct tally_core_event *event)
{
	for_family(event, disable_here);
}

void tally_control_exhausted(struct tally_core_cpu *cpu, struct tally_core_event *event)
{
	uint64_t now = tally_clock(event->core);

	/* If the event is on another CPU, `exhausted` must not be read here. The flag was handled
	 * when the event left this CPU. */
	if (tally_load_relaxed(&event->context->on_cpu) != (int32_t)cpu->number ||
	    !event->exhausted)
		return;
	tally_sched_disable(cpu, event, now);
	tally_sched_fill(cpu, now);
}

static void exhausted_of(struct tally_core_cpu *cpu, struct tally_core_context *context,
			 uint64_t now)
{
	struct tally_list *link = context->active.next;

	while (link != &context->active) {
		struct tally_core_event *leader =
			tally_container_of(link, struct tally_core_event, active);

		link = link->next;
		tally_group_for_each (event, leader) {
			if (tally_load_relaxed(&event->exhausted))
				tally_sched_disable(cpu, event, now);
		}
	}
}

void tally_control_exhausted_all(struct tally_core_cpu *cpu)
{
	uint64_t now = tally_clock(cpu->core);

	exhausted_of(cpu, &cpu->own, now);
	if (cpu->of_task)
		exhausted_of(cpu, cpu->of_task, now);
	tally_sched_fill(cpu, now);
}

static void reset_here(struct tally_core_cpu *cpu, struct tally_core_context *context, void *arg)
{
	struct tally_core_event *event = arg;

	tally_event_refresh(cpu, event);
	tally_store_relaxed(&event->count, 0);
	tally_frequency_reset(event);
	tally_store_relaxed(&event->child_count, 0);
	tally_page_update(event);
}

static void control_reset(struct tally_core_event *event)
{
	for_family(event, reset_here);
}

static bool prctl_known(int option)
{
	return option == TALLY_CORE_PRCTL_ENABLE || option == TALLY_CORE_PRCTL_DISABLE;
}

int tally_core_prctl(struct tally_core *core, struct tally_core_task *current, int option)
{
	struct tally_core_event *event = NULL;

	if (!prctl_known(option))
		return -EINVAL;
	while ((event = tally_event_next_owned(core, current, event))) {
		tally_event_lock(event);
		if (option == TALLY_CORE_PRCTL_ENABLE)
			control_enable(event);
		else
			control_disable(event);
		tally_event_unlock(event);
	}
	return 0;
}

#if TALLY_CORE_CLASSIC

/* Record that the context no longer holds the same events as its clones. */
static void diverge_here(struct tally_core_cpu *cpu, struct tally_core_context *context, void *arg)
{
	tally_context_diverge(context);
}

int tally_core_prctl_attached(struct tally_core *core, struct tally_core_task *current, int option)
{
	tally_context_fn fn = option == TALLY_CORE_PRCTL_ENABLE ? enable_here : disable_here;
	struct tally_core_family *family;
	struct tally_core_context *context;

	if (!prctl_known(option))
		return -EINVAL;
	family = tally_family_lock_task(core, current);
	if (!family)
		return 0;
	context = tally_context_pin_task(core, current);
	if (!context) {
		tally_family_release(family);
		return 0;
	}
	tally_context_run(context, diverge_here, NULL);
	tally_context_for_each (event, context) {
		if (tally_event_is_leader(event))
			tally_context_run(context, fn, event);
	}
	tally_context_unlock_task(context);
	return 0;
}

#endif

/* ---- waking ----------------------------------------------------------------------------- */

static void notify(const struct tally_core_event *event, unsigned what)
{
	const struct tally_core *core = event->core;

	void *cookie = tally_load_relaxed(&event->cookie);

	if (core->ops->notify && cookie)
		core->ops->notify(core->host, cookie, what);
}

void tally_control_wake(struct tally_core_event *event, unsigned what)
{
	if (what == TALLY_CORE_POLLHUP || !tally_buffer_for_each(event, notify, what))
		notify(event, what);
}

unsigned tally_core_poll(struct tally_core *core, struct tally_core_event *event)
{
	int8_t state = tally_load_relaxed(&event->state);

	if (state == TALLY_STATE_ERROR || state == TALLY_STATE_REVOKED)
		return TALLY_CORE_POLLERR | TALLY_CORE_POLLHUP;
	if (state <= TALLY_STATE_EXIT && !tally_load_relaxed(&event->nr_children))
		return TALLY_CORE_POLLHUP;
	return tally_buffer_poll(event);
}

/* ---- requests --------------------------------------------------------------------------- */

struct request {
	struct tally_core *core;
	struct tally_core_task *current;
	struct tally_core_event *event;
	uintptr_t arg;
	uint64_t value; /* data that `arg` points to, fetched once, for requests with `fetch` */
};

typedef const struct tally_core_refusal *(*request_fn)(const struct request *request);

#define REFUSE(...)                                                                  \
	do {                                                                         \
		static const struct tally_core_refusal why = TALLY_WHY(__VA_ARGS__); \
		return &why;                                                         \
	} while (0)

static const struct tally_core_refusal bad_address =
	TALLY_WHY(-EFAULT, "argument", "the address cannot be read or written", "");

/* Apply fn to the event. If bit 0 of the argument is set, apply fn to the event's whole group. The
 * event need not be the leader. */
static void for_group(const struct request *request, void (*fn)(struct tally_core_event *event))
{
	if (!(request->arg & PERF_IOC_FLAG_GROUP)) {
		fn(request->event);
		return;
	}
	tally_group_for_each (event, request->event->leader)
		fn(event);
}

static const struct tally_core_refusal *request_enable(const struct request *request)
{
	for_group(request, control_enable);
	return NULL;
}

static const struct tally_core_refusal *request_disable(const struct request *request)
{
	for_group(request, control_disable);
	return NULL;
}

static const struct tally_core_refusal *request_reset(const struct request *request)
{
	for_group(request, control_reset);
	return NULL;
}

/* Enable an event that is not active or is exhausted, unless the overflows just added are already
 * used up. An active event that is not exhausted simply continues. A stopped event cannot overflow,
 * so `limit` does not change after it has been read here. */
static void refresh_here(struct tally_core_cpu *cpu, struct tally_core_context *context, void *arg)
{
	struct tally_core_event *event = arg;
	bool stands = tally_load_relaxed(&event->exhausted) || event->state != TALLY_STATE_ACTIVE;

	if (stands && tally_load_relaxed(&event->limit))
		tally_control_enable_here(cpu, event);
}

static const struct tally_core_refusal *request_refresh(const struct request *request)
{
	struct tally_core_event *event = request->event;

	if (event->attr.inherit)
		REFUSE(-EINVAL, "inherit", "children would share the overflow count",
		       "open the event without inherit");
	if (!tally_event_samples(event))
		REFUSE(-EINVAL, "sample_period", "a counting event does not overflow",
		       "set a sample_period");
	tally_fetch_add(&event->limit, (int32_t)request->arg);
	for_family(event, (int32_t)request->arg ? refresh_here : enable_here);
	return NULL;
}

struct period {
	struct tally_core_event *event;
	uint64_t value;
};

static void period_here(struct tally_core_cpu *cpu, struct tally_core_context *context, void *arg)
{
	const struct period *period = arg;
	struct tally_core_event *event = period->event;
	bool running = cpu && event->state == TALLY_STATE_ACTIVE;

	event->attr.sample_period = period->value; /* or sample_freq, in the same union */
	if (running && event->hw.running)
		event->pmu->stop(event->pmu, &event->hw);
	if (!tally_event_has_frequency(event))
		event->hw.period = event->hw.last_period = period->value;
	event->hw.left = (int64_t)event->hw.period;
	if (!running)
		return;
	tally_overflow_start(event);
	tally_page_update(event);
}

static const struct tally_core_refusal *request_period(const struct request *request)
{
	struct tally_core *core = request->core;
	struct period period = {request->event, request->value};

	if (!tally_event_samples(request->event))
		REFUSE(-EINVAL, "sample_period", "the event does not sample",
		       "set a sample_period when opening the event");
	if (!period.value || period.value >> 63)
		REFUSE(-EINVAL, "argument", "the period must be from 1 to 2^63 - 1", "");
	if (tally_event_has_frequency(request->event) &&
	    period.value > tally_load_relaxed(&core->settings.max_sample_rate))
		REFUSE(-EINVAL, "argument", "exceeds the maximum sample rate",
		       "lower the frequency, or raise perf_event_max_sample_rate");
	tally_context_run(request->event->context, period_here, &period);
	return NULL;
}

static const struct tally_core_refusal *request_id(const struct request *request)
{
	const struct tally_core *core = request->core;

	if (core->ops->copy_to_user(core->host, (void *)request->arg, &request->event->id,
				    sizeof(request->event->id)))
		return &bad_address;
	return NULL;
}

static const struct tally_core_refusal *request_pause(const struct request *request)
{
	struct tally_core_buffer *buffer = tally_buffer_get(request->event);
	bool has = buffer && buffer->size;

	if (has)
		tally_store_relaxed(&buffer->paused, !!request->arg);
	tally_buffer_put(buffer);
	if (!has)
		REFUSE(-EINVAL, "", "the event has no ring buffer", "map a ring buffer first");
	return NULL;
}

static const struct tally_core_refusal *request_filter(const struct request *request)
{
	return tally_filter_set(request->event, (const char *)request->arg);
}

/* ---- output to another event's buffer --------------------------------------------------- */

/* Check whether the event's records may be written to the target's buffer. Return NULL or the
 * reason for failure. */
static const struct tally_core_refusal *output_alike(const struct tally_core_event *event,
						     const struct tally_core_event *target)
{
	const struct perf_event_attr *a = &event->attr, *b = &target->attr;

	if (target == event)
		REFUSE(-EINVAL, "argument", "an event cannot be redirected to itself", "");
	if (event->moves || target->moves)
		REFUSE(-EINVAL, "cpu",
		       "the event can migrate between CPUs, but a ring buffer belongs to one CPU",
		       "read the event instead");
	if (target->cpu != event->cpu)
		REFUSE(-EINVAL, "cpu", "only one CPU may write to a buffer",
		       "use an event of the same CPU");
	if (event->cpu < 0 && a->inherit)
		REFUSE(-EINVAL, "inherit",
		       "children on several CPUs would write to one buffer at the same time",
		       "open the event once for each CPU");
	if (event->cpu < 0 && target->context != event->context)
		REFUSE(-EINVAL, "pid", "two tasks on two CPUs would write to one buffer",
		       "use an event of the same task, or one for each CPU");
	if (TALLY_CORE_SAMPLE_PARTS &&
	    (a->use_clockid != b->use_clockid || a->clockid != b->clockid))
		REFUSE(-EINVAL, "clockid", "all records in a buffer must use the same clock", "");
	if (a->write_backward != b->write_backward)
		REFUSE(-EINVAL, "write_backward",
		       "all records in a buffer must be written in the same direction", "");
	return NULL;
}

const struct tally_core_refusal *tally_control_output(struct tally_core_event *event,
						      struct tally_core_event *target)
{
	struct tally_core_buffer *own = tally_buffer_get(event), *to = NULL;
	bool has_own = own && own->owner == event;
	const struct tally_core_refusal *refusal;
	int ret = -ENODEV;

	tally_buffer_put(own);
	if (has_own)
		REFUSE(-EINVAL, "", "the event has a buffer of its own", "unmap it first");
	refusal = target ? output_alike(event, target) : NULL;
	if (refusal)
		return refusal;
	if (target)
		to = tally_buffer_get(target);
	if (to && to->has_scratch && tally_scratch_prepare(event, to->size)) {
		tally_buffer_put(to);
		REFUSE(-ENOMEM, "", "out of memory", "");
	}
	if (to || !target)
		ret = tally_buffer_redirect(event, to);
	tally_buffer_put(to);
	if (ret == -EBUSY)
		REFUSE(-EINVAL, "", "the event has a buffer of its own", "unmap it first");
	if (ret)
		REFUSE(-EINVAL, "argument", "the target event has no ring buffer", "map it first");
	return NULL;
}

static const struct tally_core_refusal *request_output(const struct request *request)
{
	const struct tally_core *core = request->core;
	struct tally_core_event *target = NULL;

	if (request->arg != UINTPTR_MAX) {
		target = (int)request->arg >= 0
				 ? core->ops->event_of_fd(core->host, request->current,
							  (int)request->arg)
				 : NULL;
		if (!target)
			REFUSE(-EBADF, "argument", "not an event descriptor", "");
	}
	return tally_control_output(request->event, target);
}

#if TALLY_CORE_TRAPS

static const struct tally_core_refusal *request_modify(const struct request *request)
{
	return tally_control_modify(request->event, request->current, (void *)request->arg);
}

#endif

static const struct tally_core_refusal *request_bpf(const struct request *request)
{
	REFUSE(-EINVAL, "", "this machine does not support BPF programs", "");
}

static const struct tally_core_refusal *request_set_bpf(const struct request *request)
{
	REFUSE(-EBADF, "argument", "this machine does not support BPF programs", "");
}

/* ---- ioctl(2) --------------------------------------------------------------------------- */

/* Table of ioctl requests. User memory and the host are accessed without holding the event's lock:
 * `fetch` bytes are copied before taking the lock, and `unlocked` requests run without the lock. */
static const struct request_kind {
	uint32_t number;
	request_fn fn;
	uint8_t fetch; /* number of bytes to copy from address `arg` to request.value */
	bool unlocked;
} requests[] = {
	{PERF_EVENT_IOC_ENABLE, request_enable, 0, false},
	{PERF_EVENT_IOC_DISABLE, request_disable, 0, false},
	{PERF_EVENT_IOC_REFRESH, request_refresh, 0, false},
	{PERF_EVENT_IOC_RESET, request_reset, 0, false},
	{PERF_EVENT_IOC_PERIOD, request_period, sizeof(uint64_t), false},
	{PERF_EVENT_IOC_SET_OUTPUT, request_output, 0, true},
	{PERF_EVENT_IOC_SET_FILTER, request_filter, 0, true},
	{PERF_EVENT_IOC_ID, request_id, 0, true},
	{PERF_EVENT_IOC_SET_BPF, request_set_bpf, 0, true},
	{PERF_EVENT_IOC_PAUSE_OUTPUT, request_pause, 0, true},
	{PERF_EVENT_IOC_QUERY_BPF, request_bpf, 0, true},
#if TALLY_CORE_TRAPS
	{PERF_EVENT_IOC_MODIFY_ATTRIBUTES, request_modify, 0, true},
#endif
};

static const struct tally_core_refusal revoked =
	TALLY_WHY(-ENODEV, "", "the event's PMU or tracepoint was unregistered", "close the event");
static const struct tally_core_refusal no_such_request =
	TALLY_WHY(-ENOTTY, "request", "unknown ioctl request", "");

static const struct tally_core_refusal *request_run(const struct request_kind *kind,
						    struct request *with)
{
	const struct tally_core *core = with->core;
	const struct tally_core_refusal *why;

	if (kind->fetch && core->ops->copy_from_user(core->host, &with->value,
						     (const void *)with->arg, kind->fetch))
		return &bad_address;
	if (kind->unlocked)
		return kind->fn(with);
	tally_event_lock(with->event);
	why = tally_load_relaxed(&with->event->state) == TALLY_STATE_REVOKED ? &revoked
									     : kind->fn(with);
	tally_event_unlock(with->event);
	return why;
}

static const struct tally_core_refusal *request_check_and_run(const struct request_kind *kind,
							      struct request *with)
{
	if (tally_load_relaxed(&with->event->state) == TALLY_STATE_REVOKED)
		return &revoked;
	if (with->current && !tally_event_permitted(with->event, TALLY_HOST_WRITE))
		return &tally_not_permitted;
	return request_run(kind, with);
}

int tally_core_ioctl(struct tally_core *core, struct tally_core_task *current,
		     struct tally_core_event *event, unsigned long request, uintptr_t arg,
		     struct tally_core_refusal *ret_why)
{
	struct request with = {core, current, event, arg, 0};
	const struct tally_core_refusal *why = &no_such_request;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(requests); i++) {
		if (requests[i].number == (uint32_t)request)
			why = request_check_and_run(&requests[i], &with);
	}
	return tally_refusal_report(why, ret_why);
}

/* ---- cookie and attr -------------------------------------------------------------------- */

void tally_core_event_set_cookie(struct tally_core_event *event, void *cookie)
{
	tally_store_relaxed(&event->cookie, cookie);
}

const struct perf_event_attr *tally_core_event_attr(const struct tally_core_event *event)
{
	return &event->attr;
}

/* ---- in-kernel events ------------------------------------------------------------------- */

int tally_core_event_set_output(struct tally_core *core, struct tally_core_event *event,
				struct tally_core_event *target, struct tally_core_refusal *ret_why)
{
	return tally_refusal_report(tally_control_output(event, target), ret_why);
}
