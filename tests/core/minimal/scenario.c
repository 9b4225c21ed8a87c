/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/minimal/scenario.h"

#include <string.h>

enum { GROUP = 5 };

struct scene {
	struct mini *mini;
	struct mini_task *task; /* the observed task; runs on CPU 0 */
	unsigned worked;
	int group[GROUP], sampler, tracepoint, of_cpu, redirected;
};

static const struct tally_core_sample_data in_user = {.ip = 0x4000, .mode = PERF_RECORD_MISC_USER};
static const struct tally_core_field field = {"a", 0, 4, false, false};
static const uint64_t read_format =
	PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID;

static int note(struct scene *scene, int ret)
{
	scene->worked += ret >= 0;
	return ret;
}

static int open_one(struct scene *scene, struct perf_event_attr attr, bool of_task, int32_t cpu,
		    int group, unsigned long flags)
{
	attr.size = sizeof(attr);
	return note(scene, mini_open(scene->mini, scene->mini->tasks[0], &attr, sizeof(attr),
				     of_task ? scene->task->perf.tid : -1, cpu, group, flags));
}

static void control(struct scene *scene, int fd, unsigned long request, uintptr_t arg)
{
	if (fd >= 0)
		note(scene, mini_ioctl(scene->mini, scene->mini->tasks[0], fd, request, arg));
}

static void map(struct scene *scene, int fd, size_t pages)
{
	if (fd >= 0)
		note(scene, mini_mmap(scene->mini, scene->mini->tasks[0], fd, (1 + pages) * 4096,
				      true, NULL));
}

/* ---- opening ------------------------------------------------------------------------------ */

static void open_group(struct scene *scene)
{
	struct perf_event_attr attr = {.type = 10,
				       .config = 1,
				       .inherit = 1,
				       .comm = 1,
				       .task = 1,
				       .read_format = read_format | PERF_FORMAT_GROUP};

	for (int i = 0; i < GROUP; i++) {
		scene->group[i] = open_one(scene, attr, true, -1, i ? scene->group[0] : -1, 0);
		attr = (struct perf_event_attr){.type = PERF_TYPE_SOFTWARE,
						.config = (uint64_t)i,
						.inherit = 1,
						.read_format = attr.read_format};
	}
}

static void open_samplers(struct scene *scene)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .config = PERF_COUNT_SW_PAGE_FAULTS,
				       .sample_period = 3,
				       .wakeup_events = 1,
				       .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID |
						      PERF_SAMPLE_CALLCHAIN,
				       .sample_id_all = 1,
				       .inherit = 1,
				       .inherit_stat = 1,
				       .mmap = 1,
				       .comm = 1};

	scene->sampler = open_one(scene, attr, true, 0, -1, 0);
	map(scene, scene->sampler, 2);
	attr.inherit = attr.inherit_stat = 0;
	scene->redirected = open_one(scene, attr, true, 0, scene->sampler,
				     PERF_FLAG_FD_OUTPUT | PERF_FLAG_FD_NO_GROUP);
	attr = (struct perf_event_attr){
		.type = 10, .config = 2, .sample_period = 100, .pinned = 1, .wakeup_events = 1};
	scene->of_cpu = open_one(scene, attr, false, 1, -1, PERF_FLAG_FD_CLOEXEC);
	map(scene, scene->of_cpu, 4);
	open_one(scene, (struct perf_event_attr){.type = 11, .config = 1}, false, 0, -1, 0);
}

static void open_tracepoint(struct scene *scene, struct tally_core_tracepoint *point)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT, .config = 7, .inherit = 1, .sample_period = 1};

	note(scene, tally_core_tracepoint_register(scene->mini->core, point));
	scene->tracepoint = open_one(scene, attr, true, -1, -1, 0);
	control(scene, scene->tracepoint, PERF_EVENT_IOC_SET_FILTER,
		(uintptr_t) "a == 1 && (a < 5 || a > 9)");
	control(scene, scene->tracepoint, PERF_EVENT_IOC_SET_FILTER, (uintptr_t) "a != 1");
}

/* ---- events ------------------------------------------------------------------------------- */

