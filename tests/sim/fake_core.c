/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fake_core.h"

struct tally_core_buffer {
	size_t nr;
	bool scattered;
	uint8_t *pages[];
};

static struct fake_call *note(struct tally_core *core, enum fake_hook hook)
{
	struct fake_call *call = &core->log[core->nr_calls++ % FAKE_LOG];

	*call = (struct fake_call){
		.hook = hook,
		.cpu = core->ops->this_cpu(core->host),
		.time = core->ops->clock(core->host),
	};
	return call;
}

uint32_t fake_calls(const struct tally_core *core, enum fake_hook hook)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < core->nr_calls; i++)
		nr += core->log[i % FAKE_LOG].hook == hook;
	return nr;
}

const struct fake_call *fake_call(const struct tally_core *core, enum fake_hook hook, uint32_t n)
{
	for (uint32_t i = 0; i < core->nr_calls; i++)
		if (core->log[i % FAKE_LOG].hook == hook && !n--)
			return &core->log[i % FAKE_LOG];
	return NULL;
}

/* ---- setup and teardown ----------------------------------------------------- */

int tally_core_create(const struct tally_host_ops *ops, void *host, uint32_t nr_cpus,
		      const struct tally_core_settings *settings, struct tally_core **ret_core)
{
	struct tally_core *core = calloc(1, sizeof(*core));

	if (!core)
		return -ENOMEM;
	core->watch.users = 1;
	core->ops = ops;
	core->host = host;
	core->lock = ops->lock_new(host);
	core->settings.tick_ns = 4000000;
	if (settings)
		core->settings = *settings;
	*ret_core = core;
	return 0;
}

void tally_core_destroy(struct tally_core *core)
{
	if (core)
		core->ops->lock_free(core->host, core->lock);
	free(core);
}

struct tally_core_settings *tally_core_settings(struct tally_core *core)
{
	return &core->settings;
}

int tally_core_cpu_online(struct tally_core *core, uint32_t cpu)
{
	return 0;
}

void tally_core_cpu_offline(struct tally_core *core, uint32_t cpu)
{
	note(core, FAKE_OFFLINE)->cpu = cpu;
}

void tally_core_task_init(struct tally_core_task *task, int32_t pid, int32_t tid)
{
	*task = (struct tally_core_task){.pid = pid, .tid = tid};
}

int tally_core_pmu_register(struct tally_core *core, struct tally_core_pmu *pmu)
{
	core->pmus[core->nr_pmus++] = pmu;
	return 0;
}

/* ---- hooks -------------------------------------------------------------------- */

void tally_core_watched_switch(struct tally_core *core, struct tally_core_task *prev,
			       struct tally_core_task *next, bool preempt)
{
	struct fake_call *call = note(core, FAKE_SWITCH);

	call->tid = prev ? prev->tid : 0;
	call->other = next ? next->tid : 0;
	call->flag = preempt;
}

static void violate_contract(struct tally_core *core)
{
	enum fake_violation now = core->sin;

	core->sin = FAKE_GOOD;
	switch (now) {
	case FAKE_GOOD: break;
	case FAKE_ALLOC_IN_HOOK:
		core->ops->free(core->host, core->ops->alloc(core->host, 8), 8);
		break;
	case FAKE_LOCK_IN_HOOK:
		core->ops->lock(core->host, core->lock);
		core->ops->unlock(core->host, core->lock);
		break;
	case FAKE_LEAVE_OFF: core->ops->irq_save(core->host); break;
	case FAKE_CALL_UNLOCKED: core->ops->call(core->host, 0, free, NULL); break;
	case FAKE_COPY_IN_HOOK: core->ops->copy_to_user(core->host, &now, &now, 1); break;
	case FAKE_NOTIFY: core->ops->notify(core->host, NULL, TALLY_CORE_POLLIN); break;
	case FAKE_DEFER: core->ops->defer(core->host); break;
	case FAKE_TIMER_AT: core->ops->timer(core->host, core->timer_at); break;
	}
}

void tally_core_watched_tick(struct tally_core *core,
			     const struct tally_core_sample_data *sample_data)
{
	note(core, FAKE_TICK)->sample_data = *sample_data;
	violate_contract(core);
}

void tally_core_timer(struct tally_core *core, const struct tally_core_sample_data *sample_data)
{
	note(core, FAKE_TIMER)->sample_data = *sample_data;
}

