/* SPDX-License-Identifier: BSD-2-Clause */
/* Random operations on the simulated machine. */
#include <errno.h>
#include <string.h>

#include "core/random_sim.h"
#include "test.h"

/* ---- tasks ------------------------------------------------------------------------------ */

static const struct tally_sim_rates fast = {
	.per_ms = {[SIM_CYCLES] = 3000001, [SIM_INSTRUCTIONS] = 5000003, [SIM_BRANCHES] = 700001}};
static const struct tally_sim_rates slow = {
	.per_ms = {[SIM_CYCLES] = 1000003, [SIM_INSTRUCTIONS] = 300007, [SIM_CACHE_MISSES] = 999}};

static const struct tally_sim_step scripts[][8] = {
	{SIM_LOOP(0), SIM_RUN(SIM_USER, 70001, &fast), SIM_RUN(SIM_KERNEL, 9001, &slow),
	 SIM_END_LOOP()},
	{SIM_LOOP(0), SIM_RUN(SIM_KERNEL, 3001, &slow), SIM_SLEEP(20000), SIM_END_LOOP()},
	{SIM_LOOP(0), SIM_RUN(SIM_USER, 500009, &slow), SIM_SOFTWARE(PERF_COUNT_SW_PAGE_FAULTS, 1),
	 SIM_SLEEP(1000), SIM_END_LOOP()},
	{SIM_LOOP(40), SIM_RUN(SIM_USER, 11003, &fast), SIM_YIELD(), SIM_END_LOOP(), SIM_EXIT()},
};

/* Choose an online CPU; there is always at least one. */
static uint32_t any_cpu(struct random_sim *random_sim)
{
	uint32_t cpu = (uint32_t)random_below(&random_sim->random, random_sim->nr_cpus);

	while (random_sim->gone & 1U << cpu)
		cpu = (cpu + 1) % random_sim->nr_cpus;
	return cpu;
}

static struct tally_sim_task *any_task(struct random_sim *random_sim)
{
	struct tally_sim_task *task =
		random_sim->tasks[random_below(&random_sim->random, RANDOM_SIM_TASKS)];

	return task && !tally_sim_task_exited(task) ? task : NULL;
}

static bool has_children(struct random_sim *random_sim, const struct tally_sim_task *task)
{
	struct tally_sim_task *other;

	for (size_t i = 0; (other = tally_sim_task_at(random_sim->sim, i)); i++) {
		if (tally_sim_task_parent(other) == task)
			return true;
	}
	return false;
}

static void op_spawn(struct random_sim *random_sim)
{
	struct tally_sim_spawn how = {
		.script = scripts[random_below(&random_sim->random, 4)],
		.cpu = any_cpu(random_sim),
		.caps = ~UINT64_C(0),
	};
	size_t at = random_below(&random_sim->random, RANDOM_SIM_TASKS);

	if (random_sim->tasks[at] && !tally_sim_task_exited(random_sim->tasks[at]))
		return;
	random_sim->tasks[at] = tally_sim_task_new(random_sim->sim, &how);
	random_sim_log(random_sim, "spawn %d", tally_sim_task_tid(random_sim->tasks[at]));
}

static void op_fork(struct random_sim *random_sim)
{
	struct tally_sim_task *task = any_task(random_sim), *last = NULL, *other;
	struct tally_sim_step step = {.op = SIM_OP_FORK,
				      .fork = {scripts[random_below(&random_sim->random, 4)],
					       random_below(&random_sim->random, 2), -1}};
	size_t at = random_below(&random_sim->random, RANDOM_SIM_TASKS);

	if (!task || (random_sim->tasks[at] && !tally_sim_task_exited(random_sim->tasks[at])))
		return;
	random_sim_log(random_sim, "fork of %d", tally_sim_task_tid(task));
	tally_sim_execute(random_sim->sim, task, &step);
	for (size_t i = 0; (other = tally_sim_task_at(random_sim->sim, i)); i++)
		last = other;
	random_sim->tasks[at] = last;
}

static void op_exit(struct random_sim *random_sim)
{
	struct tally_sim_task *task = any_task(random_sim);

	if (!task || random_below(&random_sim->random, 3))
		return;
	random_sim_log(random_sim, "exit of %d", tally_sim_task_tid(task));
	tally_sim_execute(random_sim->sim, task, &(struct tally_sim_step)SIM_EXIT());
}

