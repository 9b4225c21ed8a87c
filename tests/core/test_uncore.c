/* SPDX-License-Identifier: BSD-2-Clause */
/* Test a PMU that counts for two CPUs. Its events are on the designated CPU, and migrate without
 * losing their counts. */
#include "core/mini_test.h"

enum { UNCORE = 11, NR_CPUS = 4, COUNTER = MINI_COUNTERS };

static struct mini mini;
static int32_t named[NR_CPUS / 2];
static int leader, member; /* descriptors of a group */

/* Return the designated CPU of a pair. A CPU remains designated while it is online. Afterwards, the
 * first online CPU of the pair is chosen. */
static int32_t cpu_of(struct tally_core_pmu *pmu, uint32_t cpu)
{
	int32_t *name = &named[cpu / 2];

	if (*name >= 0 && tally_core_cpu_is_online(mini.core, (uint32_t)*name))
		return *name;
	*name = -1;
	for (uint32_t i = cpu & ~1U; i < (cpu | 1) + 1 && *name < 0; i++) {
		if (tally_core_cpu_is_online(mini.core, i))
			*name = (int32_t)i;
	}
	return *name;
}

static void begin(void)
{
	named[0] = named[1] = -1;
	mini_test_begin(&mini, NR_CPUS, NULL);
	mini.pmus[1].cpu_of = cpu_of;
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

	return mini_open(&mini, mini.tasks[0], &attr, sizeof(attr), -1, cpu, group, 0);
}

static void count_on(uint32_t cpu, uint32_t counter, uint64_t nr)
{
	mini_on(&mini, cpu);
	mini_count(&mini, counter, nr);
	mini_on(&mini, 2);
}

/* An event that is opened on either CPU of the pair counts on the designated CPU. */
static void an_event_counts_on_the_designated_cpu(void **state)
{
	int fd;

	begin();
	fd = open_on(1, -1);
	assert_true(fd >= 0);
	count_on(0, COUNTER, 500);
	assert_int_equal(count_of(&mini, fd), 500);
	mini_end(&mini);
}

/* A group and a disabled event migrate. No count is lost or added twice. */
static void events_migrate_with_their_counts(void **state)
{
	int off;

	begin();
	leader = open_on(0, -1);
	member = open_on(1, leader);
	off = open_on(0, -1);
	assert_true(leader >= 0 && member >= 0 && off >= 0);
	assert_int_equal(mini_ioctl(&mini, mini.tasks[0], off, PERF_EVENT_IOC_DISABLE, 0), 0);
	count_on(0, COUNTER, 1000);
	count_on(0, COUNTER + 1, 70);
	mini_on(&mini, 2);
	tally_core_cpu_offline(mini.core, 0);
	assert_int_equal(named[0], 1);
	assert_int_equal(count_of(&mini, leader), 1000);
	count_on(1, COUNTER, 234);
	count_on(1, COUNTER + 1, 7);
	assert_int_equal(count_of(&mini, leader), 1234);
	assert_int_equal(count_of(&mini, member), 77);
	assert_int_equal(count_of(&mini, off), 0);
	/* A CPU is not designated again after coming back online. */
	assert_int_equal(tally_core_cpu_online(mini.core, 0), 0);
	count_on(1, COUNTER, 6);
	assert_int_equal(count_of(&mini, leader), 1240);
	mini_end(&mini);
}

/* Requests that would prevent events from migrating are rejected. */
static void events_that_cannot_migrate_are_rejected(void **state)
{
	struct perf_event_attr attr = attr_faults(0);
	struct tally_core_buffer *buffer;
	struct tally_core_pmu pmu;
	int fd;

	begin();
	fd = open_on(0, -1);
	assert_int_equal(mini_open(&mini, mini.tasks[0], &attr, sizeof(attr), -1, 0, fd, 0),
			 -EINVAL);
	assert_int_equal(mini_mmap(&mini, mini.tasks[0], fd, 4096, true, &buffer), -EINVAL);
	pmu = mini.pmus[1];
	pmu.type = 12;
	pmu.caps = TALLY_PMU_NO_INTERRUPT;
	assert_int_equal(tally_core_pmu_register(mini.core, &pmu), -EINVAL);
	mini_end(&mini);
}