static void happen(struct scene *scene, const struct tally_core_tracepoint *point)
{
	struct mini *mini = scene->mini;
	const uint32_t raw = 2;

	mini_software(mini, PERF_COUNT_SW_PAGE_FAULTS, 7);
	mini_count(mini, 0, 500);
	mini_overflow(mini, 0, &in_user);
	mini_tick(mini);
	mini_advance(mini, 4000000);
	mini->off++;
	tally_core_tracepoint_hit(mini->core, point, &raw, sizeof(raw), &in_user);
	if (mini->cpus[mini->cpu].task)
		tally_core_comm(mini->core, &mini->cpus[mini->cpu].task->perf, "scene", false);
	mini->off--;
}

static void have_children(struct scene *scene, const struct tally_core_tracepoint *point)
{
	struct mini *mini = scene->mini;
	struct mini_task *child = mini_fork(mini, scene->task, true);
	struct mini_task *thread = mini_fork(mini, scene->task, false);

	scene->worked += child && thread;
	happen(scene, point);
	if (!child || !thread)
		return;
	mini_on(mini, 1);
	mini_switch(mini, child);
	happen(scene, point);
	mini_exec(mini, child, false);
	mini_on(mini, 0);
	mini_switch(mini, thread);
	happen(scene, point);
	mini_exit(mini, child);
	mini_switch(mini, scene->task);
	mini_exit(mini, thread);
}

/* ---- control, read, close ----------------------------------------------------------------- */

static void control_all(struct scene *scene)
{
	uint64_t period = 50, id = 0;
	struct perf_event_attr attr = {.type = 10, .size = sizeof(attr)};

	control(scene, scene->sampler, PERF_EVENT_IOC_ID, (uintptr_t)&id);
	control(scene, scene->sampler, PERF_EVENT_IOC_PERIOD, (uintptr_t)&period);
	control(scene, scene->of_cpu, PERF_EVENT_IOC_REFRESH, 5);
	control(scene, scene->of_cpu, PERF_EVENT_IOC_PAUSE_OUTPUT, 1);
	control(scene, scene->of_cpu, PERF_EVENT_IOC_PAUSE_OUTPUT, 0);
	control(scene, scene->of_cpu, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, (uintptr_t)&attr);
	control(scene, scene->group[0], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
	control(scene, scene->group[0], PERF_EVENT_IOC_RESET, 0);
	control(scene, scene->group[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
	control(scene, scene->redirected, PERF_EVENT_IOC_SET_OUTPUT, UINTPTR_MAX);
	control(scene, scene->redirected, PERF_EVENT_IOC_SET_OUTPUT, (uintptr_t)scene->sampler);
	note(scene, mini_prctl(scene->mini, scene->mini->tasks[0], TALLY_CORE_PRCTL_DISABLE));
	note(scene, mini_prctl(scene->mini, scene->mini->tasks[0], TALLY_CORE_PRCTL_ENABLE));
}

static void read_all(struct scene *scene)
{
	uint64_t words[64];

	for (int fd = 0; fd < MINI_FILES; fd++) {
		if (!scene->mini->files[fd].event)
			continue;
		note(scene, (int)mini_read(scene->mini, fd, words, sizeof(words)));
		note(scene, (int)mini_poll(scene->mini, fd));
	}
}

static void close_some(struct scene *scene)
{
	struct mini *mini = scene->mini;

	if (scene->sampler >= 0)
		mini_munmap(mini, scene->sampler);
	if (scene->group[0] >= 0)
		mini_close(mini, scene->group[0]);
	if (scene->tracepoint >= 0)
		mini_close(mini, scene->tracepoint);
}

unsigned mini_scenario(struct mini *mini)
{
	struct scene scene = {.mini = mini, .task = mini_task_new(mini)};
	struct tally_core_tracepoint *point = &mini->tracepoint;

	*point = (struct tally_core_tracepoint){
		.system = "scene", .name = "point", .id = 7, .fields = &field, .nr_fields = 1};
	if (!scene.task)
		return 0;
	mini_switch(mini, scene.task);
	open_group(&scene);
	open_samplers(&scene);
	open_tracepoint(&scene, point);
	happen(&scene, point);
	have_children(&scene, point);
	control_all(&scene);
	read_all(&scene);
	mini_offline(mini, 1);
	happen(&scene, point);
	mini_online(mini, 1);
	mini_exec(mini, scene.task, true);
	close_some(&scene);
	mini_exit(mini, scene.task);
	read_all(&scene);
	return scene.worked;
}