static void op_migrate(struct random_sim *random_sim)
{
	struct tally_sim_task *task = any_task(random_sim);
	uint32_t cpu = any_cpu(random_sim);

	if (!task)
		return;
	random_sim_log(random_sim, "%d moves to CPU %u", tally_sim_task_tid(task), cpu);
	tally_sim_execute(random_sim->sim, task, &(struct tally_sim_step)SIM_MIGRATE(cpu));
}

static void op_software(struct random_sim *random_sim)
{
	struct tally_sim_task *task = any_task(random_sim);

	if (!task)
		return;
	random_sim_log(random_sim, "page faults of %d", tally_sim_task_tid(task));
	tally_sim_execute(random_sim->sim, task,
			  &(struct tally_sim_step)SIM_SOFTWARE(PERF_COUNT_SW_PAGE_FAULTS, 3));
}

static void op_exec(struct random_sim *random_sim)
{
	struct tally_sim_task *task = any_task(random_sim);

	if (!task)
		return;
	random_sim_log(random_sim, "exec of %d", tally_sim_task_tid(task));
	tally_sim_execute(random_sim->sim, task, &(struct tally_sim_step)SIM_EXEC("other"));
}

static void op_run(struct random_sim *random_sim)
{
	uint64_t ns =
		random_below(&random_sim->random, 1U << random_below(&random_sim->random, 19));

	random_sim_log(random_sim, "run %llu", (unsigned long long)ns);
	tally_sim_run(random_sim->sim, ns);
}

/* ---- events ----------------------------------------------------------------------------- */

static struct random_sim_event *any_event(struct random_sim *random_sim)
{
	struct random_sim_event *event =
		&random_sim->events[random_below(&random_sim->random, RANDOM_SIM_EVENTS)];

	return event->fd >= 0 ? event : NULL;
}

static void choose_what(struct random_sim *random_sim, struct perf_event_attr *attr)
{
	static const uint8_t signals[] = {SIM_CYCLES, SIM_INSTRUCTIONS, SIM_BRANCHES,
					  SIM_CACHE_MISSES};
	uint64_t bits = random_u64(&random_sim->random);

	*attr = (struct perf_event_attr){.size = sizeof(*attr), .read_format = 3};
	attr->config = signals[bits & 3];
	if ((bits >> 2 & 7) == 0) {
		attr->type = PERF_TYPE_SOFTWARE;
		attr->config = PERF_COUNT_SW_TASK_CLOCK;
	} else if ((bits >> 2 & 7) == 1 && random_sim->nr_pmus > 1) {
		attr->type = random_sim->pmus[1].type;
	}
	attr->disabled = bits >> 5 & 1;
	attr->exclude_user = (bits >> 6 & 7) == 0;
	attr->exclude_kernel = !attr->exclude_user && (bits >> 9 & 7) == 0;
	attr->sample_id_all = bits >> 12 & 1;
	attr->sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	if ((bits >> 13 & 3) == 0)
		attr->sample_period = 1000 + random_below(&random_sim->random, 100000);
	if ((bits >> 15 & 15) == 0) {
		attr->freq = 1;
		attr->sample_freq = 1000;
	}
	attr->comm = attr->task = bits >> 19 & 1;
	attr->context_switch = bits >> 20 & 1;
}

/* Choose the target (a task, a CPU or both) and the group (none, leader or member). */
static void choose_where(struct random_sim *random_sim, struct random_sim_event *event)
{
	uint64_t bits = random_u64(&random_sim->random);
	struct random_sim_event *leader = any_event(random_sim);

	if ((bits & 3) == 0 && leader && &random_sim->events[leader->leader] == leader) {
		event->leader = (int)(leader - random_sim->events);
		event->task = leader->task;
		event->cpu = leader->cpu;
		event->attr.inherit = leader->attr.inherit;
		return;
	}
	event->task = bits & 4 ? any_task(random_sim) : NULL;
	event->cpu = event->task && bits & 24
			     ? -1
			     : (int)random_below(&random_sim->random, random_sim->nr_cpus);
	event->attr.inherit = event->task && bits & 32;
	event->attr.pinned = (bits >> 6 & 15) == 0;
	event->attr.exclusive = (bits >> 10 & 15) == 0;
}

/* Return true if the expected count can be computed. An event does not count children that existed
 * before it, but the machine's true count for the task tree includes them. When a member is opened,
 * the leader's task may already have children. Counts of pinned inherited events cannot be
 * predicted either, because each child may fail to get a counter. */
