/* SPDX-License-Identifier: BSD-2-Clause */
/* Compare counts with the kernel's own data: the running times of the threads and the CPU, and the
 * number of switches. */
#include "cortexm/app.h"

enum { NR_LOADS = 2, RUN_MS = 200 };

/* Events of a thread that shares the CPU with another one. */
struct counted {
	struct load load;
	int task_clock, switches;
};

static void counted_start(struct counted *counted, const char *name, uint32_t slice)
{
	int32_t tid;

	*counted = (struct counted){.load.ns = RUN_MS * MILLISECOND};
	load_start(&counted->load, name, slice);
	tid = counted->load.thread->perf.tid;
	counted->task_clock = event_simple(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, tid, -1);
	counted->switches =
		event_simple(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, tid, -1);
	say_is("count.enable", event_enable(counted->task_clock));
	event_enable(counted->switches);
}

static void counted_end(struct counted *counted)
{
	struct reading reading = event_read(counted->task_clock);

	say("count.ran", counted->load.thread->ran_ns);
	say("count.task_clock", reading.value);
	say("count.enabled", reading.enabled);
	say("count.running", reading.running);
	say("count.context_switches", event_read(counted->switches).value);
	perf_close(counted->task_clock);
	perf_close(counted->switches);
}

static void two_threads(void)
{
	struct counted counted[NR_LOADS];
	int cpu = event_simple(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, -1, 0);
	uint64_t before, after;
	uint32_t switches;

	counted_start(&counted[0], "heavy", 3);
	counted_start(&counted[1], "light", 1);
	switches = rtos.switches;
	before = board_clock_ns();
	say_is("count.cpu_enable", event_enable(cpu));
	for (int i = 0; i < NR_LOADS; i++)
		thread_start(counted[i].load.thread);
	for (int i = 0; i < NR_LOADS; i++)
		thread_join(counted[i].load.thread);
	event_disable(cpu);
	after = board_clock_ns();
	say("count.cpu_clock", event_read(cpu).value);
	say("count.elapsed", after - before);
	say("count.switches", rtos.switches - switches);
	for (int i = 0; i < NR_LOADS; i++)
		counted_end(&counted[i]);
	perf_close(cpu);
}

/* Check that children are counted for the thread that opened the event, both while they run and
 * after they exit. */
static void inherited(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.inherit = 1,
	};
	struct load loads[4];
	uint64_t ran = 0, own = thread_ran_ns(rtos.current), value = 0;
	int fd = perf_open(&attr, 0, -1, -1, 0, NULL);

	for (int i = 0; i < 4; i++) {
		loads[i] = (struct load){.ns = 20 * MILLISECOND};
		load_start(&loads[i], "child", 1);
		thread_start(loads[i].thread);
	}
	for (int i = 0; i < 4; i++) {
		struct thread *thread = loads[i].thread;

		thread_join(thread);
		ran += thread->ran_ns;
	}
	perf_read(fd, &value, sizeof(value));
	say("inherit.value", value);
	say("inherit.ran", ran);
	say("inherit.own", thread_ran_ns(rtos.current) - own);
	perf_close(fd);
}

void test_count(void)
{
	two_threads();
	inherited();
}
