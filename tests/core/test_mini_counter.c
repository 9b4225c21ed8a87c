/* SPDX-License-Identifier: BSD-2-Clause */
/* Counters and groups: counter widths and periods, and exclusive, pinned and throttled groups. */
#include "core/mini_test.h"

static struct mini mini;

static const struct tally_core_sample_data in_user = {.ip = 0x1000, .mode = PERF_RECORD_MISC_USER};

static void counts_past_the_width_of_the_counter(void **state)
{
	const uint64_t half = UINT64_C(1) << 47;
	int fd;

	mini_test_begin_running(&mini);
	fd = must_open(&mini, attr_counter(0), NULL, 0, -1);
	mini_count(&mini, 0, half - 5);
	assert_int_equal(value_of(&mini, fd), half - 5);
	mini_count(&mini, 0, half + 10);
	assert_int_equal(value_of(&mini, fd), 2 * half + 5);
	mini_end(&mini);
}

/* Each overflow only wraps the counter; no sample is written before the period ends. */
static void a_period_wider_than_the_counter_takes_several_rounds(void **state)
{
	struct perf_event_attr attr = attr_counter((UINT64_C(1) << 63) - 1);
	struct perf_event_mmap_page *page;
	uint64_t before = 0;
	int fd;

	mini_test_begin_running(&mini);
	fd = must_open(&mini, attr, NULL, 0, -1);
	page = must_map(&mini, fd, 1, NULL);
	for (int i = 0; i < 5; i++) {
		mini_count(&mini, 0, (UINT64_C(1) << 48) - mini.cpus[0].counters[0].value);
		assert_true(mini_overflow(&mini, 0, &in_user));
		assert_true(value_of(&mini, fd) > before);
		before = value_of(&mini, fd);
	}
	assert_int_equal(page->data_head, 0);
	mini_end(&mini);
}

/* The sibling, the only member that uses a counter, is closed while the group is on the PMU. */
static void closing_an_exclusive_group_frees_the_pmu(void **state)
{
	struct perf_event_attr attr = attr_faults(0);
	struct mini_task *other;
	int leader, sibling, fd;

	mini_test_begin(&mini, 1, NULL);
	other = mini_task_new(&mini);
	mini_switch(&mini, mini.tasks[0]);
	attr.exclusive = 1;
	leader = must_open(&mini, attr, mini.tasks[0], -1, -1);
	sibling = must_open(&mini, attr_counter(0), mini.tasks[0], -1, leader);
	mini_close(&mini, sibling);
	mini_close(&mini, leader);
	mini_switch(&mini, other);
	fd = must_open(&mini, attr_counter(0), other, -1, -1);
	mini_count(&mini, 0, 100);
	assert_int_equal(count_of(&mini, fd), 100);
	mini_end(&mini);
}

static void a_pinned_group_without_a_counter_reads_end_of_file(void **state)
{
	struct perf_event_attr attr = attr_counter(0);
	int pinned[5], sibling;
	uint64_t words[8];

	mini_test_begin_running(&mini);
	attr.pinned = 1;
	for (int i = 0; i < 5; i++)
		pinned[i] = must_open(&mini, attr, NULL, 0, -1);
	attr.pinned = 0;
	sibling = must_open(&mini, attr, NULL, 0, pinned[4]);
	assert_int_equal(mini_read(&mini, pinned[4], words, sizeof(words)), 0);
	assert_int_equal(mini_read(&mini, sibling, words, sizeof(words)), 8);
	mini_close(&mini, pinned[0]);
	mini_ioctl(&mini, mini.tasks[0], pinned[4], PERF_EVENT_IOC_ENABLE, 0);
	assert_int_equal(mini_read(&mini, pinned[4], words, sizeof(words)), 0);
	mini_end(&mini);
}

static void a_period_set_off_the_cpu_applies_at_the_next_switch(void **state)
{
	struct perf_event_mmap_page *page;
	uint64_t period = 7;
	int fd;

	mini_test_begin_running(&mini);
	fd = must_open(&mini, attr_faults(100), mini.tasks[0], -1, -1);
	page = must_map(&mini, fd, 2, NULL);
	assert_int_equal(
		mini_ioctl(&mini, mini.tasks[0], fd, PERF_EVENT_IOC_PERIOD, (uintptr_t)&period), 0);
	mini_switch(&mini, mini.tasks[0]);
	for (int i = 0; i < 70; i++)
		mini_software(&mini, PERF_COUNT_SW_PAGE_FAULTS, 1);
	assert_int_equal(page->data_head, 10 * 16);
	mini_end(&mini);
}

