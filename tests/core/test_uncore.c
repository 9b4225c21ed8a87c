/* SPDX-License-Identifier: BSD-2-Clause */
/* A PMU that counts for two CPUs: its events are on the designated CPU, and migrate with their
 * counts. */
#include "core/least_test.h"

enum { UNCORE = 11, NR_CPUS = 4, COUNTER = LEAST_COUNTERS };

static struct least least;
static int32_t named[NR_CPUS / 2];
static int leader, member; /* descriptors of a group */

/* Return the designated CPU of a pair: the first that came online, until it goes offline. */
static int32_t cpu_of(struct tally_core_pmu *pmu, uint32_t cpu)
{
	int32_t *name = &named[cpu / 2];

	if (*name >= 0 && tally_core_cpu_is_online(least.core, (uint32_t)*name))
		return *name;
	*name = -1;
	for (uint32_t i = cpu & ~1U; i < (cpu | 1) + 1 && *name < 0; i++) {
		if (tally_core_cpu_is_online(least.core, i))
			*name = (int32_t)i;
	}
	return *name;
}

static void begin(void)
{
	named[0] = named[1] = -1;
	least_test_begin(&least, NR_CPUS, NULL);
	least.pmus[1].cpu_of = cpu_of;
}

static struct perf_event_attr attr_uncore(void)
{
	struct perf_event_attr attr = attr_counter(0);

	attr.type = UNCORE;
	return attr;
}

static int open_on(int cpu, int group)
{
	struct perf_event_attr attr = attr_uncore();

	return least_open(&least, least.tasks[0], &attr, sizeof(attr), -1, cpu, group, 0);
}

static void count_on(uint32_t cpu, uint32_t counter, uint64_t nr)
{
	least_on(&least, cpu);
	least_count(&least, counter, nr);
	least_on(&least, 2);
}

/* An event that is opened on either CPU of the pair counts on the designated CPU. */
static void test_designated(void **state)
{
	int fd;

	begin();
	fd = open_on(1, -1);
	assert_true(fd >= 0);
	count_on(0, COUNTER, 500);
	assert_int_equal(count_of(&least, fd), 500);
	least_end(&least);
}

/* A group and a disabled event migrate. No count is lost or added twice. */
static void test_moves(void **state)
{
	int off;

	begin();
	leader = open_on(0, -1);
	member = open_on(1, leader);
	off = open_on(0, -1);
	assert_true(leader >= 0 && member >= 0 && off >= 0);
	assert_int_equal(least_ioctl(&least, least.tasks[0], off, PERF_EVENT_IOC_DISABLE, 0), 0);
	count_on(0, COUNTER, 1000);
	count_on(0, COUNTER + 1, 70);
	least_on(&least, 2);
	tally_core_cpu_offline(least.core, 0);
	assert_int_equal(named[0], 1);
	assert_int_equal(count_of(&least, leader), 1000);
	count_on(1, COUNTER, 234);
	count_on(1, COUNTER + 1, 7);
	assert_int_equal(count_of(&least, leader), 1234);
	assert_int_equal(count_of(&least, member), 77);
	assert_int_equal(count_of(&least, off), 0);
	/* A CPU that comes back is not designated again. When the last CPU of a pair goes offline,
	 * the events wait. */
	assert_int_equal(tally_core_cpu_online(least.core, 0), 0);
	count_on(1, COUNTER, 6);
	assert_int_equal(count_of(&least, leader), 1240);
	least_end(&least);
}

/* Events that could not migrate are rejected. */
static void test_refused(void **state)
{
	struct perf_event_attr attr = attr_faults(0);
	struct tally_core_buffer *buffer;
	struct tally_core_pmu pmu;
	int fd;

	begin();
	fd = open_on(0, -1);
	assert_int_equal(least_open(&least, least.tasks[0], &attr, sizeof(attr), -1, 0, fd, 0),
			 -EINVAL);
	assert_int_equal(least_mmap(&least, least.tasks[0], fd, 4096, true, &buffer), -EINVAL);
	pmu = least.pmus[1];
	pmu.type = 12;
	pmu.caps = TALLY_PMU_NO_INTERRUPT;
	assert_int_equal(tally_core_pmu_register(least.core, &pmu), -EINVAL);
	least_end(&least);
}

/* ---- calls that overlap ------------------------------------------------------------------ */

/* Run a function at the nth point where a call can be interrupted, once. */
static struct {
	void (*fn)(void);
	uint32_t nr, at;
	bool busy, done;
} between;

static void come_between(struct least *host, enum least_point point, const volatile void *what)
{
	if (point == LEAST_AT_ATOMIC || between.busy || between.done || between.nr++ < between.at)
		return;
	between.busy = true;
	between.done = least_overlap(host, between.fn);
	between.busy = false;
}

static void go(void)
{
	least_offline(&least, 0);
}

static void go_other(void)
{
	least_offline(&least, 1);
}

static void unregister(void)
{
	while (tally_core_pmu_unregister(least.core, &least.pmus[1]) == -EBUSY)
		;
}