static bool can_know(struct random_sim *random_sim, const struct random_sim_event *event)
{
	const struct random_sim_event *leader = &random_sim->events[event->leader];

	if (leader->limited)
		return false;
	return !event->attr.inherit ||
	       (!leader->attr.pinned && !has_children(random_sim, event->task));
}

/* Mark the group as subject to throttling, which stops the whole group. The missed counts are not
 * recovered. */
static void note_throttling(struct random_sim *random_sim, struct random_sim_event *opened)
{
	bool samples = false;

	for (int i = 0; i < RANDOM_SIM_EVENTS; i++) {
		const struct random_sim_event *event = &random_sim->events[i];

		samples |= event->leader == opened->leader && event->fd >= 0 &&
			   event->attr.sample_period;
	}
	for (int i = 0; samples && i < RANDOM_SIM_EVENTS; i++) {
		if (random_sim->events[i].leader == opened->leader)
			random_sim->events[i].stands = true;
	}
}

static void op_open(struct random_sim *random_sim)
{
	int at = (int)random_below(&random_sim->random, RANDOM_SIM_EVENTS);
	struct random_sim_event *event = &random_sim->events[at];
	struct random_sim_event made = {.fd = -1, .leader = at};
	int group_fd = -1;

	if (event->fd >= 0)
		return;
	choose_what(random_sim, &made.attr);
	choose_where(random_sim, &made);
	if (made.leader != at)
		group_fd = random_sim->events[made.leader].fd;
	made.fd = tally_sim_open(random_sim->sim, random_sim->monitor, &made.attr,
				 made.task ? tally_sim_task_tid(made.task) : -1, made.cpu, group_fd,
				 0);
	random_sim_log(
		random_sim,
		"open of %d: type %u config %llu task %d cpu %d leader %d flags %s%s%s%s%s%s, "
		"period %llu",
		made.fd, made.attr.type, (unsigned long long)made.attr.config,
		made.task ? tally_sim_task_tid(made.task) : -1, made.cpu, group_fd,
		made.attr.inherit ? "i" : "", made.attr.pinned ? "p" : "",
		made.attr.exclusive ? "x" : "", made.attr.disabled ? "d" : "",
		made.attr.exclude_user ? "k" : "", made.attr.exclude_kernel ? "u" : "",
		(unsigned long long)made.attr.sample_period);
	if (made.fd < 0)
		return;
	*event = made;
	event->known = can_know(random_sim, event);
	note_throttling(random_sim, event);
	random_sim_set_on(random_sim, event, !made.attr.disabled);
}

/* Close an event. The members of a closed leader become single events. */
static void op_close(struct random_sim *random_sim)
{
	struct random_sim_event *event = any_event(random_sim);
	int index = (int)(event - random_sim->events);

	if (!event)
		return;
	random_sim_note_error(random_sim, event);
	random_sim_log(random_sim, "close of %d", event->fd);
	if (event->ring)
		tally_sim_munmap(random_sim->sim, random_sim->monitor, event->ring);
	tally_sim_close(random_sim->sim, random_sim->monitor, event->fd);
	if (random_sim_counts(random_sim, event))
		random_sim_window_close(random_sim, event);
	event->fd = -1;
	for (int i = 0; i < RANDOM_SIM_EVENTS; i++) {
		struct random_sim_event *other = &random_sim->events[i];
		bool before = random_sim_counts(random_sim, other);

		if (i == index || other->leader != index)
			continue;
		other->leader = i;
		if (other->fd >= 0 && !before && random_sim_counts(random_sim, other))
			random_sim_window_open(random_sim, other);
	}
	*event = (struct random_sim_event){.fd = -1, .leader = index};
}

