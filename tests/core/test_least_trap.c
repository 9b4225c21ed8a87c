/* SPDX-License-Identifier: BSD-2-Clause */
/* What overflow interrupts do: to whom they signal, what they count, what they stop. */
#include "core/least/step.h"
#include "core/least_test.h"
#include "probe.h"

static struct least least;

static const struct tally_core_sample_data in_user = {.ip = 0x1234, .mode = PERF_RECORD_MISC_USER};
static const struct tally_core_sample_data in_kernel = {
	.ip = 0xffffffff81000000, .addr = 0xffff888000001234, .mode = PERF_RECORD_MISC_KERNEL};

/* ---- 5: SIGTRAP is the event's task's ---------------------------------------------------- */

static struct perf_event_attr attr_trap(void)
{
	struct perf_event_attr attr = attr_counter(100);

	attr.sigtrap = attr.remove_on_exec = attr.exclude_kernel = 1;
	attr.sig_data = 77;
	return attr;
}

static int overflows;

static void overflow_at_stop(struct least *where, enum least_point point, const volatile void *what)
{
	if (point != LEAST_AT_STOP || overflows++)
		return;
	least_count(where, 0, 100);
	least_overflow(where, 0, &in_kernel);
}

/* The interrupt comes while the CPU goes from the event's task to another one, or to none. */
static void switch_with_trap(bool to_other)
{
	struct least_task *mine, *other;

	least_test_begin(&least, 1, NULL);
	mine = least_task_new(&least);
	other = least_task_new(&least);
	least_switch(&least, mine);
	must_open(&least, attr_trap(), mine, -1, -1);
	overflows = 0;
	least.at = overflow_at_stop;
	least_switch(&least, to_other ? other : NULL);
	least.at = NULL;
	assert_int_equal(overflows, 1);
	assert_true(!least.traps || least.trapped == &mine->perf);
	least_switch(&least, mine);
	least_tick(&least);
	assert_int_equal(least.traps, 1);
	assert_ptr_equal(least.trapped, &mine->perf);
	assert_int_equal(least.trap_data, 77);
	least_end(&least);
}

static void test_trap_of_other(void **state)
{
	switch_with_trap(true);
}

static void test_trap_to_idle(void **state)
{
	switch_with_trap(false);
}

/* The interrupt came late, in the kernel: its address is nothing for the task. */
static void test_trap_address(void **state)
{
	least_test_begin(&least, 1, NULL);
	least_switch(&least, least.tasks[0]);
	must_open(&least, attr_trap(), least.tasks[0], -1, -1);
	least_count(&least, 0, 100);
	least_overflow(&least, 0, &in_kernel);
	least_tick(&least);
	assert_int_equal(least.trap_addr >> 63, 0);
	least_end(&least);
}

/* ---- 9: whatever an interrupt folds in the middle of ------------------------------------- */

static int at_point;

static void overflow_once(struct least *where, enum least_point point, const volatile void *what)
{
	if (--at_point)
		return;
	where->now += 777;
	least_count(where, 0, 1);
	least_overflow(where, 0, &in_user);
}

/* A leader that samples its group, in which there is a clock: its descriptor. */
static int open_folding(void)
{
	struct perf_event_attr attr = attr_counter(1), clock = attr_faults(0);
	struct tally_core_settings settings;
	int lead, fd;

	tally_core_settings_init(&settings);
	settings.max_sample_rate = UINT32_MAX;
	least_test_begin(&least, 1, &settings);
	attr.sample_type = PERF_SAMPLE_READ;
	attr.read_format = PERF_FORMAT_GROUP;
	lead = must_open(&least, attr, NULL, 0, -1);
	clock.config = PERF_COUNT_SW_CPU_CLOCK;
	clock.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	fd = must_open(&least, clock, NULL, 0, lead);
	assert_int_equal(least_mmap(&least, least.tasks[0], lead, 9 * 4096, false, NULL), 0);
	return fd;
}

