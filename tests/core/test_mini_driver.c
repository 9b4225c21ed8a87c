/* SPDX-License-Identifier: BSD-2-Clause */
/* The order in which a PMU driver is called, as promised in host.h: transactions and pauses. */
#include "core/mini_test.h"

enum { DRIVER_TYPE = 20 };

static struct mini mini;

static struct tally_core_pmu pmu;

/* The driver's state, and the calls made to the driver. */
static struct {
	bool in_transaction, paused;
	int commit_gives;
	struct tally_core_hw *overflows; /* event with the overflowing counter */
	unsigned commits, cancels, adds, starts, stops, reads;
} seen;

/* Config of events for which the driver reports that their counters are in use. */
enum { CONFIG_TAKEN = 7 };

static void driver_begin(struct tally_core_pmu *of)
{
	assert_false(seen.in_transaction);
	seen.in_transaction = true;
}

static int driver_commit(struct tally_core_pmu *of)
{
	assert_true(seen.in_transaction);
	seen.in_transaction = false;
	seen.commits++;
	return seen.commit_gives;
}

static void driver_cancel(struct tally_core_pmu *of)
{
	assert_true(seen.in_transaction);
	seen.in_transaction = false;
	seen.cancels++;
}

static int driver_add(struct tally_core_pmu *of, struct tally_core_hw *hw)
{
	assert_true(seen.in_transaction);
	seen.adds++;
	return hw->attr->config == CONFIG_TAKEN ? -EBUSY : mini.pmus[0].add(&mini.pmus[0], hw);
}

static void driver_pause(struct tally_core_pmu *of)
{
	assert_false(seen.paused);
	seen.paused = true;
}

static void driver_resume(struct tally_core_pmu *of)
{
	assert_true(seen.paused);
	seen.paused = false;
}

static void driver_start(struct tally_core_pmu *of, struct tally_core_hw *hw)
{
	assert_true(seen.paused);
	seen.starts++;
	mini.pmus[0].start(&mini.pmus[0], hw);
}

static void driver_stop(struct tally_core_pmu *of, struct tally_core_hw *hw)
{
	assert_true(seen.paused || seen.overflows);
	seen.stops++;
	mini.pmus[0].stop(&mini.pmus[0], hw);
}

static void driver_read(struct tally_core_pmu *of, struct tally_core_hw *hw)
{
	assert_true(hw->running);
	assert_ptr_not_equal(hw, seen.overflows);
	seen.reads++;
	mini.pmus[0].read(&mini.pmus[0], hw);
}

/* Begin with one CPU, with its four counters managed by this driver. */
static void driver_test_begin(void)
{
	memset(&seen, 0, sizeof(seen));
	mini_test_begin(&mini, 1, NULL);
	pmu = mini.pmus[0];
	pmu.type = DRIVER_TYPE;
	pmu.owner = NULL;
	pmu.next = NULL;
	pmu.cpus = NULL;
	pmu.users = 0;
	pmu.begin = driver_begin;
	pmu.commit = driver_commit;
	pmu.cancel = driver_cancel;
	pmu.add = driver_add;
	pmu.pause = driver_pause;
	pmu.resume = driver_resume;
	pmu.start = driver_start;
	pmu.stop = driver_stop;
	pmu.read = driver_read;
	assert_int_equal(tally_core_pmu_register(mini.core, &pmu), 0);
}

static void driver_test_end(void)
{
	assert_false(seen.in_transaction);
	assert_false(seen.paused);
	mini_end(&mini);
}

/* Open a group of `nr` events on the current task and return its leader. */
static int open_group(int nr)
{
	struct perf_event_attr attr = attr_counter(0);
	int leader = -1;

	attr.type = DRIVER_TYPE;
	for (int i = 0; i < nr; i++) {
		int fd = must_open(&mini, attr, mini.tasks[0], -1, leader);

		leader = i ? leader : fd;
	}
	return leader;
}

static void switch_out_and_in(void)
{
	mini_switch(&mini, NULL);
	memset(&seen, 0, sizeof(seen));
	mini_switch(&mini, mini.tasks[0]);
}

static void a_group_is_added_in_one_transaction(void **state)
{
	driver_test_begin();
	mini_switch(&mini, mini.tasks[0]);
	open_group(3);
	switch_out_and_in();
	assert_int_equal(seen.commits, 1);
	assert_int_equal(seen.cancels, 0);
	driver_test_end();
}