static void overflows_are_taken_without_a_tick_length(void **state)
{
	struct perf_event_mmap_page *page;
	int fd;

	mini_test_begin_running(&mini);
	tally_core_settings(mini.core)->tick_ns = 0;
	fd = must_open(&mini, attr_counter(10), NULL, 0, -1);
	page = must_map(&mini, fd, 1, NULL);
	mini_tick(&mini);
	mini_count(&mini, 0, 10);
	assert_true(mini_overflow(&mini, 0, &in_user));
	assert_int_equal(value_of(&mini, fd), 10);
	assert_true(page->data_head > 0);
	mini_end(&mini);
}

/* The size of a group is limited by the maximum size of a read. */
static void the_largest_group_is_read_whole(void **state)
{
	struct perf_event_attr attr = attr_faults(0);
	static uint64_t words[2 * MINI_FILES + 1];
	int lead, nr = 1;

	mini_test_begin_running(&mini);
	attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	lead = must_open(&mini, attr, NULL, 0, -1);
	while (mini_open(&mini, mini.tasks[0], &attr, sizeof(attr), -1, 0, lead, 0) >= 0)
		nr++;
	assert_true(nr > 100);
	assert_int_equal(mini_read(&mini, lead, words, sizeof(words)), 8 + 16 * nr);
	assert_int_equal(words[0], nr);
	mini_end(&mini);
}

static void throttling_a_leader_stops_its_whole_group(void **state)
{
	struct tally_core_settings settings;
	int lead, fd, turns = 0;
	uint64_t before;

	tally_core_settings_init(&settings);
	settings.max_sample_rate = 1000;
	mini_test_begin(&mini, 1, &settings);
	lead = must_open(&mini, attr_counter(100), NULL, 0, -1);
	fd = must_open(&mini, attr_counter(0), NULL, 0, lead);
	while (turns++ < 100) {
		mini_count(&mini, 0, 100);
		mini_count(&mini, 1, 100);
		if (!mini_overflow(&mini, 0, &in_user))
			break;
	}
	assert_in_range(turns, 1, 99);
	before = value_of(&mini, fd);
	mini_count(&mini, 0, 100000);
	mini_count(&mini, 1, 100000);
	assert_int_equal(value_of(&mini, fd), before);
	mini_advance(&mini, 4000000);
	mini_tick(&mini);
	mini_count(&mini, 0, 50);
	mini_count(&mini, 1, 50);
	assert_int_equal(value_of(&mini, fd), before + 50);
	assert_int_equal(value_of(&mini, lead), value_of(&mini, fd));
	mini_end(&mini);
}

/* Begin with one CPU and a maximum of 1000 samples per second, which is four per tick. */
static void begin_slow(void)
{
	struct tally_core_settings settings;

	tally_core_settings_init(&settings);
	settings.max_sample_rate = 1000;
	mini_test_begin(&mini, 1, &settings);
}

/* Overflow counter 0 until its group is throttled. Returns the number of overflows. */
static int overflow_until_throttled(void)
{
	int nr = 0;

	do {
		mini_count(&mini, 0, 100);
	} while (mini_overflow(&mini, 0, &in_user) && nr++ < 100);
	return nr;
}

/* The disabled member has no counter to stop. */
static void throttling_a_group_does_not_stop_a_disabled_member(void **state)
{
	struct perf_event_attr disabled = attr_counter(0);
	int lead, fd;

	begin_slow();
	disabled.disabled = 1;
	lead = must_open(&mini, attr_counter(100), NULL, 0, -1);
	fd = must_open(&mini, disabled, NULL, 0, lead);
	assert_in_range(overflow_until_throttled(), 1, 99);
	assert_int_equal(value_of(&mini, fd), 0);
	mini_end(&mini);
}

static void a_throttled_group_that_is_switched_in_again_has_a_new_allowance(void **state)
{
	int first;

	begin_slow();
	mini_switch(&mini, mini.tasks[0]);
	must_open(&mini, attr_counter(100), mini.tasks[0], -1, -1);
	first = overflow_until_throttled();
	assert_in_range(first, 1, 99);
	mini_switch(&mini, NULL);
	mini_switch(&mini, mini.tasks[0]);
	assert_int_equal(overflow_until_throttled(), first);
	mini_end(&mini);
}

