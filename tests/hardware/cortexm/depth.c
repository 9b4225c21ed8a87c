/* SPDX-License-Identifier: BSD-2-Clause */
/* Stack usage of each core entry point, and the longest time for which the entry point disables
 * interrupts. */
#include "cortexm/app.h"

/* An inherited group of two events that sample to a ring. */
static struct {
	struct perf_event_attr attr;
	struct perf_mapping map;
	struct thread *child;
	int leader, member;
	uint64_t values[8];
} at;

static void do_open(void)
{
	at.attr = (struct perf_event_attr){
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(at.attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.sample_period = 50021,
		.sample_type = SAMPLE_TYPE,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
		.disabled = 1,
		.inherit = 1,
	};
	at.leader = perf_open(&at.attr, 0, 0, -1, 0, NULL);
}

static void do_open_member(void)
{
	at.attr.type = PERF_TYPE_SOFTWARE;
	at.attr.config = PERF_COUNT_SW_TASK_CLOCK;
	at.attr.sample_period = 1000003;
	at.attr.disabled = 0;
	at.member = perf_open(&at.attr, 0, 0, at.leader, 0, NULL);
}

static void do_map(void)
{
	perf_map(at.leader, PAGE_SIZE, &at.map);
}

static void do_output(void)
{
	perf_ioctl(at.member, PERF_EVENT_IOC_SET_OUTPUT, (uintptr_t)at.leader);
}

static void do_enable(void)
{
	perf_ioctl(at.leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
}

static void do_disable(void)
{
	perf_ioctl(at.leader, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
}

static void do_read(void)
{
	perf_read(at.leader, at.values, sizeof(at.values));
}

static void do_poll(void)
{
	perf_poll(at.leader, false);
}

static void do_prctl(void)
{
	perf_prctl(TALLY_CORE_PRCTL_ENABLE);
}

static void idle_child(void *arg)
{
	(void)arg;
}

static void do_fork(void)
{
	at.child = thread_new(idle_child, NULL, "child", 1, 1);
}

static void do_exit(void)
{
	if (at.child)
		thread_discard(at.child);
}

static void do_unmap(void)
{
	perf_unmap(&at.map);
}

static void do_close(void)
{
	perf_close(at.leader);
}

static void do_close_member(void)
{
	perf_close(at.member);
}

/* The order matters, since each call uses the state left by the previous ones. */
static const struct {
	const char *stack, *off;
	void (*call)(void);
} entries[] = {
	{"stack.open", "off.open", do_open},
	{"stack.open_member", "off.open_member", do_open_member},
	{"stack.mmap", "off.mmap", do_map},
	{"stack.output", "off.output", do_output},
	{"stack.enable", "off.enable", do_enable},
	{"stack.read", "off.read", do_read},
	{"stack.poll", "off.poll", do_poll},
	{"stack.prctl", "off.prctl", do_prctl},
	{"stack.fork", "off.fork", do_fork},
	{"stack.exit", "off.exit", do_exit},
	{"stack.disable", "off.disable", do_disable},
	{"stack.munmap", "off.munmap", do_unmap},
	{"stack.close", "off.close", do_close},
	{"stack.close_member", "off.close_member", do_close_member},
};

static void measure_entries(bool stacks)
{
	struct measured from;

	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
		rtos.measure_stacks = stacks;
		rtos.deepest[OFF_CALL] = rtos.longest[OFF_CALL] = 0;
		if (stacks)
			measure_begin(&from);
		entries[i].call();
		if (stacks)
			measure_end(&from, OFF_CALL);
		rtos.measure_stacks = false;
		if (stacks)
			say(entries[i].stack, rtos.deepest[OFF_CALL]);
		else
			say(entries[i].off, (uint64_t)rtos.longest[OFF_CALL] * NS_PER_COUNT);
	}
}

/* Run two threads, each with an inherited sampling group, to cover switches, ticks and both kinds
 * of samples. */
static void measure_hooks(bool stacks)
{
	static const char *const names[2][OFF_NR] = {
		{NULL, "off.switch", "off.tick", "off.timer", "off.overflow"},
		{NULL, "stack.switch", "stack.tick", "stack.timer", "stack.overflow"},
	};
	struct load loads[2];

	for (int i = 0; i < OFF_NR; i++)
		rtos.longest[i] = rtos.deepest[i] = 0;
	do_open();
	do_open_member();
	do_map();
	do_output();
	do_enable();
	rtos.measure_stacks = stacks;
	for (int i = 0; i < 2; i++) {
		loads[i] = (struct load){.ns = 20 * MILLISECOND};
		load_start(&loads[i], "load", 1);
		thread_start(loads[i].thread);
	}
	for (int i = 0; i < 2; i++)
		thread_join(loads[i].thread);
	rtos.measure_stacks = false;
	do_unmap();
	do_close();
	do_close_member();
	for (int i = OFF_SWITCH; i < OFF_NR; i++)
		say(names[stacks][i],
		    stacks ? rtos.deepest[i] : (uint64_t)rtos.longest[i] * NS_PER_COUNT);
}

void test_depth(void)
{
	measure_entries(true);
	measure_entries(false);
	measure_hooks(true);
	measure_hooks(false);
}
