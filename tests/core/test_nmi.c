/* SPDX-License-Identifier: BSD-2-Clause */
/* The overflow interrupt cannot be masked. It occurs before each atomic operation of the
 * interrupted code and after each read of a counter, and updates counters that the interrupted code
 * is updating. No event may be counted twice or missed. */
#include "core/minimal/step.h"
#include "core/mini_test.h"
#include "probe.h"

enum { PERIOD = 1000, ROUNDS = 200, MANY = 1000000 };

static const struct tally_core_sample_data user = {.ip = 0x1000, .mode = PERF_RECORD_MISC_USER};

static struct mini mini;

/* The interrupt occurs at point number `wait` of a round. The totals cover the whole test. */
static struct {
	unsigned wait, points;
	uint64_t counted[MINI_COUNTERS], samples;
} scene;

/* Advance all running counters by the same amount. */
static void count(uint64_t nr)
{
	for (uint32_t i = 0; i < MINI_COUNTERS; i++) {
		const struct tally_core_hw *hw = mini.cpus[0].counters[i].owner;

		if (!hw || !hw->running)
			continue;
		mini_count(&mini, i, nr);
		scene.counted[i] += nr;
	}
	mini.now += nr;
}

/* Advance counter 0 to the end of its period, and raise the interrupt. */
static void overflow(void)
{
	uint64_t value = mini.cpus[0].counters[0].value;
	uint64_t left = (UINT64_C(1) << 48) - value;

	count(left <= PERIOD ? left : 0);
	scene.samples += mini_overflow(&mini, 0, &user);
}

static void interrupt_at_point(struct mini *host, enum mini_point point, const volatile void *what)
{
	bool mine = point == MINI_AT_ATOMIC || point == MINI_AT_COUNTER || point == MINI_AT_CLOCK;
	const struct tally_core_hw *hw = host->cpus[0].counters[0].owner;

	if (!mine || host->paused || host->nmi || !hw || !hw->running)
		return;
	scene.points++;
	if (scene.wait && !--scene.wait)
		overflow();
}

static int open_member(struct perf_event_attr attr, int group_fd)
{
	int fd;

	attr.size = sizeof(attr);
	fd = mini_open(&mini, mini.tasks[0], &attr, sizeof(attr), -1, 0, group_fd, 0);
	assert_true(fd >= 0);
	return fd;
}

static void scene_begin(void)
{
	struct tally_core_settings settings;

	memset(&scene, 0, sizeof(scene));
	tally_core_settings_init(&settings);
	settings.max_sample_rate = UINT32_MAX;
	mini_begin(&mini, 1, &settings);
	mini.at = interrupt_at_point;
}

/* The leader samples the counts of its group. Its interrupt occurs at each point in turn while the
 * group is being read. */
static void check_reads(uint32_t type, uint64_t config)
{
	const struct perf_event_attr leader = {.type = 10,
					       .config = 1,
					       .sample_period = PERIOD,
					       .sample_type = PERF_SAMPLE_READ,
					       .read_format = PERF_FORMAT_GROUP};
	const struct perf_event_attr member = {.type = type, .config = config};
	int fds[2];

	scene_begin();
	fds[0] = open_member(leader, -1);
	fds[1] = open_member(member, fds[0]);
	assert_int_equal(mini_mmap(&mini, mini.tasks[0], fds[0], 9 * 4096, false, NULL), 0);
	for (unsigned wait = 1, last = 1; wait <= last; wait++) {
		uint64_t start = mini.now, before = value_of(&mini, fds[1]);

		for (unsigned round = 0; round < ROUNDS; round++) {
			count(round % 7 ? 17 : PERIOD / 3);
			scene.wait = wait;
			scene.points = 0;
			value_of(&mini, fds[1]);
			last = scene.points;
		}
		scene.wait = 0;
		assert_int_equal(value_of(&mini, fds[1]) - before, mini.now - start);
		if (type == 10)
			assert_int_equal(value_of(&mini, fds[1]), scene.counted[1]);
	}
	assert_true(scene.samples > ROUNDS);
	mini_end(&mini);
}

static void a_hardware_member_counts_once_wherever_the_interrupt_comes(void **state)
{
	check_reads(10, 2);
}

