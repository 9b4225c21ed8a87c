/* SPDX-License-Identifier: BSD-2-Clause */
/* Sampling clocks: the shared maximum rate, and the time that the clocks count. */
#include "core/mini_test.h"

static struct mini mini;

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

/* All clocks together get as many samples as a single clock would at the maximum rate. Samples that
 * are not written are counted as lost. */
static void clocks_of_a_task_share_the_maximum_rate_evenly(void **state)
{
	enum { CLOCKS = 100, TICKS = 250, RATE = 100000, DUE = RATE };
	struct tally_core_buffer *buffers[CLOCKS];
	uint64_t all = 0;

	mini_test_begin(&mini, 1, NULL);
	mini_switch(&mini, mini.tasks[0]);
	for (int i = 0; i < CLOCKS; i++) {
		struct perf_event_attr attr = attr_faults(10000);

		attr.config = PERF_COUNT_SW_TASK_CLOCK;
		must_map(&mini, must_open(&mini, attr, mini.tasks[0], -1, -1), 8, &buffers[i]);
	}
	for (int tick = 0; tick < TICKS; tick++) {
		for (int i = 0; i < 400; i++)
			mini_advance(&mini, 10000);
		mini_tick(&mini);
	}
	for (int i = 0; i < CLOCKS; i++) {
		uint64_t samples = 0, lost = 0;

		count_records(buffers[i], &samples, &lost);
		assert_in_range(samples, RATE / CLOCKS * 9 / 10, RATE / CLOCKS * 11 / 10);
		assert_in_range(samples + lost, DUE * 99 / 100, DUE);
		all += samples;
	}
	assert_in_range(all, RATE * 9 / 10, RATE * 101 / 100);
	mini_end(&mini);
}

/* The greedy task must not affect the samples of a CPU-wide profiler or of the task that runs
 * next. */
static void a_greedy_task_takes_no_samples_from_others(void **state)
{
	enum { CLOCKS = 50, TICKS = 50, STEP = 10000, STEPS = 400 };
	struct perf_event_attr own = attr_faults(1000000), other = own, greedy = attr_faults(STEP);
	struct tally_core_buffer *watcher, *next_ring;
	struct mini_task *next;
	uint64_t samples = 0, lost = 0, of_next = 0;

	mini_test_begin(&mini, 1, NULL);
	next = mini_task_new(&mini);
	own.config = PERF_COUNT_SW_CPU_CLOCK;
	other.config = greedy.config = PERF_COUNT_SW_TASK_CLOCK;
	other.sample_period = 100000;
	for (int i = 0; i < CLOCKS; i++)
		must_open(&mini, greedy, mini.tasks[0], -1, -1);
	must_map(&mini, must_open(&mini, own, NULL, 0, -1), 8, &watcher);
	must_map(&mini, must_open(&mini, other, next, -1, -1), 8, &next_ring);
	for (int tick = 0; tick < TICKS; tick++) {
		for (int i = 0; i < STEPS; i++) {
			if (i % (STEPS / 2) == 0)
				mini_switch(&mini, i ? next : mini.tasks[0]);
			mini_advance(&mini, STEP);
		}
		mini_tick(&mini);
	}
	count_records(watcher, &samples, &lost);
	assert_in_range(samples, TICKS * 4 - 1, TICKS * 4);
	count_records(next_ring, &of_next, &lost);
	assert_in_range(of_next, TICKS * 20 - TICKS, TICKS * 20);
	assert_int_equal(lost, 0);
	mini_end(&mini);
}

/* Advance the clock whenever it is read. */
static void time_passes(struct mini *where, enum mini_point point, const volatile void *what)
{
	where->now += point == MINI_AT_CLOCK ? 777 : 0;
}

