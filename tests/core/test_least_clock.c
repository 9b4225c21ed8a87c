/* SPDX-License-Identifier: BSD-2-Clause */
/* Sampling clocks: the shared maximum rate, and the counted time. */
#include "core/least_test.h"

static struct least least;

/* Add up the samples and the lost samples in the ring. */
static void count_records(struct tally_core_buffer *buffer, uint64_t *samples, uint64_t *lost)
{
	union {
		struct perf_event_header header;
		uint64_t words[64];
	} record;

	while (tally_core_buffer_read(buffer, &record, sizeof(record)) > 0) {
		*samples += record.header.type == PERF_RECORD_SAMPLE;
		if (record.header.type == PERF_RECORD_LOST)
			*lost += record.words[2];
	}
}

/* All clocks together get as many samples as one clock at the maximum rate. Samples that are not
 * written are counted as lost. */
static void clocks_of_a_task_share_the_maximum_rate_evenly(void **state)
{
	enum { CLOCKS = 100, TICKS = 250, RATE = 100000, DUE = RATE };
	struct tally_core_buffer *buffers[CLOCKS];
	uint64_t all = 0;

	least_test_begin(&least, 1, NULL);
	least_switch(&least, least.tasks[0]);
	for (int i = 0; i < CLOCKS; i++) {
		struct perf_event_attr attr = attr_faults(10000);

		attr.config = PERF_COUNT_SW_TASK_CLOCK;
		must_map(&least, must_open(&least, attr, least.tasks[0], -1, -1), 8, &buffers[i]);
	}
	for (int tick = 0; tick < TICKS; tick++) {
		for (int i = 0; i < 400; i++)
			least_advance(&least, 10000);
		least_tick(&least);
	}
	for (int i = 0; i < CLOCKS; i++) {
		uint64_t samples = 0, lost = 0;

		count_records(buffers[i], &samples, &lost);
		assert_in_range(samples, RATE / CLOCKS * 9 / 10, RATE / CLOCKS * 11 / 10);
		assert_in_range(samples + lost, DUE * 99 / 100, DUE);
		all += samples;
	}
	assert_in_range(all, RATE * 9 / 10, RATE * 101 / 100);
	least_end(&least);
}

/* The others are a profiler of the CPU, and the task that runs next. */
static void a_greedy_task_takes_no_samples_from_others(void **state)
{
	enum { CLOCKS = 50, TICKS = 50, STEP = 10000, STEPS = 400 };
	struct perf_event_attr own = attr_faults(1000000), other = own, greedy = attr_faults(STEP);
	struct tally_core_buffer *watcher, *next_ring;
	struct least_task *next;
	uint64_t samples = 0, lost = 0, of_next = 0;

	least_test_begin(&least, 1, NULL);
	next = least_task_new(&least);
	own.config = PERF_COUNT_SW_CPU_CLOCK;
	other.config = greedy.config = PERF_COUNT_SW_TASK_CLOCK;
	other.sample_period = 100000;
	for (int i = 0; i < CLOCKS; i++)
		must_open(&least, greedy, least.tasks[0], -1, -1);
	must_map(&least, must_open(&least, own, NULL, 0, -1), 8, &watcher);
	must_map(&least, must_open(&least, other, next, -1, -1), 8, &next_ring);
	for (int tick = 0; tick < TICKS; tick++) {
		for (int i = 0; i < STEPS; i++) {
			if (i % (STEPS / 2) == 0)
				least_switch(&least, i ? next : least.tasks[0]);
			least_advance(&least, STEP);
		}
		least_tick(&least);
	}
	count_records(watcher, &samples, &lost);
	assert_in_range(samples, TICKS * 4 - 1, TICKS * 4);
	count_records(next_ring, &of_next, &lost);
	assert_in_range(of_next, TICKS * 20 - TICKS, TICKS * 20);
	assert_int_equal(lost, 0);
	least_end(&least);
}

/* The clock advances whenever it is read. */
static void time_passes(struct least *where, enum least_point point, const volatile void *what)
{
	where->now += point == LEAST_AT_CLOCK ? 777 : 0;
}

