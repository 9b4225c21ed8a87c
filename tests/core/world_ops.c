/* SPDX-License-Identifier: BSD-2-Clause */
/* What can happen in the world. */
#include <string.h>

#include "core/world.h"
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

static struct tally_sim_task *any_task(struct world *world)
{
	struct tally_sim_task *task = world->tasks[random_below(&world->random, WORLD_TASKS)];

	return task && !tally_sim_task_exited(task) ? task : NULL;
}

static bool has_children(struct world *world, const struct tally_sim_task *task)
{
	struct tally_sim_task *other;

	for (size_t i = 0; (other = tally_sim_task_at(world->sim, i)); i++) {
		if (tally_sim_task_parent(other) == task)
			return true;
	}
	return false;
}

static void op_spawn(struct world *world)
{
	struct tally_sim_spawn how = {
		.script = scripts[random_below(&world->random, 4)],
		.cpu = (uint32_t)random_below(&world->random, world->nr_cpus),
		.caps = ~UINT64_C(0),
	};
	size_t at = random_below(&world->random, WORLD_TASKS);

	if (world->tasks[at] && !tally_sim_task_exited(world->tasks[at]))
		return;
	world->tasks[at] = tally_sim_task_new(world->sim, &how);
	world_log(world, "spawn %d", tally_sim_task_tid(world->tasks[at]));
}

static void op_fork(struct world *world)
{
	struct tally_sim_task *task = any_task(world), *last = NULL, *other;
	struct tally_sim_step step = {.op = SIM_OP_FORK,
				      .fork = {scripts[random_below(&world->random, 4)],
					       random_below(&world->random, 2), -1}};
	size_t at = random_below(&world->random, WORLD_TASKS);

	if (!task || (world->tasks[at] && !tally_sim_task_exited(world->tasks[at])))
		return;
	world_log(world, "fork of %d", tally_sim_task_tid(task));
	tally_sim_do(world->sim, task, &step);
	for (size_t i = 0; (other = tally_sim_task_at(world->sim, i)); i++)
		last = other;
	world->tasks[at] = last;
}

static void op_exit(struct world *world)
{
	struct tally_sim_task *task = any_task(world);

	if (!task || random_below(&world->random, 3))
		return;
	world_log(world, "exit of %d", tally_sim_task_tid(task));
	tally_sim_do(world->sim, task, &(struct tally_sim_step)SIM_EXIT());
}

static void op_migrate(struct world *world)
{
	struct tally_sim_task *task = any_task(world);
	uint32_t cpu = (uint32_t)random_below(&world->random, world->nr_cpus);

	if (!task)
		return;
	world_log(world, "%d moves to CPU %u", tally_sim_task_tid(task), cpu);
	tally_sim_do(world->sim, task, &(struct tally_sim_step)SIM_MIGRATE(cpu));
}

static void op_software(struct world *world)
{
	struct tally_sim_task *task = any_task(world);

	if (!task)
		return;
	world_log(world, "page faults of %d", tally_sim_task_tid(task));
	tally_sim_do(world->sim, task,
		     &(struct tally_sim_step)SIM_SOFTWARE(PERF_COUNT_SW_PAGE_FAULTS, 3));
}

static void op_exec(struct world *world)
{
	struct tally_sim_task *task = any_task(world);

	if (!task)
		return;
	world_log(world, "exec of %d", tally_sim_task_tid(task));
	tally_sim_do(world->sim, task, &(struct tally_sim_step)SIM_EXEC("other"));
}

static void op_run(struct world *world)
{
	uint64_t ns = random_below(&world->random, 1U << random_below(&world->random, 19));

	world_log(world, "run %llu", (unsigned long long)ns);
	tally_sim_run(world->sim, ns);
}

/* ---- events ----------------------------------------------------------------------------- */

static struct world_event *any_event(struct world *world)
{
	struct world_event *event = &world->events[random_below(&world->random, WORLD_EVENTS)];

	return event->fd >= 0 ? event : NULL;
}

static void choose_what(struct world *world, struct perf_event_attr *attr)
{
	static const uint8_t signals[] = {SIM_CYCLES, SIM_INSTRUCTIONS, SIM_BRANCHES,
					  SIM_CACHE_MISSES};
	uint64_t bits = random_u64(&world->random);

	*attr = (struct perf_event_attr){.size = sizeof(*attr), .read_format = 3};
	attr->config = signals[bits & 3];
	if ((bits >> 2 & 7) == 0) {
		attr->type = PERF_TYPE_SOFTWARE;
		attr->config = PERF_COUNT_SW_TASK_CLOCK;
	} else if ((bits >> 2 & 7) == 1 && world->nr_pmus > 1) {
		attr->type = world->pmus[1].type;
	}
	attr->disabled = bits >> 5 & 1;
	attr->exclude_user = (bits >> 6 & 7) == 0;
	attr->exclude_kernel = !attr->exclude_user && (bits >> 9 & 7) == 0;
	attr->sample_id_all = bits >> 12 & 1;
	attr->sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	if ((bits >> 13 & 3) == 0)
		attr->sample_period = 1000 + random_below(&world->random, 100000);
	if ((bits >> 15 & 15) == 0) {
		attr->freq = 1;
		attr->sample_freq = 1000;
	}
	attr->comm = attr->task = bits >> 19 & 1;
	attr->context_switch = bits >> 20 & 1;
}