/* The time spent in a switch is part of both the count and the running time, or of neither. */
static void task_clock_equals_the_time_running(void **state)
{
	struct perf_event_attr attr = attr_faults(0);
	uint64_t words[3];
	int fd;

	mini_test_begin(&mini, 1, NULL);
	attr.config = PERF_COUNT_SW_TASK_CLOCK;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	fd = must_open(&mini, attr, mini.tasks[0], -1, -1);
	attr.sample_period = 2000;
	must_open(&mini, attr, mini.tasks[0], -1, -1);
	mini.at = time_passes;
	for (int i = 0; i < 100; i++) {
		mini_switch(&mini, mini.tasks[0]);
		mini_advance(&mini, 5000);
		mini_switch(&mini, NULL);
		mini_advance(&mini, 5000);
	}
	assert_int_equal(mini_read(&mini, fd, words, sizeof(words)), sizeof(words));
	assert_true(words[0] > 100 * 5000);
	assert_int_equal(words[0], words[2]);
	mini_end(&mini);
}

static void a_frequency_above_one_ghz_gets_a_period_of_one_ns(void **state)
{
	struct tally_core_settings settings;
	struct perf_event_attr attr = attr_faults(0);
	const struct perf_event_attr *taken;
	int fd;

	tally_core_settings_init(&settings);
	settings.max_sample_rate = UINT32_MAX;
	mini_test_begin(&mini, 1, &settings);
	attr.config = PERF_COUNT_SW_CPU_CLOCK;
	attr.freq = 1;
	attr.sample_freq = 2000000000;
	fd = must_open(&mini, attr, NULL, 0, -1);
	taken = tally_core_event_attr(mini.files[fd].event);
	assert_int_equal(taken->sample_period, 1);
	mini_end(&mini);
}

/* Check that a clock still samples every 100 us after another event, or a member of another event's
 * group, is disabled. */
static void check_clock_goes_on(bool member)
{
	struct perf_event_attr attr = attr_faults(100000);
	struct tally_core_buffer *buffer;
	uint64_t words[2];
	int other;

	mini_test_begin(&mini, 1, NULL);
	attr.config = PERF_COUNT_SW_CPU_CLOCK;
	attr.sample_type = PERF_SAMPLE_READ;
	must_map(&mini, must_open(&mini, attr, NULL, 0, -1), 8, &buffer);
	other = must_open(&mini, attr_faults(0), NULL, 0, -1);
	if (member)
		other = must_open(&mini, attr_faults(0), NULL, 0, other);
	mini_ioctl(&mini, mini.tasks[0], other, PERF_EVENT_IOC_DISABLE, 0);
	for (uint64_t i = 1; i <= 3; i++) {
		mini_advance(&mini, 100000);
		assert_int_equal(tally_core_buffer_read(buffer, words, sizeof(words)),
				 sizeof(words));
		assert_int_equal(words[1], i * 100000);
	}
	mini_end(&mini);
}

static void a_clock_goes_on_after_another_event_is_disabled(void **state)
{
	check_clock_goes_on(false);
	check_clock_goes_on(true);
}

/* Only the clock is disabled; its group continues. */
static void a_member_clock_equals_its_time_running(void **state)
{
	struct perf_event_attr attr = attr_faults(0);
	uint64_t words[3];
	int leader, clock;

	mini_test_begin(&mini, 1, NULL);
	mini_switch(&mini, mini.tasks[0]);
	leader = must_open(&mini, attr, mini.tasks[0], -1, -1);
	attr.config = PERF_COUNT_SW_TASK_CLOCK;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	clock = must_open(&mini, attr, mini.tasks[0], -1, leader);
	mini.at = time_passes;
	for (int i = 0; i < 10; i++) {
		mini_advance(&mini, 5000);
		mini_ioctl(&mini, mini.tasks[0], clock, PERF_EVENT_IOC_DISABLE, 0);
		mini_advance(&mini, 5000);
		mini_ioctl(&mini, mini.tasks[0], clock, PERF_EVENT_IOC_ENABLE, 0);
	}
	mini_ioctl(&mini, mini.tasks[0], clock, PERF_EVENT_IOC_DISABLE, 0);
	mini.at = NULL;
	assert_int_equal(mini_read(&mini, clock, words, sizeof(words)), sizeof(words));
	assert_true(words[0] > 10 * 5000);
	assert_int_equal(words[0], words[2]);
	mini_end(&mini);
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

	return cmocka_run_group_tests_name("core/minimal_clock", tests, NULL, NULL);
}