/* The counter advances by less than its range between two ticks, but by more in total. */
static void a_counter_without_an_interrupt_is_read_at_each_tick(void **state)
{
	const uint64_t part = UINT64_C(3) << 46;
	struct perf_event_attr attr = attr_counter(0);
	int fd;

	mini_test_begin_running(&mini);
	attr.type = mini.pmus[1].type;
	fd = must_open(&mini, attr, NULL, 0, -1);
	for (int i = 0; i < 4; i++) {
		mini_count(&mini, MINI_COUNTERS, part);
		mini_advance(&mini, 4000000);
		mini_tick(&mini);
	}
	assert_int_equal(value_of(&mini, fd), 4 * part);
	mini_end(&mini);
}

static void a_pinned_event_without_a_counter_wakes_its_poller(void **state)
{
	struct perf_event_attr attr = attr_counter(0);
	int fd;

	mini_test_begin_running(&mini);
	attr.pinned = 1;
	for (int i = 0; i < MINI_COUNTERS; i++)
		must_open(&mini, attr, NULL, 0, -1);
	attr.disabled = 1;
	fd = must_open(&mini, attr, NULL, 0, -1);
	assert_int_equal(mini.files[fd].notices, 0);
	mini_ioctl(&mini, mini.tasks[0], fd, PERF_EVENT_IOC_ENABLE, 0);
	assert_int_equal(mini.files[fd].notices, 1);
	mini_end(&mini);
}

static void a_task_reads_its_own_group_without_a_lock(void **state)
{
	struct perf_event_attr attr = attr_counter(0);
	uint64_t words[3], before;
	int leader;

	mini_test_begin(&mini, 1, NULL);
	mini_switch(&mini, mini.tasks[0]);
	attr.read_format = PERF_FORMAT_GROUP;
	leader = must_open(&mini, attr, mini.tasks[0], -1, -1);
	must_open(&mini, attr, mini.tasks[0], -1, leader);
	mini_count(&mini, 0, 3);
	mini_count(&mini, 1, 4);
	before = locks_taken(&mini);
	assert_int_equal(mini_read(&mini, leader, words, sizeof(words)), sizeof(words));
	assert_int_equal(locks_taken(&mini), before);
	assert_int_equal(words[1], 3);
	assert_int_equal(words[2], 4);
	mini_end(&mini);
}

static int growing;

static void grow(void)
{
	must_open(&mini, attr_faults(0), mini.tasks[0], -1, growing);
}

static void grow_at_alloc(struct mini *where, enum mini_point point, const volatile void *what)
{
	if (point != MINI_AT_ALLOC)
		return;
	where->at = NULL;
	assert_true(mini_overlap(where, grow));
}

/* The group is too large to be read into a buffer on the stack, and grows while memory for the read
 * is being allocated. */
static void a_group_that_grows_while_it_is_read_is_read_whole(void **state)
{
	enum { MEMBERS = 20 };
	struct perf_event_attr attr = attr_faults(0);
	uint64_t words[2 * MEMBERS];

	mini_test_begin(&mini, 1, NULL);
	attr.read_format = PERF_FORMAT_GROUP;
	growing = must_open(&mini, attr, mini.tasks[0], -1, -1);
	for (int i = 1; i < MEMBERS; i++)
		must_open(&mini, attr_faults(0), mini.tasks[0], -1, growing);
	mini.at = grow_at_alloc;
	assert_int_equal(mini_read(&mini, growing, words, sizeof(words)), 8 * (MEMBERS + 2));
	assert_int_equal(words[0], MEMBERS + 1);
	mini_end(&mini);
}

/* The kernel itself reads events. The last event has no counter, and later its PMU is
 * unregistered. */