/* Where to: a task or a CPU or both; alone, leading, or a member of a group. */
static void choose_where(struct world *world, struct world_event *event)
{
	uint64_t bits = random_u64(&world->random);
	struct world_event *leader = any_event(world);

	if ((bits & 3) == 0 && leader && &world->events[leader->leader] == leader) {
		event->leader = (int)(leader - world->events);
		event->task = leader->task;
		event->cpu = leader->cpu;
		event->attr.inherit = leader->attr.inherit;
		return;
	}
	event->task = bits & 4 ? any_task(world) : NULL;
	event->cpu =
		event->task && bits & 24 ? -1 : (int)random_below(&world->random, world->nr_cpus);
	event->attr.inherit = event->task && bits & 32;
	event->attr.pinned = (bits >> 6 & 15) == 0;
	event->attr.exclusive = (bits >> 10 & 15) == 0;
}

/* Children there were before the event do not count for it, but do for the machine's tree: then
 * what it should count is not known; a member may find its leader with children already. Nor is it
 * where each child may find no room for what is pinned. */
static bool can_know(struct world *world, const struct world_event *event)
{
	const struct world_event *leader = &world->events[event->leader];

	if (leader->limited)
		return false;
	return !event->attr.inherit || (!leader->attr.pinned && !has_children(world, event->task));
}