void tally_core_deferred(struct tally_core *core)
{
	note(core, FAKE_DEFERRED);
}

int tally_core_fork(struct tally_core *core, struct tally_core_task *current,
		    struct tally_core_task *child, bool process)
{
	struct fake_call *call = note(core, FAKE_FORK);

	call->tid = current->tid;
	call->other = child->tid;
	call->flag = process;
	return 0;
}

void tally_core_exit(struct tally_core *core, struct tally_core_task *task)
{
	note(core, FAKE_EXIT)->tid = task->tid;
}

void tally_core_exec(struct tally_core *core, struct tally_core_task *task, bool privileged)
{
	note(core, FAKE_EXEC)->flag = privileged;
}

void tally_core_watched_comm(struct tally_core *core, struct tally_core_task *task,
			     const char *comm, bool exec)
{
	note(core, FAKE_COMM)->flag = exec;
}

void tally_core_watched_mapped(struct tally_core *core, struct tally_core_task *task,
			       const struct tally_core_mapping *mapping, bool unmapped)
{
	note(core, FAKE_MAPPED)->flag = unmapped;
}

void tally_core_namespaces(struct tally_core *core, struct tally_core_task *task,
			   const struct perf_ns_link_info *links, uint32_t nr)
{
}

void tally_core_ksymbol(struct tally_core *core, uint64_t addr, uint32_t len, uint16_t type,
			bool gone, const char *name)
{
}

void tally_core_watched_software(struct tally_core *core, uint32_t id, uint64_t nr,
				 const struct tally_core_sample_data *sample_data)
{
	note(core, FAKE_SOFTWARE)->sample_data = *sample_data;
}

void tally_core_watched_tracepoint_hit(struct tally_core *core,
				       const struct tally_core_tracepoint *tracepoint,
				       const void *raw, uint32_t len,
				       const struct tally_core_sample_data *sample_data)
{
	note(core, FAKE_HIT)->sample_data = *sample_data;
}

void tally_core_hw_count(struct tally_core_hw *hw, uint64_t nr,
			 const struct tally_core_sample_data *sample_data)
{
	note(((struct tally_core_event *)hw)->core, FAKE_HIT)->sample_data = *sample_data;
}

/* ---- counters ------------------------------------------------------------------ */

static uint64_t hw_mask(const struct tally_core_hw *hw)
{
	return UINT64_MAX >> (64 - hw->width);
}

void tally_core_hw_update(struct tally_core_hw *hw, uint64_t now)
{
	((struct tally_core_event *)hw)->count += (now - hw->previous) & hw_mask(hw);
	hw->previous = now;
}

void tally_core_hw_fold(struct tally_core_pmu *pmu, struct tally_core_hw *hw,
			uint64_t (*counter)(struct tally_core_pmu *pmu, struct tally_core_hw *hw))
{
	tally_core_hw_update(hw, counter(pmu, hw));
}

uint64_t tally_core_hw_arm(struct tally_core_hw *hw)
{
	uint64_t left = hw->period ? hw->period : hw_mask(hw) / 2 + 1;

	hw->previous = -left & hw_mask(hw);
	return hw->previous;
}

bool tally_core_hw_overflow(struct tally_core_hw *hw, uint64_t now,
			    const struct tally_core_sample_data *sample_data, uint64_t *ret_next)
{
	struct tally_core_event *event = (struct tally_core_event *)hw;

	note(event->core, FAKE_OVERFLOW)->sample_data = *sample_data;
	tally_core_hw_update(hw, now);
	event->overflows++;
	*ret_next = tally_core_hw_arm(hw);
	return true;
}

static void event_on(void *arg)
{
	struct tally_core_event *event = arg;
	struct tally_core_pmu *pmu = event->pmu;
	int ret;

	if (pmu->begin)
		pmu->begin(pmu);
	ret = pmu->add(pmu, &event->hw);
	if (!ret && pmu->commit)
		ret = pmu->commit(pmu);
	if (!ret)
		pmu->start(pmu, &event->hw);
	event->hw.left = ret;
}

static void event_off(void *arg)
{
	struct tally_core_event *event = arg;

	event->pmu->stop(event->pmu, &event->hw);
	event->pmu->del(event->pmu, &event->hw);
}

static void event_read(void *arg)
{
	struct tally_core_event *event = arg;

	event->pmu->read(event->pmu, &event->hw);
}