/* The second group does not get counters for two of its members. */
static void the_transaction_of_a_group_that_does_not_fit_is_cancelled(void **state)
{
	driver_test_begin();
	mini_switch(&mini, mini.tasks[0]);
	open_group(3);
	open_group(3);
	switch_out_and_in();
	assert_int_equal(seen.commits, 1);
	assert_int_equal(seen.cancels, 1);
	driver_test_end();
}

static void a_group_that_cannot_be_committed_releases_its_counters(void **state)
{
	driver_test_begin();
	mini_switch(&mini, mini.tasks[0]);
	open_group(3);
	mini_switch(&mini, NULL);
	seen.commit_gives = -EBUSY;
	mini_switch(&mini, mini.tasks[0]);
	for (int i = 0; i < MINI_COUNTERS; i++)
		assert_null(mini.cpus[0].counters[i].owner);
	driver_test_end();
}

/* driver_start() and driver_stop() check that the PMU is paused. */
static void a_group_starts_and_stops_while_its_pmu_is_paused(void **state)
{
	int leader;

	driver_test_begin();
	mini_switch(&mini, mini.tasks[0]);
	leader = open_group(3);
	switch_out_and_in();
	assert_int_equal(seen.starts, 3);
	assert_false(seen.paused);
	mini_ioctl(&mini, mini.tasks[0], leader, PERF_EVENT_IOC_DISABLE, 0);
	assert_int_equal(seen.stops, 3);
	driver_test_end();
}

static void a_full_pmu_is_not_asked_again_in_a_round(void **state)
{
	driver_test_begin();
	mini_switch(&mini, mini.tasks[0]);
	for (int i = 0; i < 3 * MINI_COUNTERS; i++)
		open_group(1);
	switch_out_and_in();
	assert_int_equal(seen.adds, MINI_COUNTERS + 1);
	driver_test_end();
}

static void an_event_whose_counters_are_in_use_does_not_block_others(void **state)
{
	struct perf_event_attr attr = attr_counter(0);
	int fd;

	driver_test_begin();
	attr.type = DRIVER_TYPE;
	attr.config = CONFIG_TAKEN;
	must_open(&mini, attr, mini.tasks[0], -1, -1);
	fd = open_group(1);
	mini_switch(&mini, mini.tasks[0]);
	mini_count(&mini, 0, 100);
	assert_int_equal(value_of(&mini, fd), 100);
	driver_test_end();
}

/* Overflow counter 0. Returns true if the counter keeps running. */
static bool overflow(void)
{
	const struct tally_core_sample_data in_user = {.mode = PERF_RECORD_MISC_USER};
	bool goes_on;

	mini_count(&mini, 0, 100);
	seen.overflows = mini.cpus[0].counters[0].owner;
	goes_on = mini_overflow(&mini, 0, &in_user);
	seen.overflows = NULL;
	return goes_on;
}

/* Each of the leader's samples contains the count of the second member; the third member is
 * disabled. When the group is throttled, all members stop. */
static void a_counter_is_read_while_it_runs_and_does_not_overflow(void **state)
{
	struct perf_event_attr attr = attr_counter(100);
	uint64_t words[4];
	int leader;

	driver_test_begin();
	tally_core_settings(mini.core)->max_sample_rate = 1000;
	mini_switch(&mini, mini.tasks[0]);
	attr.type = DRIVER_TYPE;
	attr.sample_type = PERF_SAMPLE_READ;
	attr.read_format = PERF_FORMAT_GROUP;
	leader = must_open(&mini, attr, mini.tasks[0], -1, -1);
	must_map(&mini, leader, 8, NULL);
	attr.sample_period = 0;
	must_open(&mini, attr, mini.tasks[0], -1, leader);
	attr.disabled = 1;
	must_open(&mini, attr, mini.tasks[0], -1, leader);
	assert_true(overflow());
	assert_int_equal(seen.reads, 1);
	while (overflow())
		;
	seen.reads = 0;
	assert_int_equal(mini_read(&mini, leader, words, sizeof(words)), sizeof(words));
	assert_int_equal(seen.reads, 0);
	driver_test_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_group_is_added_in_one_transaction),
		cmocka_unit_test(the_transaction_of_a_group_that_does_not_fit_is_cancelled),
		cmocka_unit_test(a_group_that_cannot_be_committed_releases_its_counters),
		cmocka_unit_test(a_group_starts_and_stops_while_its_pmu_is_paused),
		cmocka_unit_test(a_full_pmu_is_not_asked_again_in_a_round),
		cmocka_unit_test(an_event_whose_counters_are_in_use_does_not_block_others),
		cmocka_unit_test(a_counter_is_read_while_it_runs_and_does_not_overflow),
	};

	return cmocka_run_group_tests_name("core/minimal_driver", tests, NULL, NULL);
}