static void op_open(struct world *world)
{
	int at = (int)random_below(&world->random, WORLD_EVENTS);
	struct world_event *event = &world->events[at];
	struct world_event made = {.fd = -1, .leader = at};
	int group_fd = -1;

	if (event->fd >= 0)
		return;
	choose_what(world, &made.attr);
	choose_where(world, &made);
	if (made.leader != at)
		group_fd = world->events[made.leader].fd;
	made.fd = tally_sim_open(world->sim, world->monitor, &made.attr,
				 made.task ? tally_sim_task_tid(made.task) : -1, made.cpu, group_fd,
				 0);
	world_log(world,
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
	event->known = can_know(world, event);
	world_set_on(world, event, !made.attr.disabled);
}

/* A leader that goes leaves single events behind. */
static void op_close(struct world *world)
{
	struct world_event *event = any_event(world);
	int index = (int)(event - world->events);

	if (!event)
		return;
	world_note_error(world, event);
	world_log(world, "close of %d", event->fd);
	if (event->ring)
		tally_sim_munmap(world->sim, world->monitor, event->ring);
	tally_sim_close(world->sim, world->monitor, event->fd);
	if (world_counts(world, event))
		world_window_close(world, event);
	event->fd = -1;
	for (int i = 0; i < WORLD_EVENTS; i++) {
		struct world_event *other = &world->events[i];
		bool before = world_counts(world, other);

		if (i == index || other->leader != index)
			continue;
		other->leader = i;
		if (other->fd >= 0 && !before && world_counts(world, other))
			world_window_open(world, other);
	}
	*event = (struct world_event){.fd = -1, .leader = index};
}

static void op_enable(struct world *world)
{
	struct world_event *event = any_event(world);
	bool on = random_below(&world->random, 2);

	if (!event)
		return;
	world_note_error(world, event);
	world_log(world, "%s %d", on ? "enable" : "disable", event->fd);
	tally_sim_ioctl(world->sim, world->monitor, event->fd,
			on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
	world_set_on(world, event, on);
}

static void op_enable_group(struct world *world)
{
	struct world_event *event = any_event(world);
	bool on = random_below(&world->random, 2);

	if (!event)
		return;
	world_note_error(world, &world->events[event->leader]);
	world_log(world, "%s the group of %d", on ? "enable" : "disable", event->fd);
	tally_sim_ioctl(world->sim, world->monitor, event->fd,
			on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
	for (int i = 0; i < WORLD_EVENTS; i++) {
		if (world->events[i].fd >= 0 && world->events[i].leader == event->leader)
			world_set_on(world, &world->events[i], on);
	}
}

static void op_prctl(struct world *world)
{
	bool on = random_below(&world->random, 2);

	if (random_below(&world->random, 8))
		return;
	world_log(world, "prctl %d", on);
	for (int i = 0; i < WORLD_EVENTS; i++)
		world_note_error(world, &world->events[i]);
	tally_sim_prctl(world->sim, world->monitor,
			on ? TALLY_CORE_PRCTL_ENABLE : TALLY_CORE_PRCTL_DISABLE);
	for (int i = 0; i < WORLD_EVENTS; i++) {
		if (world->events[i].fd >= 0)
			world_set_on(world, &world->events[i], on);
	}
}

/* How many overflows there will be nobody knows here: what is counted until then is not followed.
 */
static void op_refresh(struct world *world)
{
	struct world_event *event = any_event(world);

	if (!event || event->attr.inherit || !event->attr.sample_period)
		return;
	world_log(world, "refresh %d", event->fd);
	tally_sim_ioctl(world->sim, world->monitor, event->fd, PERF_EVENT_IOC_REFRESH,
			1 + random_below(&world->random, 5));
	event->limited = true;
	event->known = false;
	world_forget_group(world, event);
}

static void op_reset(struct world *world)
{
	struct world_event *event = any_event(world);
	struct expectation want;

	if (!event)
		return;
	world_log(world, "reset %d", event->fd);
	want = world_expected(world, event);
	tally_sim_ioctl(world->sim, world->monitor, event->fd, PERF_EVENT_IOC_RESET, 0);
	event->last_value = 0;
	/* Of what was counted so far nothing is left; unless not all of it had been counted. */
	event->sum.value -= want.value;
	event->known &= event->last_running == event->last_enabled;
}

static void op_period(struct world *world)
{
	struct world_event *event = any_event(world);
	uint64_t period = 1000 + random_below(&world->random, 100000);

	if (!event)
		return;
	world_log(world, "period of %d", event->fd);
	tally_sim_ioctl(world->sim, world->monitor, event->fd, PERF_EVENT_IOC_PERIOD,
			(uintptr_t)&period);
}

static void op_map(struct world *world)
{
	struct world_event *event = any_event(world);
	size_t pages = 1 + (1U << random_below(&world->random, 3));

	if (!event)
		return;
	world_log(world, "%smap of %d", event->ring ? "un" : "", event->fd);
	if (event->ring) {
		tally_sim_munmap(world->sim, world->monitor, event->ring);
		event->ring = NULL;
	} else if (tally_sim_mmap(world->sim, world->monitor, event->fd, pages * 4096, 0, true,
				  &event->ring)) {
		event->ring = NULL;
	}
}

static void op_output(struct world *world)
{
	struct world_event *event = any_event(world), *target = any_event(world);

	if (!event || !target)
		return;
	world_log(world, "output of %d to %d", event->fd, target->fd);
	tally_sim_ioctl(world->sim, world->monitor, event->fd, PERF_EVENT_IOC_SET_OUTPUT,
			(uintptr_t)target->fd);
}

/* Every record is whole: header by header to the head, and none is longer than what there is. */
static void op_drain(struct world *world)
{
	struct world_event *event = any_event(world);
	struct perf_event_mmap_page *page = event ? event->ring : NULL;
	uint64_t head, at;

	if (!page || !page->data_size)
		return;
	world_log(world, "drain %d", event->fd);
	head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	for (at = page->data_tail; at != head;) {
		struct perf_event_header header;
		const uint8_t *data = (const uint8_t *)page + page->data_offset;

		memcpy(&header, data + at % page->data_size, sizeof(header));
		if (header.size < 8 || header.size % 8 || header.size > head - at || !header.type ||
		    header.type >= PERF_RECORD_MAX)
			world_fail(world, "record of type %u, size %u at %llu of %llu", header.type,
				   header.size, (unsigned long long)at, (unsigned long long)head);
		at += header.size;
	}
	__atomic_store_n(&page->data_tail, at, __ATOMIC_RELEASE);
}

static void op_read(struct world *world)
{
	struct world_event *event = any_event(world);

	if (!event)
		return;
	world_log(world, "read %d", event->fd);
	world_read(world, event);
}

static void op_poll(struct world *world)
{
	struct world_event *event = any_event(world);

	if (event)
		tally_sim_poll(world->sim, world->monitor, event->fd);
}

static void op_hotplug(struct world *world)
{
	uint32_t cpu = (uint32_t)random_below(&world->random, world->nr_cpus);

	if (random_below(&world->random, 4))
		return;
	world_log(world, "CPU %u goes and comes", cpu);
	if (!tally_sim_cpu_offline(world->sim, cpu)) {
		tally_sim_run(world->sim, 1000);
		tally_sim_cpu_online(world->sim, cpu);
	}
}

/* ---- one of them ------------------------------------------------------------------------- */

static void (*const operations[])(struct world *world) = {
	op_run,     op_run,          op_run,   op_run,     op_spawn, op_fork,   op_exit,
	op_migrate, op_software,     op_exec,  op_open,    op_open,  op_open,   op_close,
	op_enable,  op_enable_group, op_prctl, op_refresh, op_reset, op_period, op_map,
	op_output,  op_drain,        op_read,  op_read,    op_read,  op_poll,   op_hotplug,
};

void world_step(struct world *world)
{
	size_t nr = sizeof(operations) / sizeof(operations[0]);

	world->ops++;
	world_log(world, "%s", "");
	operations[random_below(&world->random, nr)](world);
}
