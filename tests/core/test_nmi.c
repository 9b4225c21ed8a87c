/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The overflow interrupt is masked by nothing: it comes before each atomic operation of what it
 * interrupts, and after each reading of a counter, and folds counters that are just being folded.
 * No event is counted twice and none is left out.
 */
#include <string.h>

#include "core/least/least.h"
#include "test.h"

enum { PERIOD = 1000, ROUNDS = 200, MANY = 1000000 };

static const struct tally_core_sample_data user = {.ip = 0x1000, .mode = PERF_RECORD_MISC_USER};

static struct least least;

/* The how manieth point of a round the interrupt comes at, and what happened in all. */
static struct {
	unsigned wait, points;
	uint64_t counted[LEAST_COUNTERS], samples;
} scene;

/* All counters that run count on by the same. */
static void count(uint64_t nr)
{
	for (uint32_t i = 0; i < LEAST_COUNTERS; i++) {
		const struct tally_core_hw *hw = least.cpus[0].counters[i].owner;

		if (!hw || !hw->running)
			continue;
		least_count(&least, i, nr);
		scene.counted[i] += nr;
	}
	least.now += nr;
}

/* Let counter 0 reach the end of its period, wherever it stands, and interrupt. */
static void overflow(void)
{
	uint64_t value = least.cpus[0].counters[0].value;
	uint64_t left = (UINT64_C(1) << 48) - value;

	count(left <= PERIOD ? left : 0);
	scene.samples += least_overflow(&least, 0, &user);
}

static void come_in_between(struct least *host, enum least_point point, const volatile void *what)
{
	bool mine =
		point == LEAST_AT_ATOMIC || point == LEAST_AT_COUNTER || point == LEAST_AT_CLOCK;
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
	fd = least_open(&least, least.tasks[0], &attr, sizeof(attr), -1, 0, group_fd, 0);
	assert_true(fd >= 0);
	return fd;
}

static void scene_begin(void)
{
	struct tally_core_settings settings;

	memset(&scene, 0, sizeof(scene));
	tally_core_settings_init(&settings);
	settings.max_sample_rate = UINT32_MAX;
	least_begin(&least, 1, &settings);
	least.at = come_in_between;
}

static uint64_t value_of(int fd)
{
	uint64_t words[3];

	assert_true(least_read(&least, fd, words, sizeof(words)) >= 8);
	return words[0];
}

/* A leader whose samples have the counts of its group, interrupting reads of all of them, at each
 * point in turn until there are no more. */
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
	assert_int_equal(least_mmap(&least, least.tasks[0], fds[0], 9 * 4096, false, NULL), 0);
	for (unsigned wait = 1, last = 1; wait <= last; wait++) {
		uint64_t start = least.now, before = value_of(fds[1]);

		for (unsigned round = 0; round < ROUNDS; round++) {
			count(round % 7 ? 17 : PERIOD / 3);
			scene.wait = wait;
			scene.points = 0;
			value_of(fds[1]);
			last = scene.points;
		}
		scene.wait = 0;
		assert_int_equal(value_of(fds[1]) - before, least.now - start);
		if (type == 10)
			assert_int_equal(value_of(fds[1]), scene.counted[1]);
	}
	assert_true(scene.samples > ROUNDS);
	least_end(&least);
}

static void test_hardware_member(void **state)
{
	check_reads(10, 2);
}

static void test_clock_member(void **state)
{
	check_reads(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
}

/* The counter that is read is the one that overflows, and is armed with the same value each time.
 */
static void test_own_overflow(void **state)
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
			value = value_of(fd);
			assert_in_range(value, before, scene.counted[0]);
			last = scene.points;
			scene.wait = 0;
			overflow();
		}
		assert_int_equal(value_of(fd), scene.counted[0]);
	}
	assert_true(scene.samples > ROUNDS);
	least_end(&least);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hardware_member),
		cmocka_unit_test(test_clock_member),
		cmocka_unit_test(test_own_overflow),
	};

	return cmocka_run_group_tests_name("core/nmi", tests, NULL, NULL);
}