/* The time that a switch takes is part of both times, or of neither. */
static void task_clock_equals_the_time_running(void **state)
{
	struct perf_event_attr attr = attr_faults(0);
	uint64_t words[3];
	int fd;

	least_test_begin(&least, 1, NULL);
	attr.config = PERF_COUNT_SW_TASK_CLOCK;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	fd = must_open(&least, attr, least.tasks[0], -1, -1);
	attr.sample_period = 2000;
	must_open(&least, attr, least.tasks[0], -1, -1);
	least.at = time_passes;
	for (int i = 0; i < 100; i++) {
		least_switch(&least, least.tasks[0]);
		least_advance(&least, 5000);
		least_switch(&least, NULL);
		least_advance(&least, 5000);
	}
	assert_int_equal(least_read(&least, fd, words, sizeof(words)), sizeof(words));
	assert_true(words[0] > 100 * 5000);
	assert_int_equal(words[0], words[2]);
	least_end(&least);
}

static void a_frequency_above_one_ghz_gets_a_period_of_one_ns(void **state)
{
	struct tally_core_settings settings;
	struct perf_event_attr attr = attr_faults(0);
	const struct perf_event_attr *taken;
	int fd;

	tally_core_settings_init(&settings);
	settings.max_sample_rate = UINT32_MAX;
	least_test_begin(&least, 1, &settings);
	attr.config = PERF_COUNT_SW_CPU_CLOCK;
	attr.freq = 1;
	attr.sample_freq = 2000000000;
	fd = must_open(&least, attr, NULL, 0, -1);
	taken = tally_core_event_attr(least.files[fd].event);
	assert_int_equal(taken->sample_period, 1);
	least_end(&least);
}

/* Check that a clock samples every 100 us after another event, or a member of its group, is
 * disabled. */
static void check_clock_goes_on(bool member)
{
	struct perf_event_attr attr = attr_faults(100000);
	struct tally_core_buffer *buffer;
	uint64_t words[2];
	int other;

	least_test_begin(&least, 1, NULL);
	attr.config = PERF_COUNT_SW_CPU_CLOCK;
	attr.sample_type = PERF_SAMPLE_READ;
	must_map(&least, must_open(&least, attr, NULL, 0, -1), 8, &buffer);
	other = must_open(&least, attr_faults(0), NULL, 0, -1);
	if (member)
		other = must_open(&least, attr_faults(0), NULL, 0, other);
	least_ioctl(&least, least.tasks[0], other, PERF_EVENT_IOC_DISABLE, 0);
	for (uint64_t i = 1; i <= 3; i++) {
		least_advance(&least, 100000);
		assert_int_equal(tally_core_buffer_read(buffer, words, sizeof(words)),
				 sizeof(words));
		assert_int_equal(words[1], i * 100000);
	}
	least_end(&least);
}

static void a_clock_goes_on_after_another_event_is_disabled(void **state)
{
	check_clock_goes_on(false);
	check_clock_goes_on(true);
}

/* The clock is disabled alone; the rest of its group continues. */
static void a_member_clock_equals_its_time_running(void **state)
{
	struct perf_event_attr attr = attr_faults(0);
	uint64_t words[3];
	int leader, clock;

	least_test_begin(&least, 1, NULL);
	least_switch(&least, least.tasks[0]);
	leader = must_open(&least, attr, least.tasks[0], -1, -1);
	attr.config = PERF_COUNT_SW_TASK_CLOCK;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	clock = must_open(&least, attr, least.tasks[0], -1, leader);
	least.at = time_passes;
	for (int i = 0; i < 10; i++) {
		least_advance(&least, 5000);
		least_ioctl(&least, least.tasks[0], clock, PERF_EVENT_IOC_DISABLE, 0);
		least_advance(&least, 5000);
		least_ioctl(&least, least.tasks[0], clock, PERF_EVENT_IOC_ENABLE, 0);
	}
	least_ioctl(&least, least.tasks[0], clock, PERF_EVENT_IOC_DISABLE, 0);
	least.at = NULL;
	assert_int_equal(least_read(&least, clock, words, sizeof(words)), sizeof(words));
	assert_true(words[0] > 10 * 5000);
	assert_int_equal(words[0], words[2]);
	least_end(&least);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clocks_of_a_task_share_the_maximum_rate_evenly),
		cmocka_unit_test(a_greedy_task_takes_no_samples_from_others),
		cmocka_unit_test(task_clock_equals_the_time_running),
		cmocka_unit_test(a_frequency_above_one_ghz_gets_a_period_of_one_ns),
		cmocka_unit_test(a_clock_goes_on_after_another_event_is_disabled),
		cmocka_unit_test(a_member_clock_equals_its_time_running),
	};

	return cmocka_run_group_tests_name("core/least_clock", tests, NULL, NULL);
}
