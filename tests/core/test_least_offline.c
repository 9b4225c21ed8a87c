/* SPDX-License-Identifier: BSD-2-Clause */
/* CPUs that go offline: deferred work, and records that would be written there. */
#include "core/least_test.h"

static struct least least;

static const struct tally_core_sample_data in_kernel = {.ip = 0x1234,
							.mode = PERF_RECORD_MISC_KERNEL};

static int overflows;

static void overflow_at_stop(struct least *where, enum least_point point, const volatile void *what)
{
	if (point == LEAST_AT_STOP && !overflows++)
		least_overflow(where, 0, &in_kernel);
}

/* The overflow occurs while the events of the CPU are removed from the PMU. */
static void an_overflow_while_a_cpu_goes_offline_wakes_once(void **state)
{
	struct perf_event_attr attr = attr_counter(100);
	int fd;

	least_test_begin(&least, 2, NULL);
	attr.wakeup_events = 1;
	fd = must_open(&least, attr, NULL, 1, -1);
	must_map(&least, fd, 8, NULL);
	overflows = 0;
	least.at = overflow_at_stop;
	least.hold_deferred = true;
	least_on(&least, 1);
	least_count(&least, 0, 100);
	least_on(&least, 0);
	least_offline(&least, 1);
	assert_int_equal(overflows, 1);
	least.at = NULL;
	assert_int_equal(least.files[fd].notices, 1);
	least_close(&least, fd);
	least_online(&least, 1);
	least_on(&least, 1);
	least_deferred(&least);
	least_end(&least);
}

/* The event continues with its task on another CPU. */
static void a_closed_task_event_leaves_no_deferred_work_on_an_offline_cpu(void **state)
{
	struct perf_event_attr attr = attr_counter(100);
	int fd;

	least_test_begin(&least, 2, NULL);
	attr.wakeup_events = 1;
	fd = must_open(&least, attr, least.tasks[0], -1, -1);
	must_map(&least, fd, 8, NULL);
	least_on(&least, 1);
	least_switch(&least, least.tasks[0]);
	least_count(&least, 0, 100);
	overflows = 0;
	least.at = overflow_at_stop;
	least.hold_deferred = true;
	least_on(&least, 0);
	least_offline(&least, 1);
	least.at = NULL;
	assert_int_equal(overflows, 1);
	least_close(&least, fd);
	least_online(&least, 1);
	least_on(&least, 1);
	least_deferred(&least);
	least_end(&least);
}

/* The ring gets a LOST record instead. */
static void a_read_record_that_an_offline_cpu_cannot_write_is_lost(void **state)
{
	struct perf_event_attr attr = attr_faults(1);
	struct perf_event_header *record;
	struct tally_core_buffer *buffer;
	struct least_task *child;
	int fd;

	least_test_begin(&least, 2, NULL);
	attr.inherit = attr.inherit_stat = 1;
	fd = must_open(&least, attr, least.tasks[0], 1, -1);
	must_map(&least, fd, 4, &buffer);
	child = least_fork(&least, least.tasks[0], true);
	least_offline(&least, 1);
	least_exit(&least, child);
	least_online(&least, 1);
	least_on(&least, 1);
	least_switch(&least, least.tasks[0]);
	least_software(&least, PERF_COUNT_SW_PAGE_FAULTS, 1);
	record = tally_core_buffer_page(buffer, 1);
	assert_int_equal(record->type, PERF_RECORD_LOST);
	least_end(&least);
}

/* A CPU that is offline still switches to its idle task. */
static void an_offline_cpu_writes_no_switch_records(void **state)
{
	struct perf_event_attr attr = attr_faults(0);
	struct tally_core_buffer *buffer;
	int fd;

	least_test_begin(&least, 2, NULL);
	attr.config = PERF_COUNT_SW_DUMMY;
	attr.context_switch = attr.watermark = attr.wakeup_watermark = 1;
	fd = must_open(&least, attr, NULL, 1, -1);
	must_map(&least, fd, 8, &buffer);
	least_offline(&least, 1);
	least_on(&least, 1);
	least.hold_deferred = true;
	least_switch(&least, NULL);
	least_switch(&least, least.tasks[0]);
	least_switch(&least, NULL);
	assert_int_equal(
		((struct perf_event_mmap_page *)tally_core_buffer_page(buffer, 0))->data_head, 0);
	least_on(&least, 0);
	least_close(&least, fd);
	least_end(&least);
}

/* There is one event more than there are counters, so one event waits. */
static void a_switch_on_an_offline_cpu_puts_nothing_on_its_counters(void **state)
{
	least_test_begin(&least, 2, NULL);
	for (int i = 0; i < LEAST_COUNTERS + 1; i++)
		must_open(&least, attr_counter(0), NULL, 1, -1);
	least_offline(&least, 1);
	least_on(&least, 1);
	least_switch(&least, least.tasks[0]);
	least_switch(&least, NULL);
	for (int i = 0; i < LEAST_COUNTERS; i++)
		assert_null(least.cpus[1].counters[i].owner);
	least_on(&least, 0);
	least_end(&least);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_overflow_while_a_cpu_goes_offline_wakes_once),
		cmocka_unit_test(a_closed_task_event_leaves_no_deferred_work_on_an_offline_cpu),
		cmocka_unit_test(a_read_record_that_an_offline_cpu_cannot_write_is_lost),
		cmocka_unit_test(an_offline_cpu_writes_no_switch_records),
		cmocka_unit_test(a_switch_on_an_offline_cpu_puts_nothing_on_its_counters),
	};

	return cmocka_run_group_tests_name("core/least_offline", tests, NULL, NULL);
}