static void disable_leader(void)
{
	least_ioctl(&least, least.tasks[0], leader, PERF_EVENT_IOC_DISABLE, 0);
}

static void close_leader(void)
{
	least_close(&least, leader);
}

static void close_member(void)
{
	least_close(&least, member);
}

static void read_leader(void)
{
	assert_int_equal(count_of(&least, leader), 1000);
}

static void reset_leader(void)
{
	least_ioctl(&least, least.tasks[0], leader, PERF_EVENT_IOC_RESET, 0);
}

static void arm(void (*fn)(void), uint32_t at)
{
	between.fn = fn;
	between.nr = 0;
	between.at = at;
	between.done = false;
	least.at = come_between;
}

/* The CPU goes offline at any point of the open of a leader or a member. The event counts on the
 * other CPU. */
static void test_opened_meanwhile(void **state)
{
	for (int in_group = 0; in_group < 2; in_group++) {
		for (uint32_t at = 0;; at++) {
			int group, fd;

			begin();
			least_on(&least, 2);
			group = in_group ? open_on(0, -1) : -1;
			arm(go, at);
			fd = open_on(1, group);
			least.at = NULL;
			assert_true(fd >= 0);
			if (!between.done)
				go();
			count_on(1, COUNTER, 3);
			count_on(1, COUNTER + 1, 3);
			assert_int_equal(count_of(&least, fd), 3);
			least_end(&least);
			if (!between.done)
				break;
		}
		assert_true(between.nr > 3);
	}
}

static void begin_group(void)
{
	begin();
	least_on(&least, 2);
	leader = open_on(0, -1);
	member = open_on(1, leader);
	count_on(0, COUNTER, 1000);
	count_on(0, COUNTER + 1, 70);
}

static void expect_group(void (*fn)(void), uint64_t of_leader, uint64_t of_member)
{
	for (uint32_t i = 0; i < 2; i++)
		count_on(1, COUNTER + i, 5);
	if (fn != close_leader)
		assert_int_equal(count_of(&least, leader), of_leader);
	if (fn != close_member)
		assert_int_equal(count_of(&least, member), of_member);
	least_end(&least);
}

/* An operation on a group while it migrates affects the whole group, before or after. */
static void both(void (*first)(void), void (*meanwhile)(void), void (*fn)(void), uint64_t of_leader,
		 uint64_t of_member)
{
	for (uint32_t at = 0;; at++) {
		begin_group();
		arm(meanwhile, at);
		first();
		least.at = NULL;
		if (!between.done)
			meanwhile();
		expect_group(fn, of_leader, of_member);
		if (!between.done)
			break;
	}
	assert_true(between.nr > 3);
}

static void move_and(void (*fn)(void), uint64_t of_leader, uint64_t of_member)
{
	both(go, fn, fn, of_leader, of_member);
}

static void gone_and(void (*fn)(void), uint64_t of_leader, uint64_t of_member)
{
	both(fn, go, fn, of_leader, of_member);
}

static void test_moved_meanwhile(void **state)
{
	move_and(disable_leader, 1000, 70);
	move_and(close_leader, 0, 75);
	move_and(close_member, 1005, 0);
	move_and(read_leader, 1005, 75);
	move_and(reset_leader, 5, 75);
}