static void a_read_by_the_kernel_tells_why_there_is_no_count(void **state)
{
	struct perf_event_attr attr = attr_counter(0);
	struct tally_core_counts counts;
	struct tally_core_event *event = NULL;

	mini_test_begin_running(&mini);
	attr.pinned = 1;
	for (int i = 0; i < MINI_COUNTERS + 1; i++) {
		event = mini.files[must_open(&mini, attr, NULL, 0, -1)].event;
		mini_count(&mini, i, 100);
		if (i == 0) {
			assert_int_equal(tally_core_event_read(mini.core, event, &counts), 0);
			assert_int_equal(counts.value, 100);
		}
	}
	assert_int_equal(tally_core_event_read(mini.core, event, &counts), -ENOSPC);
	assert_int_equal(tally_core_pmu_unregister(mini.core, &mini.pmus[0]), 0);
	assert_int_equal(tally_core_event_read(mini.core, event, &counts), -ENODEV);
	assert_int_equal(tally_core_pmu_register(mini.core, &mini.pmus[0]), 0);
	mini_end(&mini);
}

/* After its member with a counter is closed, the group contains only software events, so it no
 * longer belongs to the PMU. */
static void a_group_without_counters_does_not_belong_to_the_pmu(void **state)
{
	struct perf_event_attr exclusive = attr_counter(0);
	int leader, member;

	mini_test_begin_running(&mini);
	leader = must_open(&mini, attr_faults(0), NULL, 0, -1);
	member = must_open(&mini, attr_counter(0), NULL, 0, leader);
	mini_close(&mini, member);
	exclusive.exclusive = 1;
	must_open(&mini, exclusive, NULL, 0, -1);
	mini_ioctl(&mini, mini.tasks[0], leader, PERF_EVENT_IOC_DISABLE, 0);
	mini_ioctl(&mini, mini.tasks[0], leader, PERF_EVENT_IOC_ENABLE, 0);
	mini_software(&mini, PERF_COUNT_SW_PAGE_FAULTS, 1);
	assert_int_equal(count_of(&mini, leader), 1);
	mini_end(&mini);
}

static void closing_a_member_leaves_the_rest_of_its_group_on(void **state)
{
	uint64_t stops;
	int fds[3];

	mini_test_begin_running(&mini);
	for (int i = 0; i < 3; i++)
		fds[i] = must_open(&mini, attr_counter(0), NULL, 0, i ? fds[0] : -1);
	stops = mini.nr_ops[MINI_OP_STOP];
	mini_close(&mini, fds[1]);
	assert_int_equal(mini.nr_ops[MINI_OP_STOP], stops + 1);
	mini_end(&mini);
}

static void closing_a_member_of_an_exclusive_group_leaves_the_rest_on(void **state)
{
	struct perf_event_attr attr = attr_counter(0);
	int leader, member;

	mini_test_begin_running(&mini);
	attr.exclusive = 1;
	leader = must_open(&mini, attr, NULL, 0, -1);
	attr.exclusive = 0;
	member = must_open(&mini, attr, NULL, 0, leader);
	mini_close(&mini, member);
	mini_count(&mini, 0, 5);
	assert_int_equal(value_of(&mini, leader), 5);
	mini_end(&mini);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_past_the_width_of_the_counter),
		cmocka_unit_test(a_period_wider_than_the_counter_takes_several_rounds),
		cmocka_unit_test(closing_an_exclusive_group_frees_the_pmu),
		cmocka_unit_test(a_pinned_group_without_a_counter_reads_end_of_file),
		cmocka_unit_test(a_period_set_off_the_cpu_applies_at_the_next_switch),
		cmocka_unit_test(overflows_are_taken_without_a_tick_length),
		cmocka_unit_test(the_largest_group_is_read_whole),
		cmocka_unit_test(throttling_a_leader_stops_its_whole_group),
		cmocka_unit_test(throttling_a_group_does_not_stop_a_disabled_member),
		cmocka_unit_test(a_throttled_group_that_is_switched_in_again_has_a_new_allowance),
		cmocka_unit_test(a_counter_without_an_interrupt_is_read_at_each_tick),
		cmocka_unit_test(a_pinned_event_without_a_counter_wakes_its_poller),
		cmocka_unit_test(a_task_reads_its_own_group_without_a_lock),
		cmocka_unit_test(a_group_that_grows_while_it_is_read_is_read_whole),
		cmocka_unit_test(a_read_by_the_kernel_tells_why_there_is_no_count),
		cmocka_unit_test(a_group_without_counters_does_not_belong_to_the_pmu),
		cmocka_unit_test(closing_a_member_leaves_the_rest_of_its_group_on),
		cmocka_unit_test(closing_a_member_of_an_exclusive_group_leaves_the_rest_on),
	};

	return cmocka_run_group_tests_name("core/minimal_counter", tests, NULL, NULL);
}