/* ---- calls that overlap ------------------------------------------------------------------ */

/* Run a function once, at the nth point where a call can be interrupted. */
static struct {
	void (*fn)(void);
	uint32_t nr, at;
	bool busy, done;
} between;

static void interrupt_once(struct mini *host, enum mini_point point, const volatile void *what)
{
	if (point == MINI_AT_ATOMIC || between.busy || between.done || between.nr++ < between.at)
		return;
	between.busy = true;
	between.done = mini_overlap(host, between.fn);
	between.busy = false;
}

static void go_offline(void)
{
	mini_offline(&mini, 0);
}

static void other_goes_offline(void)
{
	mini_offline(&mini, 1);
}

static void unregister(void)
{
	while (tally_core_pmu_unregister(mini.core, &mini.pmus[1]) == -EBUSY)
		;
}

static void disable_leader(void)
{
	mini_ioctl(&mini, mini.tasks[0], leader, PERF_EVENT_IOC_DISABLE, 0);
}

static void close_leader(void)
{
	mini_close(&mini, leader);
}

static void close_member(void)
{
	mini_close(&mini, member);
}

static void read_leader(void)
{
	assert_int_equal(count_of(&mini, leader), 1000);
}

static void reset_leader(void)
{
	mini_ioctl(&mini, mini.tasks[0], leader, PERF_EVENT_IOC_RESET, 0);
}

static void arm(void (*fn)(void), uint32_t at)
{
	between.fn = fn;
	between.nr = 0;
	between.at = at;
	between.done = false;
	mini.at = interrupt_once;
}

/* The CPU goes offline at each possible point while a leader or a member is opened. The event
 * counts on the other CPU. */
static void a_cpu_goes_offline_during_an_open(void **state)
{
	for (int in_group = 0; in_group < 2; in_group++) {
		for (uint32_t at = 0;; at++) {
			int group, fd;

			begin();
			mini_on(&mini, 2);
			group = in_group ? open_on(0, -1) : -1;
			arm(go_offline, at);
			fd = open_on(1, group);
			mini.at = NULL;
			assert_true(fd >= 0);
			if (!between.done)
				go_offline();
			count_on(1, COUNTER, 3);
			count_on(1, COUNTER + 1, 3);
			assert_int_equal(count_of(&mini, fd), 3);
			mini_end(&mini);
			if (!between.done)
				break;
		}
		assert_true(between.nr > 3);
	}
}

static void begin_group(void)
{
	begin();
	mini_on(&mini, 2);
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
		assert_int_equal(count_of(&mini, leader), of_leader);
	if (fn != close_member)
		assert_int_equal(count_of(&mini, member), of_member);
	mini_end(&mini);
}

/* An operation that overlaps a group's migration affects the whole group, either before or after
 * the migration. */
static void run_overlapping(void (*first)(void), void (*meanwhile)(void), void (*fn)(void),
			    uint64_t of_leader, uint64_t of_member)
{
	for (uint32_t at = 0;; at++) {
		begin_group();
		arm(meanwhile, at);
		first();
		mini.at = NULL;
		if (!between.done)
			meanwhile();
		expect_group(fn, of_leader, of_member);
		if (!between.done)
			break;
	}
	assert_true(between.nr > 3);
}

static void during_migration(void (*fn)(void), uint64_t of_leader, uint64_t of_member)
{
	run_overlapping(go_offline, fn, fn, of_leader, of_member);
}

static void offline_during(void (*fn)(void), uint64_t of_leader, uint64_t of_member)
{
	run_overlapping(fn, go_offline, fn, of_leader, of_member);
}