static void a_clock_member_counts_once_wherever_the_interrupt_comes(void **state)
{
	check_reads(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
}

static void a_counter_that_overflows_while_it_is_read_counts_once(void **state)
{
	const struct perf_event_attr attr = {.type = 10, .config = 1, .sample_period = PERIOD};
	unsigned last = 1;
	int fd;

	scene_begin();
	fd = open_member(attr, -1);
	for (unsigned wait = 1; wait <= last; wait++) {
		for (unsigned round = 0; round < ROUNDS; round++) {
			uint64_t before, value;

			count(PERIOD - 5);
			before = scene.counted[0];
			scene.wait = wait;
			scene.points = 0;
			value = value_of(&mini, fd);
			assert_in_range(value, before, scene.counted[0]);
			last = scene.points;
			scene.wait = 0;
			overflow();
		}
		assert_int_equal(value_of(&mini, fd), scene.counted[0]);
	}
	assert_true(scene.samples > ROUNDS);
	mini_end(&mini);
}

static int at_point;

static void overflow_once(struct mini *where, enum mini_point point, const volatile void *what)
{
	if (--at_point)
		return;
	where->now += 777;
	mini_count(where, 0, 1);
	mini_overflow(where, 0, &user);
}

/* Open a leader that samples its group, and a clock in the group. Returns the clock's
 * descriptor. */
static int open_folding(void)
{
	struct perf_event_attr attr = attr_counter(1), clock = attr_faults(0);
	struct tally_core_settings settings;
	int lead, fd;

	tally_core_settings_init(&settings);
	settings.max_sample_rate = UINT32_MAX;
	mini_test_begin(&mini, 1, &settings);
	attr.sample_type = PERF_SAMPLE_READ;
	attr.read_format = PERF_FORMAT_GROUP;
	lead = must_open(&mini, attr, NULL, 0, -1);
	clock.config = PERF_COUNT_SW_CPU_CLOCK;
	clock.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	fd = must_open(&mini, clock, NULL, 0, lead);
	assert_int_equal(mini_mmap(&mini, mini.tasks[0], lead, 9 * 4096, false, NULL), 0);
	return fd;
}

static void a_clock_is_folded_once_with_an_interrupt_at_any_operation(void **state)
{
	uint64_t words[3] = {0}, last = 0;
	int fd = open_folding();

	mini.at = overflow_once;
	for (int point = 1; point < 60; point++) {
		mini.now += 1000;
		at_point = point;
		assert_int_equal(mini_read(&mini, fd, words, sizeof(words)), sizeof(words));
		assert_true(words[0] >= last);
		last = words[0];
	}
	mini.at = NULL;
	mini.now += 5;
	assert_int_equal(mini_read(&mini, fd, words, sizeof(words)), sizeof(words));
	assert_int_equal(words[0], words[2]);
	mini_end(&mini);
}

/* Most instructions in an update are not atomic operations, so step through all instructions. */
struct reading {
	int fd;
	uint64_t words[3];
};

static void read_clock(struct reading *reading)
{
	assert_int_equal(mini_read(&mini, reading->fd, reading->words, 24), 24);
}

static void overflow_here(void *arg)
{
	mini.now += 777;
	mini_count(&mini, 0, 1);
	mini_overflow(&mini, 0, &user);
}

static uint64_t step_at;

/* Start stepping after the clock has been read, because the next instructions add its value to the
 * count. */
static void step_from_clock(struct mini *where, enum mini_point point, const volatile void *what)
{
	if (point != MINI_AT_CLOCK || !step_at)
		return;
	mini_step_begin(overflow_here, NULL, step_at);
	step_at = 0;
}

static void a_clock_is_folded_once_with_an_interrupt_at_any_instruction(void **state)
{
	struct reading reading = {0};
	uint64_t last = 0, taken = 0;

	if (!mini_can_step())
		probe_skip("this machine does not stop after each instruction");
	reading.fd = open_folding();
	mini.at = step_from_clock;
	for (uint64_t at = 1; at < 250; at += MINI_STRIDE) {
		mini.now += 1000;
		step_at = at;
		read_clock(&reading);
		taken = mini_step_end();
		assert_true(reading.words[0] >= last);
		last = reading.words[0];
		read_clock(&reading);
		assert_int_equal(reading.words[0], reading.words[2]);
	}
	assert_true(taken > 50);
	mini_end(&mini);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_hardware_member_counts_once_wherever_the_interrupt_comes),
		cmocka_unit_test(a_clock_member_counts_once_wherever_the_interrupt_comes),
		cmocka_unit_test(a_counter_that_overflows_while_it_is_read_counts_once),
		cmocka_unit_test(a_clock_is_folded_once_with_an_interrupt_at_any_operation),
		cmocka_unit_test(a_clock_is_folded_once_with_an_interrupt_at_any_instruction),
	};

	return cmocka_run_group_tests_name("core/nmi", tests, NULL, NULL);
}
