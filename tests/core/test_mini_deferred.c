/* SPDX-License-Identifier: BSD-2-Clause */
/* Deferred overflow work that is done late or on another CPU: REFRESH limits, traps and wakeups. */
#include "core/mini_test.h"

static struct mini mini;

static const struct tally_core_sample_data in_kernel = {.ip = 0x1234,
							.mode = PERF_RECORD_MISC_KERNEL};

static int refresh(int fd, int nr)
{
	return mini_ioctl(&mini, mini.tasks[0], fd, PERF_EVENT_IOC_REFRESH, (uintptr_t)nr);
}

static void overflow(void)
{
	mini_count(&mini, 0, 100);
	mini_overflow(&mini, 0, &in_kernel);
}

/* Return how much the count increases in ten ticks. */
static uint64_t counted(int fd)
{
	uint64_t before = value_of(&mini, fd);

	for (int i = 0; i < 10; i++) {
		mini_count(&mini, 0, 5);
		mini_advance(&mini, 4000000);
		mini_tick(&mini);
	}
	return value_of(&mini, fd) - before;
}

/* Enable the event after an overflow has used up the event's limit, but before the deferred work
 * runs. */
static void enabled_late(unsigned long request, int nr)
{
	int fd;

	mini_test_begin(&mini, 1, NULL);
	fd = must_open(&mini, attr_counter(100), NULL, 0, -1);
	refresh(fd, 1);
	mini.hold_deferred = true;
	overflow();
	assert_int_equal(counted(fd), 0);
	assert_int_equal(mini_ioctl(&mini, mini.tasks[0], fd, request, (uintptr_t)nr), 0);
	mini.hold_deferred = false;
	mini_deferred(&mini);
	assert_int_equal(counted(fd), 50);
	if (request == PERF_EVENT_IOC_REFRESH) {
		overflow();
		assert_int_equal(counted(fd), 0);
	}
	mini_end(&mini);
}

static void refresh_before_the_deferred_disable_keeps_the_event_enabled(void **state)
{
	enabled_late(PERF_EVENT_IOC_REFRESH, 1);
}

static void enable_before_the_deferred_disable_keeps_the_event_enabled(void **state)
{
	enabled_late(PERF_EVENT_IOC_ENABLE, 0);
}

/* Cause an overflow on CPU 0, where the wakeup stays deferred, and then one on CPU 1. Returns the
 * descriptor. */
static int overflow_on_both(struct perf_event_attr attr, int limit)
{
	int fd;

	mini_test_begin(&mini, 2, NULL);
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED;
	attr.wakeup_events = 1;
	fd = must_open(&mini, attr, mini.tasks[0], -1, -1);
	must_map(&mini, fd, 4, NULL);
	if (limit)
		refresh(fd, limit);
	mini_switch(&mini, mini.tasks[0]);
	mini.hold_deferred = true;
	overflow();
	mini_switch(&mini, NULL);
	mini_on(&mini, 1);
	mini_switch(&mini, mini.tasks[0]);
	overflow();
	mini.hold_deferred = false;
	mini_deferred(&mini);
	return fd;
}

static uint64_t enabled_ns(int fd)
{
	uint64_t words[2] = {0};

	assert_int_equal(mini_read(&mini, fd, words, sizeof(words)), sizeof(words));
	return words[1];
}

/* The event is disabled on CPU 1 although its deferred work is queued on CPU 0. */
static void a_limit_used_up_on_another_cpu_disables_the_event(void **state)
{
	int fd = overflow_on_both(attr_counter(100), 2);
	uint64_t before = enabled_ns(fd);

	mini_advance(&mini, 4000000);
	assert_int_equal(enabled_ns(fd), before);
	mini_on(&mini, 0);
	mini_deferred(&mini);
	assert_int_equal(mini.files[fd].notices, 1);
	mini_on(&mini, 1);
	refresh(fd, 1);
	assert_int_equal(counted(fd), 50);
	mini_end(&mini);
}

/* The trap has been pending since the overflow on CPU 0, and is sent on CPU 1, where the task runs.
 * Two pending traps are merged. */
static void overflows_on_two_cpus_send_one_trap(void **state)
{
	struct perf_event_attr attr = attr_counter(100);

	attr.sigtrap = attr.remove_on_exec = 1;
	overflow_on_both(attr, 0);
	assert_int_equal(mini.traps, 1);
	assert_ptr_equal(mini.trapped, &mini.tasks[0]->perf);
	mini_on(&mini, 0);
	mini_deferred(&mini);
	assert_int_equal(mini.traps, 1);
	mini_end(&mini);
}

static uint64_t until;
static int overflows;

