/* SPDX-License-Identifier: BSD-2-Clause */
/* CPUs that go offline: their deferred work, and the records that they should have written. */
#include "core/mini_test.h"

static struct mini mini;

static const struct tally_core_sample_data in_kernel = {.ip = 0x1234,
							.mode = PERF_RECORD_MISC_KERNEL};

static int overflows;

static void overflow_at_stop(struct mini *where, enum mini_point point, const volatile void *what)
{
	if (point == MINI_AT_STOP && !overflows++)
		mini_overflow(where, 0, &in_kernel);
}

/* The overflow occurs while the CPU's events are being removed from the PMU. */
static void an_overflow_while_a_cpu_goes_offline_wakes_once(void **state)
{
	struct perf_event_attr attr = attr_counter(100);
	int fd;

	mini_test_begin(&mini, 2, NULL);
	attr.wakeup_events = 1;
	fd = must_open(&mini, attr, NULL, 1, -1);
	must_map(&mini, fd, 8, NULL);
	overflows = 0;
	mini.at = overflow_at_stop;
	mini.hold_deferred = true;
	mini_on(&mini, 1);
	mini_count(&mini, 0, 100);
	mini_on(&mini, 0);
	mini_offline(&mini, 1);
	assert_int_equal(overflows, 1);
	mini.at = NULL;
	assert_int_equal(mini.files[fd].notices, 1);
	mini_close(&mini, fd);
	mini_online(&mini, 1);
	mini_on(&mini, 1);
	mini_deferred(&mini);
	mini_end(&mini);
}

/* The event stays with its task when the CPU goes offline. */
static void a_closed_task_event_leaves_no_deferred_work_on_an_offline_cpu(void **state)
{
	struct perf_event_attr attr = attr_counter(100);
	int fd;

	mini_test_begin(&mini, 2, NULL);
	attr.wakeup_events = 1;
	fd = must_open(&mini, attr, mini.tasks[0], -1, -1);
	must_map(&mini, fd, 8, NULL);
	mini_on(&mini, 1);
	mini_switch(&mini, mini.tasks[0]);
	mini_count(&mini, 0, 100);
	overflows = 0;
	mini.at = overflow_at_stop;
	mini.hold_deferred = true;
	mini_on(&mini, 0);
	mini_offline(&mini, 1);
	mini.at = NULL;
	assert_int_equal(overflows, 1);
	mini_close(&mini, fd);
	mini_online(&mini, 1);
	mini_on(&mini, 1);
	mini_deferred(&mini);
	mini_end(&mini);
}

/* A LOST record is written to the ring instead. */
static void a_read_record_that_an_offline_cpu_cannot_write_is_lost(void **state)
{
	struct perf_event_attr attr = attr_faults(1);
	struct perf_event_header *record;
	struct tally_core_buffer *buffer;
	struct mini_task *child;
	int fd;

	mini_test_begin(&mini, 2, NULL);
	attr.inherit = attr.inherit_stat = 1;
	fd = must_open(&mini, attr, mini.tasks[0], 1, -1);
	must_map(&mini, fd, 4, &buffer);
	child = mini_fork(&mini, mini.tasks[0], true);
	mini_offline(&mini, 1);
	mini_exit(&mini, child);
	mini_online(&mini, 1);
	mini_on(&mini, 1);
	mini_switch(&mini, mini.tasks[0]);
	mini_software(&mini, PERF_COUNT_SW_PAGE_FAULTS, 1);
	record = tally_core_buffer_page(buffer, 1);
	assert_int_equal(record->type, PERF_RECORD_LOST);
	mini_end(&mini);
}

/* A CPU that is offline still switches to its idle task. */
static void an_offline_cpu_writes_no_switch_records(void **state)
{
	struct perf_event_attr attr = attr_faults(0);
	struct tally_core_buffer *buffer;
	int fd;

	mini_test_begin(&mini, 2, NULL);
	attr.config = PERF_COUNT_SW_DUMMY;
	attr.context_switch = attr.watermark = attr.wakeup_watermark = 1;
	fd = must_open(&mini, attr, NULL, 1, -1);
	must_map(&mini, fd, 8, &buffer);
	mini_offline(&mini, 1);
	mini_on(&mini, 1);
	mini.hold_deferred = true;
	mini_switch(&mini, NULL);
	mini_switch(&mini, mini.tasks[0]);
	mini_switch(&mini, NULL);
	assert_int_equal(
		((struct perf_event_mmap_page *)tally_core_buffer_page(buffer, 0))->data_head, 0);
	mini_on(&mini, 0);
	mini_close(&mini, fd);
	mini_end(&mini);
}

/* There is one more event than there are counters, so one event is waiting. */
static void a_switch_on_an_offline_cpu_puts_nothing_on_its_counters(void **state)
{
	mini_test_begin(&mini, 2, NULL);
	for (int i = 0; i < MINI_COUNTERS + 1; i++)
		must_open(&mini, attr_counter(0), NULL, 1, -1);
	mini_offline(&mini, 1);
	mini_on(&mini, 1);
	mini_switch(&mini, mini.tasks[0]);
	mini_switch(&mini, NULL);
	for (int i = 0; i < MINI_COUNTERS; i++)
		assert_null(mini.cpus[1].counters[i].owner);
	mini_on(&mini, 0);
	mini_end(&mini);
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

	return cmocka_run_group_tests_name("core/minimal_offline", tests, NULL, NULL);
}