static void enable_group(void)
{
	least_ioctl(&least, least.tasks[0], leader, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
	least_ioctl(&least, least.tasks[0], leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
}

static void switch_all(void)
{
	tally_core_prctl(least.core, &least.tasks[0]->perf, TALLY_CORE_PRCTL_DISABLE);
	tally_core_prctl(least.core, &least.tasks[0]->perf, TALLY_CORE_PRCTL_ENABLE);
}

static void come_back(void)
{
	least_online(&least, 0);
}

/* The CPU goes offline at any point of an operation on its group. */
static void test_gone_meanwhile(void **state)
{
	static const struct {
		void (*fn)(void);
		uint64_t of_leader, of_member;
	} done[] = {{disable_leader, 1000, 70}, {close_leader, 0, 75},    {close_member, 1005, 0},
		    {reset_leader, 5, 75},      {enable_group, 1005, 75}, {switch_all, 1005, 75},
		    {read_leader, 1005, 75}};

	for (size_t i = 0; i < sizeof(done) / sizeof(done[0]); i++)
		gone_and(done[i].fn, done[i].of_leader, done[i].of_member);
}

/* The other CPU of the pair goes offline at any point of a migration, and comes back. No count is
 * lost. */
static void test_two_go(void **state)
{
	for (uint32_t at = 0;; at++) {
		begin_group();
		arm(go_other, at);
		go();
		least.at = NULL;
		if (!between.done)
			go_other();
		assert_int_equal(count_of(&least, leader), 1000);
		arm(come_back, at);
		least_online(&least, 1);
		least.at = NULL;
		count_on(0, COUNTER, 5);
		count_on(1, COUNTER, 5);
		assert_int_equal(count_of(&least, leader), 1005);
		assert_int_equal(count_of(&least, member), 70);
		least_end(&least);
		if (!between.done)
			break;
	}
	assert_true(between.nr > 3);
}

/* The PMU is unregistered at any point of a migration, and the other way round. The events are
 * revoked wherever they are. */
static void test_unregistered_meanwhile(void **state)
{
	for (uint32_t at = 0;; at++) {
		uint64_t value;

		begin_group();
		arm(at & 1 ? go : unregister, at / 2);
		(at & 1 ? unregister : go)();
		least.at = NULL;
		if (!between.done)
			(at & 1 ? go : unregister)();
		assert_int_equal(least_read(&least, leader, &value, sizeof(value)), 0);
		assert_int_equal(least_read(&least, member, &value, sizeof(value)), 0);
		least_end(&least);
		if (!between.done)
			break;
	}
	assert_true(between.nr > 3);
}

/* The last CPU of a pair goes offline, and the other one comes back first. */
static void test_package_gone(void **state)
{
	struct perf_event_attr attr = attr_uncore();

	begin();
	least_on(&least, 2);
	least_offline(&least, 1);
	leader = open_on(0, -1);
	member = open_on(0, leader);
	count_on(0, COUNTER, 1000);
	least_offline(&least, 0);
	assert_int_equal(open_on(0, -1), -ENODEV);
	/* Errors that do not depend on the CPU are reported first. */
	assert_int_equal(least_open(&least, least.tasks[0], &attr, sizeof(attr), 0, 0, -1, 0),
			 -EINVAL);
	assert_int_equal(count_of(&least, leader), 1000);
	least_online(&least, 1);
	count_on(1, COUNTER, 5);
	count_on(1, COUNTER + 1, 7);
	assert_int_equal(count_of(&least, leader), 1005);
	assert_int_equal(count_of(&least, member), 7);
	/* The CPU of the event is offline, but the designated CPU of its pair is online. */
	assert_true(open_on(0, -1) >= 0);
	least_end(&least);
}

/* An event that waits for a counter is enabled all the time, on any CPU. */
static void test_waiting(void **state)
{
	struct perf_event_attr attr = attr_uncore();
	uint64_t words[3], enabled = 0;
	int fd[3];

	begin();
	least_on(&least, 2);
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	for (int i = 0; i < 3; i++)
		fd[i] = must_open(&least, attr, NULL, 0, -1);
	for (int gone = 0; gone < 2; gone++) {
		least.now += 1000;
		if (gone)
			go();
		for (int i = 0; i < 3; i++) {
			assert_int_equal(least_read(&least, fd[i], words, sizeof(words)),
					 sizeof(words));
			assert_true(words[1] >= enabled + 1000 && words[2] <= words[1]);
		}
		enabled = words[1];
	}
	assert_true(words[2] < words[1]);
	least_end(&least);
}

/* CPU 1 was offline for a while, so its context time differs from that of CPU 0. */
static void the_times_of_an_event_that_moves_go_on(void **state)
{
	struct perf_event_attr attr = attr_uncore();
	uint64_t words[3];
	int fd;

	begin();
	least_offline(&least, 1);
	least_advance(&least, 5000);
	least_online(&least, 1);
	least_on(&least, 2);
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	fd = must_open(&least, attr, NULL, 0, -1);
	least_advance(&least, 1000);
	least_offline(&least, 0);
	least_advance(&least, 300);
	assert_int_equal(least_read(&least, fd, words, sizeof(words)), sizeof(words));
	assert_int_equal(words[1], 1300);
	assert_int_equal(words[2], 1300);
	least_online(&least, 0);
	least_end(&least);
}

/* Closing it leaves the CPU with one event. */
static void an_event_that_moved_to_a_cpu_is_one_of_its_events(void **state)
{
	struct perf_event_attr switches = attr_faults(0);
	int moved, fd;

	begin();
	moved = must_open(&least, attr_uncore(), NULL, 0, -1);
	least_on(&least, 2);
	least_offline(&least, 0);
	switches.config = PERF_COUNT_SW_CONTEXT_SWITCHES;
	fd = must_open(&least, switches, NULL, 1, -1);
	least_close(&least, moved);
	least_on(&least, 1);
	least_switch(&least, least_task_new(&least));
	least_switch(&least, NULL);
	assert_int_equal(count_of(&least, fd), 2);
	least_on(&least, 2);
	least_online(&least, 0);
	least_end(&least);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_designated),
		cmocka_unit_test(test_moves),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_opened_meanwhile),
		cmocka_unit_test(test_moved_meanwhile),
		cmocka_unit_test(test_gone_meanwhile),
		cmocka_unit_test(test_two_go),
		cmocka_unit_test(test_unregistered_meanwhile),
		cmocka_unit_test(test_package_gone),
		cmocka_unit_test(test_waiting),
		cmocka_unit_test(the_times_of_an_event_that_moves_go_on),
		cmocka_unit_test(an_event_that_moved_to_a_cpu_is_one_of_its_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