static void overflow_if_running(void)
{
	const struct tally_core_hw *hw = mini.cpus[0].counters[0].owner;

	if (!hw || !hw->running)
		return;
	overflow();
	overflows++;
}

static void overflow_twice(struct mini *where, enum mini_point point, const volatile void *what)
{
	const struct tally_core_hw *hw = where->cpus[0].counters[0].owner;

	if (where->paused || where->nmi || !hw || !until || --until)
		return;
	overflow_if_running();
	overflow_if_running();
}

static void a_limit_used_up_during_refresh_allows_no_extra_overflow(void **state)
{
	struct tally_core_settings settings;
	uint64_t n = 0;

	tally_core_settings_init(&settings);
	settings.max_sample_rate = UINT32_MAX;
	do {
		int fd;

		mini_test_begin(&mini, 1, &settings);
		fd = must_open(&mini, attr_counter(100), NULL, 0, -1);
		refresh(fd, 1);
		overflows = 0;
		until = ++n;
		mini.at = overflow_twice;
		refresh(fd, 1);
		mini.at = NULL;
		for (int i = 0; i < 10; i++)
			overflow_if_running();
		assert_int_equal(overflows, 2);
		mini_end(&mini);
	} while (!until);
	assert_true(n > 5);
}

/* The pinned event finds no counter, so a wakeup is deferred. The open then fails because the event
 * given for FD_OUTPUT has no ring. */
static void an_open_that_fails_late_leaves_no_deferred_wakeup(void **state)
{
	struct perf_event_attr pinned = attr_counter(0);
	int no_ring;

	mini_test_begin(&mini, 1, NULL);
	pinned.pinned = 1;
	for (int i = 0; i < MINI_COUNTERS; i++)
		must_open(&mini, pinned, NULL, 0, -1);
	no_ring = must_open(&mini, attr_faults(0), NULL, 0, -1);
	mini.hold_deferred = true;
	assert_true(mini_open(&mini, mini.tasks[0], &pinned, sizeof(pinned), -1, 0, no_ring,
			      PERF_FLAG_FD_OUTPUT | PERF_FLAG_FD_NO_GROUP) < 0);
	mini_deferred(&mini);
	mini_end(&mini);
}

/* The event has overflowed on CPU 1, where its task no longer runs. Closing the event calls CPU 1
 * to do the deferred work, rather than waiting for CPU 1 to get to it. */
static void closing_an_event_has_the_cpu_do_its_deferred_work(void **state)
{
	struct perf_event_attr attr = attr_counter(100);
	int fd;

	mini_test_begin(&mini, 2, NULL);
	attr.wakeup_events = 1;
	fd = must_open(&mini, attr, mini.tasks[0], -1, -1);
	must_map(&mini, fd, 4, NULL);
	mini_on(&mini, 1);
	mini_switch(&mini, mini.tasks[0]);
	mini.hold_deferred = true;
	overflow();
	mini_switch(&mini, NULL);
	mini_on(&mini, 0);
	mini_close(&mini, fd);
	assert_int_equal(mini.nr_relaxed, 0);
	assert_int_equal(mini.nr_ops[MINI_OP_NOTIFY], 1);
	mini_on(&mini, 1);
	mini_deferred(&mini);
	assert_int_equal(mini.nr_ops[MINI_OP_NOTIFY], 1);
	mini_end(&mini);
}

static void the_time_of_an_event_ends_when_its_limit_is_used_up(void **state)
{
	struct perf_event_attr attr = attr_counter(100);
	int fd;

	mini_test_begin(&mini, 1, NULL);
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED;
	attr.disabled = 1;
	fd = must_open(&mini, attr, NULL, 0, -1);
	refresh(fd, 1);
	mini_advance(&mini, 1000);
	overflow();
	mini_advance(&mini, 1000);
	assert_int_equal(enabled_ns(fd), 1000);
	mini_end(&mini);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refresh_before_the_deferred_disable_keeps_the_event_enabled),
		cmocka_unit_test(enable_before_the_deferred_disable_keeps_the_event_enabled),
		cmocka_unit_test(a_limit_used_up_on_another_cpu_disables_the_event),
		cmocka_unit_test(overflows_on_two_cpus_send_one_trap),
		cmocka_unit_test(a_limit_used_up_during_refresh_allows_no_extra_overflow),
		cmocka_unit_test(an_open_that_fails_late_leaves_no_deferred_wakeup),
		cmocka_unit_test(closing_an_event_has_the_cpu_do_its_deferred_work),
		cmocka_unit_test(the_time_of_an_event_ends_when_its_limit_is_used_up),
	};

	return cmocka_run_group_tests_name("core/minimal_deferred", tests, NULL, NULL);
}