static void call(struct tally_core_event *event, void (*fn)(void *))
{
	struct tally_core *core = event->core;

	core->ops->lock(core->host, core->lock);
	core->ops->call(core->host, event->cpu, fn, event);
	core->ops->unlock(core->host, core->lock);
}

/* Use the first PMU that accepts the event. */
static int event_init(struct tally_core_event *event)
{
	int ret = -ENOENT;

	event->hw.attr = &event->attr;
	event->hw.period = event->attr.sample_period;
	for (uint32_t i = 0; i < event->core->nr_pmus && ret == -ENOENT; i++) {
		event->pmu = event->core->pmus[i];
		ret = event->pmu->init(event->pmu, &event->hw);
	}
	return ret;
}

int tally_core_open(struct tally_core *core, struct tally_core_task *current, void *attr,
		    int32_t pid, int32_t cpu, int group_fd, unsigned long flags,
		    struct tally_core_event **ret_event, struct tally_core_refusal *ret_why)
{
	struct tally_core_event *event = core->ops->alloc(core->host, sizeof(*event));
	int ret;

	if (!event)
		return -ENOMEM;
	event->core = core;
	event->cpu = cpu < 0 ? core->ops->this_cpu(core->host) : (uint32_t)cpu;
	ret = core->ops->copy_from_user(core->host, &event->attr, attr, sizeof(event->attr));
	if (!ret)
		ret = event_init(event);
	if (!ret) {
		call(event, event_on);
		ret = (int)event->hw.left;
	}
	if (ret)
		core->ops->free(core->host, event, sizeof(*event));
	else
		*ret_event = event;
	return ret;
}

void tally_core_close(struct tally_core *core, struct tally_core_event *event)
{
	note(core, FAKE_CLOSE);
	call(event, event_off);
	core->ops->free(core->host, event, sizeof(*event));
}

void tally_core_event_set_cookie(struct tally_core_event *event, void *cookie)
{
	event->cookie = cookie;
}

int64_t tally_core_read(struct tally_core *core, struct tally_core_event *event, void *buffer,
			size_t len)
{
	call(event, event_read);
	return core->ops->copy_to_user(core->host, buffer, &event->count, 8) ? -EFAULT : 8;
}

static void event_notify(void *arg)
{
	struct tally_core_event *event = arg;

	event->core->ops->notify(event->core->host, event->cookie, TALLY_CORE_POLLIN);
}

/* Notify pollers, no matter what the request is. */
int tally_core_ioctl(struct tally_core *core, struct tally_core_task *current,
		     struct tally_core_event *event, unsigned long request, uintptr_t arg,
		     struct tally_core_refusal *ret_why)
{
	call(event, event_notify);
	return 0;
}

unsigned tally_core_poll(struct tally_core *core, struct tally_core_event *event)
{
	return 0;
}

int tally_core_prctl(struct tally_core *core, struct tally_core_task *current, int option)
{
	return 0;
}

/* ---- mapping ------------------------------------------------------------------- */

int tally_core_mmap(struct tally_core *core, struct tally_core_task *current,
		    struct tally_core_event *event, size_t len, uint64_t pgoff, bool writable,
		    struct tally_core_buffer **ret_buffer, struct tally_core_refusal *ret_why)
{
	size_t size = core->ops->page_size, nr = len / size;
	struct tally_core_buffer *buffer = calloc(1, sizeof(*buffer) + nr * sizeof(uint8_t *));
	uint8_t *all = core->settings.scattered ? NULL : core->ops->pages_alloc(core->host, nr);

	buffer->nr = nr;
	buffer->scattered = core->settings.scattered;
	for (size_t i = 0; i < nr; i++) {
		buffer->pages[i] = all ? all + i * size : core->ops->pages_alloc(core->host, 1);
		memset(buffer->pages[i], (int)i + 1, size);
	}
	*ret_buffer = buffer;
	return 0;
}

void tally_core_munmap(struct tally_core *core, struct tally_core_event *event,
		       struct tally_core_buffer *buffer)
{
	for (size_t i = 0; i < (buffer->scattered ? buffer->nr : 1); i++)
		core->ops->pages_free(core->host, buffer->pages[i],
				      buffer->scattered ? 1 : buffer->nr);
	free(buffer);
}

void *tally_core_buffer_page(const struct tally_core_buffer *buffer, size_t index)
{
	return index < buffer->nr ? buffer->pages[index] : NULL;
}