static void operations_during_a_migration_affect_the_whole_group(void **state)
{
	during_migration(disable_leader, 1000, 70);
	during_migration(close_leader, 0, 75);
	during_migration(close_member, 1005, 0);
	during_migration(read_leader, 1005, 75);
	during_migration(reset_leader, 5, 75);
}

static void enable_group(void)
{
	mini_ioctl(&mini, mini.tasks[0], leader, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
	mini_ioctl(&mini, mini.tasks[0], leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
}

static void switch_all(void)
{
	tally_core_prctl(mini.core, &mini.tasks[0]->perf, TALLY_CORE_PRCTL_DISABLE);
	tally_core_prctl(mini.core, &mini.tasks[0]->perf, TALLY_CORE_PRCTL_ENABLE);
}

static void come_back(void)
{
	mini_online(&mini, 0);
}

/* The CPU goes offline at each possible point of an operation on its group. */
static void a_cpu_goes_offline_during_an_operation(void **state)
{
	static const struct {
		void (*fn)(void);
		uint64_t of_leader, of_member;
	} done[] = {{disable_leader, 1000, 70}, {close_leader, 0, 75},    {close_member, 1005, 0},
		    {reset_leader, 5, 75},      {enable_group, 1005, 75}, {switch_all, 1005, 75},
		    {read_leader, 1005, 75}};

	for (size_t i = 0; i < sizeof(done) / sizeof(done[0]); i++)
		offline_during(done[i].fn, done[i].of_leader, done[i].of_member);
}

/* The other CPU of the pair goes offline at each possible point of a migration, and comes back
 * later. No count is lost. */
static void the_other_cpu_goes_offline_during_a_migration(void **state)
{
	for (uint32_t at = 0;; at++) {
		begin_group();
		arm(other_goes_offline, at);
		go_offline();
		mini.at = NULL;
		if (!between.done)
			other_goes_offline();
		assert_int_equal(count_of(&mini, leader), 1000);
		arm(come_back, at);
		mini_online(&mini, 1);
		mini.at = NULL;
		count_on(0, COUNTER, 5);
		count_on(1, COUNTER, 5);
		assert_int_equal(count_of(&mini, leader), 1005);
		assert_int_equal(count_of(&mini, member), 70);
		mini_end(&mini);
		if (!between.done)
			break;
	}
	assert_true(between.nr > 3);
}

/* Either the PMU is unregistered at each possible point of a migration, or the CPU goes offline at
 * each possible point of the unregistration. The events must be revoked wherever they are. */
static void a_pmu_is_unregistered_during_a_migration(void **state)
{
	for (uint32_t at = 0;; at++) {
		uint64_t value;

		begin_group();
		arm(at & 1 ? go_offline : unregister, at / 2);
		(at & 1 ? unregister : go_offline)();
		mini.at = NULL;
		if (!between.done)
			(at & 1 ? go_offline : unregister)();
		assert_int_equal(mini_read(&mini, leader, &value, sizeof(value)), 0);
		assert_int_equal(mini_read(&mini, member, &value, sizeof(value)), 0);
		mini_end(&mini);
		if (!between.done)
			break;
	}
	assert_true(between.nr > 3);
}

/* The last online CPU of a pair goes offline, and the other CPU comes back first. */
static void events_wait_until_a_cpu_of_the_pair_returns(void **state)
{
	struct perf_event_attr attr = attr_uncore();

	begin();
	mini_on(&mini, 2);
	mini_offline(&mini, 1);
	leader = open_on(0, -1);
	member = open_on(0, leader);
	count_on(0, COUNTER, 1000);
	mini_offline(&mini, 0);
	assert_int_equal(open_on(0, -1), -ENODEV);
	/* Errors that do not depend on the CPU are reported first. */
	assert_int_equal(mini_open(&mini, mini.tasks[0], &attr, sizeof(attr), 0, 0, -1, 0),
			 -EINVAL);
	assert_int_equal(count_of(&mini, leader), 1000);
	mini_online(&mini, 1);
	count_on(1, COUNTER, 5);
	count_on(1, COUNTER + 1, 7);
	assert_int_equal(count_of(&mini, leader), 1005);
	assert_int_equal(count_of(&mini, member), 7);
	/* The requested CPU is offline, but the designated CPU of its pair is online. */
	assert_true(open_on(0, -1) >= 0);
	mini_end(&mini);
}

/* An event that is waiting for a counter counts as enabled on either CPU. */
static void a_waiting_event_stays_enabled(void **state)
{
	struct perf_event_attr attr = attr_uncore();
	uint64_t words[3], enabled = 0;
	int fd[3];

	begin();
	mini_on(&mini, 2);
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	for (int i = 0; i < 3; i++)
		fd[i] = must_open(&mini, attr, NULL, 0, -1);
	for (int gone = 0; gone < 2; gone++) {
		mini.now += 1000;
		if (gone)
			go_offline();
		for (int i = 0; i < 3; i++) {
			assert_int_equal(mini_read(&mini, fd[i], words, sizeof(words)),
					 sizeof(words));
			assert_true(words[1] >= enabled + 1000 && words[2] <= words[1]);
		}
		enabled = words[1];
	}
	assert_true(words[2] < words[1]);
	mini_end(&mini);
}

/* CPU 1 was offline for a while, so the context times of CPU 0 and CPU 1 differ. */
static void the_times_of_an_event_that_moves_go_on(void **state)
{
	struct perf_event_attr attr = attr_uncore();
	uint64_t words[3];
	int fd;

	begin();
	mini_offline(&mini, 1);
	mini_advance(&mini, 5000);
	mini_online(&mini, 1);
	mini_on(&mini, 2);
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	fd = must_open(&mini, attr, NULL, 0, -1);
	mini_advance(&mini, 1000);
	mini_offline(&mini, 0);
	mini_advance(&mini, 300);
	assert_int_equal(mini_read(&mini, fd, words, sizeof(words)), sizeof(words));
	assert_int_equal(words[1], 1300);
	assert_int_equal(words[2], 1300);
	mini_online(&mini, 0);
	mini_end(&mini);
}

/* After the moved event is closed, the CPU still has one event. */
static void an_event_that_moved_to_a_cpu_is_one_of_its_events(void **state)
{
	struct perf_event_attr switches = attr_faults(0);
	int moved, fd;

	begin();
	moved = must_open(&mini, attr_uncore(), NULL, 0, -1);
	mini_on(&mini, 2);
	mini_offline(&mini, 0);
	switches.config = PERF_COUNT_SW_CONTEXT_SWITCHES;
	fd = must_open(&mini, switches, NULL, 1, -1);
	mini_close(&mini, moved);
	mini_on(&mini, 1);
	mini_switch(&mini, mini_task_new(&mini));
	mini_switch(&mini, NULL);
	assert_int_equal(count_of(&mini, fd), 2);
	mini_on(&mini, 2);
	mini_online(&mini, 0);
	mini_end(&mini);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_event_counts_on_the_designated_cpu),
		cmocka_unit_test(events_migrate_with_their_counts),
		cmocka_unit_test(events_that_cannot_migrate_are_rejected),
		cmocka_unit_test(a_cpu_goes_offline_during_an_open),
		cmocka_unit_test(operations_during_a_migration_affect_the_whole_group),
		cmocka_unit_test(a_cpu_goes_offline_during_an_operation),
		cmocka_unit_test(the_other_cpu_goes_offline_during_a_migration),
		cmocka_unit_test(a_pmu_is_unregistered_during_a_migration),
		cmocka_unit_test(events_wait_until_a_cpu_of_the_pair_returns),
		cmocka_unit_test(a_waiting_event_stays_enabled),
		cmocka_unit_test(the_times_of_an_event_that_moves_go_on),
		cmocka_unit_test(an_event_that_moved_to_a_cpu_is_one_of_its_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
