/* SPDX-License-Identifier: BSD-2-Clause */
/* The first thread, which runs all tests. tests/hardware/cortexm.py checks their output. */
#include "cortexm/app.h"

/* Basic kernel features: threads with slices 3 and 1 share the CPU at a ratio of 3:1, and
 * priorities are respected. */
static bool woken;

static void sleeper(void *arg)
{
	static const uint32_t never;

	(void)arg;
	woken = true;
	thread_wait(&never, 0);
	woken = false;
}

void test_kernel(void)
{
	struct load heavy = {.ns = 100 * MILLISECOND}, light = {.ns = 100 * MILLISECOND};
	struct thread *high = thread_new(sleeper, NULL, "high", 2, 1);
	uint32_t ticks = rtos.switches;

	if (!high)
		board_panic("no thread", 0, 0);
	thread_start(high);
	say("kernel.priority", woken);
	load_start(&heavy, "heavy", 3);
	load_start(&light, "light", 1);
	thread_start(heavy.thread);
	thread_start(light.thread);
	thread_join(heavy.thread);
	say("kernel.heavy", heavy.thread->ran_ns);
	say("kernel.light", light.thread->ran_ns);
	thread_join(light.thread);
	say("kernel.switches", rtos.switches - ticks);
}

/* Print the core's heap usage: once its CPU is online, per event, and for this thread's context. */
static void size_of_the_core(void)
{
	size_t most, before = heap_used(&most), with_context, with_another;
	int first, second;

	say("size.core", before - STACK_SIZE);
	first = event_simple(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 0, -1);
	with_context = heap_used(&most);
	second = event_simple(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 0, -1);
	with_another = heap_used(&most);
	perf_close(second);
	perf_close(first);
	say("size.event", with_another - with_context);
	say("size.context", 2 * with_context - before - with_another);
	say("size.closed", heap_used(&most) - before);
	say("size.task", sizeof(struct tally_core_task));
}

static void say_sizes(void)
{
	size_t most, used = heap_used(&most);

	say("size.heap", used);
	say("size.heap_most", most);
	say("size.handler_stack", stack_used(handler_stack, HANDLER_STACK));
	say("size.boot_stack", stack_used(handler_stack + HANDLER_STACK / 4, IDLE_STACK));
	say("size.thread_stack", stack_used(rtos.current->stack, STACK_SIZE));
}

void app_main(void *arg)
{
	(void)arg;
	size_of_the_core();
	test_kernel();
	test_count();
	test_sample();
	test_counter();
	test_control();
	test_inside();
	test_stress();
	test_stream();
	test_cost();
	test_long();
	say_sizes();
	test_depth();
	board_power_off(0);
}
