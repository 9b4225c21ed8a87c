/* SPDX-License-Identifier: BSD-2-Clause */
/* Events used by the kernel itself, without descriptors: a watchdog, a thread's cycle counter with
 * an overflow callback, and a ring that is read record by record. */
#include "cortexm/app.h"

/* Count an overflow. Called from the timer interrupt, or from the counter interrupt, which cannot
 * be masked. */
static void count_overflow(struct tally_core_event *event,
			   const struct tally_core_sample_data *sample_data, void *arg)
{
	uint32_t *overflows = arg;

	(void)event;
	(void)sample_data;
	++*overflows;
}

static struct tally_core_event *create(uint32_t type, uint64_t config, uint64_t period,
				       const struct tally_core_event_setup *setup)
{
	const struct perf_event_attr attr = {.type = type,
					     .size = sizeof(attr),
					     .config = config,
					     .sample_period = period,
					     .sample_type = SAMPLE_TYPE};
	struct tally_core_event *event = NULL;
	int ret = tally_core_event_create(rtos.core, &attr, setup, &event, NULL);

	if (ret)
		board_panic("no event inside", (uint32_t)-ret, type);
	return event;
}

/* Get a callback every 10 ms, regardless of which thread is running. */
static void watchdog(void)
{
	uint32_t barks = 0;
	const struct tally_core_event_setup setup = {.overflow = count_overflow,
						     .overflow_arg = &barks};
	struct tally_core_event *event =
		create(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 10 * MILLISECOND, &setup);

	thread_sleep(105 * MILLISECOND);
	tally_core_close(rtos.core, event);
	say("inside.barks", barks);
}

static void cycles_of_a_thread(void)
{
	struct load load = {.ns = 100 * MILLISECOND};
	uint32_t overflows = 0;
	struct tally_core_event_setup setup = {
		.cpu = -1, .overflow = count_overflow, .overflow_arg = &overflows};
	struct tally_core_counts counts = {0};
	struct tally_core_event *event;

	load_start(&load, "load", 1);
	setup.task = &load.thread->perf;
	event = create(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 25013, &setup);
	thread_start(load.thread);
	thread_join(load.thread);
	say_is("inside.read", tally_core_event_read(rtos.core, event, &counts));
	say("inside.cycles", counts.value);
	say("inside.overflows", overflows);
	tally_core_close(rtos.core, event);
}

static void ring_of_the_kernel(void)
{
	const struct tally_core_event_setup setup = {0};
	struct tally_core_event *event =
		create(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 5 * MILLISECOND, &setup);
	union {
		struct perf_event_header header;
		uint64_t words[16];
	} record;
	struct tally_core_counts counts = {0};
	struct tally_core_buffer *buffer;
	uint32_t samples = 0;
	int ret = tally_core_mmap(rtos.core, NULL, event, 3 * PAGE_SIZE + 2 * PAGE_SIZE, 0, true,
				  &buffer, NULL);

	say_is("inside.map", ret);
	if (ret)
		return;
	for (int i = 0; i < 10; i++) {
		thread_sleep(10 * MILLISECOND);
		while (tally_core_buffer_read(buffer, &record, sizeof(record)) > 0)
			samples += record.header.type == PERF_RECORD_SAMPLE;
	}
	tally_core_event_read(rtos.core, event, &counts);
	say("inside.samples", samples);
	say("inside.time", counts.value);
	tally_core_munmap(rtos.core, event, buffer);
	tally_core_close(rtos.core, event);
}

void test_inside(void)
{
	size_t most, before = heap_used(&most);

	watchdog();
	cycles_of_a_thread();
	ring_of_the_kernel();
	say("inside.left", heap_used(&most) - before);
}