/* At each point of a read of the clock. */
static void test_fold_in_fold(void **state)
{
	uint64_t words[3] = {0}, last = 0;
	int fd = open_folding();

	least.at = overflow_once;
	for (int point = 1; point < 60; point++) {
		least.now += 1000;
		at_point = point;
		assert_int_equal(least_read(&least, fd, words, sizeof(words)), sizeof(words));
		assert_true(words[0] >= last);
		last = words[0];
	}
	least.at = NULL;
	least.now += 5;
	assert_int_equal(least_read(&least, fd, words, sizeof(words)), sizeof(words));
	assert_int_equal(words[0], words[2]);
	least_end(&least);
}

/* And in front of any instruction: most of a fold is no atomic operation. */
struct reading {
	int fd;
	uint64_t words[3];
};

static void read_clock(struct reading *reading)
{
	assert_int_equal(least_read(&least, reading->fd, reading->words, 24), 24);
}

static void overflow_here(void *arg)
{
	least.now += 777;
	least_count(&least, 0, 1);
	least_overflow(&least, 0, &in_user);
}

static uint64_t step_at;

/* A clock was read: what it says is folded in the next instructions. */
static void step_from_clock(struct least *where, enum least_point point, const volatile void *what)
{
	if (point != LEAST_AT_CLOCK || !step_at)
		return;
	least_step_begin(overflow_here, NULL, step_at);
	step_at = 0;
}

static void test_fold_by_steps(void **state)
{
	struct reading reading = {0};
	uint64_t last = 0, taken = 0;

	if (!least_can_step())
		probe_skip("this machine does not stop after each instruction");
	reading.fd = open_folding();
	least.at = step_from_clock;
	for (uint64_t at = 1; at < 250; at += LEAST_STRIDE) {
		least.now += 1000;
		step_at = at;
		read_clock(&reading);
		taken = least_step_end();
		assert_true(reading.words[0] >= last);
		last = reading.words[0];
		read_clock(&reading);
		assert_int_equal(reading.words[0], reading.words[2]);
	}
	assert_true(taken > 50);
	least_end(&least);
}

/* ---- 15: a limit is a limit --------------------------------------------------------------- */

static void test_refresh_of_many(void **state)
{
	struct perf_event_attr attr = attr_faults(1);
	const struct perf_event_mmap_page *page;
	int fd;

	least_test_begin(&least, 1, NULL);
	attr.disabled = 1;
	fd = must_open(&least, attr, NULL, 0, -1);
	page = must_map(&least, fd, 8, NULL);
	least_ioctl(&least, least.tasks[0], fd, PERF_EVENT_IOC_REFRESH, 1);
	least_software(&least, PERF_COUNT_SW_PAGE_FAULTS, 10);
	assert_int_equal(page->data_head, 16);
	least_ioctl(&least, least.tasks[0], fd, PERF_EVENT_IOC_REFRESH, 3);
	for (int i = 0; i < 10; i++)
		least_software(&least, PERF_COUNT_SW_PAGE_FAULTS, 1);
	assert_int_equal(page->data_head, 16 + 3 * 16);
	least_end(&least);
}

static uint64_t atomics;

static void count_atomics(struct least *where, enum least_point point, const volatile void *what)
{
	atomics += point == LEAST_AT_ATOMIC;
}

/* However large the number is, interrupts are off for the same time. */
static void test_bounded_hook(void **state)
{
	struct perf_event_attr attr = attr_faults(1);
	int fd;

	least_test_begin(&least, 1, NULL);
	fd = must_open(&least, attr, NULL, 0, -1);
	must_map(&least, fd, 8, NULL);
	least.at = count_atomics;
	atomics = 0;
	least_software(&least, PERF_COUNT_SW_PAGE_FAULTS, 1000000);
	assert_in_range(atomics, 1, 20000);
	least_end(&least);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_trap_of_other), cmocka_unit_test(test_trap_to_idle),
		cmocka_unit_test(test_trap_address),  cmocka_unit_test(test_fold_in_fold),
		cmocka_unit_test(test_fold_by_steps), cmocka_unit_test(test_refresh_of_many),
		cmocka_unit_test(test_bounded_hook),
	};

	return cmocka_run_group_tests_name("core/least_trap", tests, NULL, NULL);
}