static void op_enable(struct random_sim *random_sim)
{
	struct random_sim_event *event = any_event(random_sim);
	bool on = random_below(&random_sim->random, 2);

	if (!event)
		return;
	random_sim_note_error(random_sim, event);
	random_sim_log(random_sim, "%s %d", on ? "enable" : "disable", event->fd);
	tally_sim_ioctl(random_sim->sim, random_sim->monitor, event->fd,
			on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
	random_sim_set_on(random_sim, event, on);
}

static void op_enable_group(struct random_sim *random_sim)
{
	struct random_sim_event *event = any_event(random_sim);
	bool on = random_below(&random_sim->random, 2);

	if (!event)
		return;
	random_sim_note_error(random_sim, &random_sim->events[event->leader]);
	random_sim_log(random_sim, "%s the group of %d", on ? "enable" : "disable", event->fd);
	tally_sim_ioctl(random_sim->sim, random_sim->monitor, event->fd,
			on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
	for (int i = 0; i < RANDOM_SIM_EVENTS; i++) {
		if (random_sim->events[i].fd >= 0 && random_sim->events[i].leader == event->leader)
			random_sim_set_on(random_sim, &random_sim->events[i], on);
	}
}

static void op_prctl(struct random_sim *random_sim)
{
	bool on = random_below(&random_sim->random, 2);

	if (random_below(&random_sim->random, 8))
		return;
	random_sim_log(random_sim, "prctl %d", on);
	for (int i = 0; i < RANDOM_SIM_EVENTS; i++)
		random_sim_note_error(random_sim, &random_sim->events[i]);
	tally_sim_prctl(random_sim->sim, random_sim->monitor,
			on ? TALLY_CORE_PRCTL_ENABLE : TALLY_CORE_PRCTL_DISABLE);
	for (int i = 0; i < RANDOM_SIM_EVENTS; i++) {
		if (random_sim->events[i].fd >= 0)
			random_sim_set_on(random_sim, &random_sim->events[i], on);
	}
}

/* Set an overflow limit. The number of overflows cannot be predicted here, so the expected counts
 * become unknown. */
static void op_refresh(struct random_sim *random_sim)
{
	struct random_sim_event *event = any_event(random_sim);

	if (!event || event->attr.inherit || !event->attr.sample_period)
		return;
	random_sim_log(random_sim, "refresh %d", event->fd);
	tally_sim_ioctl(random_sim->sim, random_sim->monitor, event->fd, PERF_EVENT_IOC_REFRESH,
			1 + random_below(&random_sim->random, 5));
	event->limited = true;
	event->known = false;
	random_sim_forget_group(random_sim, event);
}

static void op_reset(struct random_sim *random_sim)
{
	struct random_sim_event *event = any_event(random_sim);
	struct expectation want;

	if (!event)
		return;
	random_sim_log(random_sim, "reset %d", event->fd);
	want = random_sim_expected(random_sim, event);
	tally_sim_ioctl(random_sim->sim, random_sim->monitor, event->fd, PERF_EVENT_IOC_RESET, 0);
	event->last_value = 0;
	/* Reset clears the count, but not the times. If part of the count was missed because of
	 * multiplexing, the expected count is unknown from here on. */
	event->sum.value -= want.value;
	event->known &= event->last_running == event->last_enabled;
}

static void op_period(struct random_sim *random_sim)
{
	struct random_sim_event *event = any_event(random_sim);
	uint64_t period = 1000 + random_below(&random_sim->random, 100000);

	if (!event)
		return;
	random_sim_log(random_sim, "period of %d", event->fd);
	tally_sim_ioctl(random_sim->sim, random_sim->monitor, event->fd, PERF_EVENT_IOC_PERIOD,
			(uintptr_t)&period);
}

static void op_map(struct random_sim *random_sim)
{
	struct random_sim_event *event = any_event(random_sim);
	size_t pages = 1 + (1U << random_below(&random_sim->random, 3));

	if (!event)
		return;
	random_sim_log(random_sim, "%smap of %d", event->ring ? "un" : "", event->fd);
	if (event->ring) {
		tally_sim_munmap(random_sim->sim, random_sim->monitor, event->ring);
		event->ring = NULL;
	} else if (tally_sim_mmap(random_sim->sim, random_sim->monitor, event->fd, pages * 4096, 0,
				  true, &event->ring)) {
		event->ring = NULL;
	}
}

static void op_output(struct random_sim *random_sim)
{
	struct random_sim_event *event = any_event(random_sim), *target = any_event(random_sim);

	if (!event || !target)
		return;
	random_sim_log(random_sim, "output of %d to %d", event->fd, target->fd);
	tally_sim_ioctl(random_sim->sim, random_sim->monitor, event->fd, PERF_EVENT_IOC_SET_OUTPUT,
			(uintptr_t)target->fd);
}

/* Drain a ring and check each header up to the head. No record may be longer than the remaining
 * data. */
static void op_drain(struct random_sim *random_sim)
{
	struct random_sim_event *event = any_event(random_sim);
	struct perf_event_mmap_page *page = event ? event->ring : NULL;
	uint64_t head, at;

	if (!page || !page->data_size)
		return;
	random_sim_log(random_sim, "drain %d", event->fd);
	head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	for (at = page->data_tail; at != head;) {
		struct perf_event_header header;
		const uint8_t *data = (const uint8_t *)page + page->data_offset;

		memcpy(&header, data + at % page->data_size, sizeof(header));
		if (header.size < 8 || header.size % 8 || header.size > head - at || !header.type ||
		    header.type >= PERF_RECORD_MAX)
			random_sim_fail(random_sim, "record of type %u, size %u at %llu of %llu",
					header.type, header.size, (unsigned long long)at,
					(unsigned long long)head);
		at += header.size;
	}
	__atomic_store_n(&page->data_tail, at, __ATOMIC_RELEASE);
}

static void op_read(struct random_sim *random_sim)
{
	struct random_sim_event *event = any_event(random_sim);

	if (!event)
		return;
	random_sim_log(random_sim, "read %d", event->fd);
	random_sim_read(random_sim, event);
}

static void op_poll(struct random_sim *random_sim)
{
	struct random_sim_event *event = any_event(random_sim);

	if (event)
		tally_sim_poll(random_sim->sim, random_sim->monitor, event->fd);
}

/* Take a CPU offline, or bring an offline CPU back online. */
static void op_hotplug(struct random_sim *random_sim)
{
	uint32_t cpu = (uint32_t)random_below(&random_sim->random, random_sim->nr_cpus);
	bool gone = random_sim->gone & 1U << cpu;

	if (random_below(&random_sim->random, gone ? 2 : 8))
		return;
	random_sim_log(random_sim, "CPU %u %s", cpu, gone ? "comes" : "goes");
	if (gone)
		tally_sim_cpu_online(random_sim->sim, cpu);
	else if (tally_sim_cpu_offline(random_sim->sim, cpu))
		return;
	random_sim->gone ^= 1U << cpu;
}

/* ---- error injection -------------------------------------------------------------------- */

/* Make an allocation in the next operation fail. The operation must then have no effect, and
 * nothing else may be affected. */
static void op_refused(struct random_sim *random_sim)
{
	static void (*const refused[])(struct random_sim * random_sim) = {
		op_open,   op_open,  op_open,  op_map,         op_map,
		op_output, op_close, op_prctl, op_enable_group};

	tally_sim_fail_alloc(random_sim->sim, 1 + random_below(&random_sim->random, 6));
	refused[random_below(&random_sim->random, 9)](random_sim);
	tally_sim_fail_alloc(random_sim->sim, 0);
}

/* Make user memory inaccessible during an ioctl and a read, which fail with -EFAULT (the read
 * may also return end of file). The next read returns the counts that it would have returned
 * otherwise. */
static void op_fault(struct random_sim *random_sim)
{
	struct random_sim_event *event = any_event(random_sim);
	uint64_t words[3] = {5000, 0, 0};
	int64_t ret;

	if (!event)
		return;
	random_sim_log(random_sim, "faults of %d", event->fd);
	tally_sim_fail_copy(random_sim->sim, words, sizeof(words));
	if (tally_sim_ioctl(random_sim->sim, random_sim->monitor, event->fd, PERF_EVENT_IOC_PERIOD,
			    (uintptr_t)words) != -EFAULT)
		random_sim_fail(random_sim, "a period is taken that cannot be read");
	ret = tally_sim_read(random_sim->sim, random_sim->monitor, event->fd, words, sizeof(words));
	tally_sim_fail_copy(random_sim->sim, NULL, 0);
	if (ret != -EFAULT && ret)
		random_sim_fail(random_sim, "read of %d gave %lld without memory", event->fd,
				(long long)ret);
	random_sim_read(random_sim, event);
}

/* ---- choice of an operation -------------------------------------------------------------- */

static void (*const operations[])(struct random_sim *random_sim) = {
	op_run,   op_run,     op_run,      op_run,          op_spawn,   op_fork,
	op_exit,  op_migrate, op_software, op_exec,         op_open,    op_open,
	op_open,  op_close,   op_enable,   op_enable_group, op_prctl,   op_refresh,
	op_reset, op_period,  op_map,      op_output,       op_drain,   op_read,
	op_read,  op_read,    op_poll,     op_hotplug,      op_refused, op_fault,
};

void random_sim_step(struct random_sim *random_sim)
{
	size_t nr = sizeof(operations) / sizeof(operations[0]);

	random_sim->ops++;
	random_sim_log(random_sim, "%s", "");
	operations[random_below(&random_sim->random, nr)](random_sim);
}
