/* SPDX-License-Identifier: BSD-2-Clause */
/* Inheritance: at any time, an event's count must equal the truth for the whole task tree. */
#include "../random.h"
#include "scripts.h"

enum { NR_SIGNALS = 3 };

static const struct tally_sim_step leaf[] = {
	SIM_RUN(SIM_USER, 90 * US, &harness_busy), SIM_SLEEP(40 * US),
	SIM_RUN(SIM_KERNEL, 30 * US, &harness_calm), SIM_EXIT()};
static const struct tally_sim_step twig[] = {
	SIM_RUN(SIM_USER, 11 * US, &harness_busy),  SIM_FORK_TO(leaf, 1), SIM_CLONE(leaf),
	SIM_RUN(SIM_USER, 200 * US, &harness_calm), SIM_FORK(leaf),       SIM_EXIT()};
static const struct tally_sim_step branch[] = {SIM_FORK_TO(twig, 2),
					       SIM_RUN(SIM_USER, 50 * US, &harness_busy),
					       SIM_MIGRATE(1),
					       SIM_CLONE(twig),
					       SIM_RUN(SIM_KERNEL, 20 * US, &harness_busy),
					       SIM_FORK(leaf),
					       SIM_EXIT()};
/* Some of this task's children outlive it, and some exit earlier. */
static const struct tally_sim_step tree[] = {SIM_LOOP(6),
					     SIM_RUN(SIM_USER, 100 * US, &harness_busy),
					     SIM_FORK_TO(branch, 1),
					     SIM_CLONE(leaf),
					     SIM_RUN(SIM_USER, 70 * US, &harness_calm),
					     SIM_END_LOOP(),
					     SIM_FORK_TO(branch, 0),
					     SIM_EXIT()};

static struct perf_event_attr attr_inherit(unsigned signal)
{
	struct perf_event_attr attr = attr_hw(signal);

	attr.inherit = 1;
	return attr;
}

/* Read the events continuously. Each read must return the true count at that time. */
static void reads_equal_the_truth_of_the_tree(void **state)
{
	struct tally_sim_config config = {
		.pmus = &harness_pmu, .nr_pmus = 1, .quantum_ns = 50 * US};
	struct harness harness;
	struct tally_sim_task *task;
	int fds[NR_SIGNALS];

	harness_begin(&harness, 3, &config);
	task = harness_spawn(&harness, tree, 0);
	for (unsigned i = 0; i < NR_SIGNALS; i++)
		fds[i] = harness_open(&harness, attr_inherit(i), task, -1, -1);
	for (unsigned i = 0; i < 1000; i++) {
		tally_sim_run(harness.sim, 13337);
		for (unsigned j = 0; j < NR_SIGNALS; j++) {
			struct reading reading = harness_read(&harness, fds[j]);

			assert_int_equal(reading.value, truth_tree(&harness, task, j));
			assert_int_equal(reading.enabled, truth_tree(&harness, task, SIM_NS));
			assert_int_equal(reading.running, reading.enabled);
		}
	}
	for (size_t i = 1; tally_sim_task_at(harness.sim, i); i++)
		assert_true(tally_sim_task_exited(tally_sim_task_at(harness.sim, i)));
	harness_end(&harness);
}

/* Enable and disable events at random times. Only what the tree does while an event is enabled is
 * counted. */
static void only_enabled_time_of_the_tree_is_counted(void **state)
{
	struct random random = random_start();
	struct harness harness;
	struct tally_sim_task *task;
	uint64_t count = 0, ns = 0, since[2] = {0};
	struct reading reading;
	bool on = true;
	int fd;

	harness_begin(&harness, 3, NULL);
	task = harness_spawn(&harness, tree, 0);
	fd = harness_open(&harness, attr_inherit(SIM_CYCLES), task, -1, -1);
	for (unsigned i = 0; i < 600; i++) {
		uint64_t now[2];

		tally_sim_run(harness.sim, random_below(&random, 20 * US));
		now[0] = truth_tree(&harness, task, SIM_CYCLES);
		now[1] = truth_tree(&harness, task, SIM_NS);
		count += on ? now[0] - since[0] : 0;
		ns += on ? now[1] - since[1] : 0;
		memcpy(since, now, sizeof(since));
		if (random_below(&random, 2)) {
			on = !on;
			(on ? harness_enable : harness_disable)(&harness, fd);
		}
		reading = harness_read(&harness, fd);
		assert_int_equal(reading.value, count);
		assert_int_equal(reading.enabled, ns);
	}
	harness_end(&harness);
}

/* Close some events while the tree is running. The other events must not be affected. */
static void closing_an_event_does_not_affect_the_others(void **state)
{
	struct random random = random_start();

	for (unsigned round = 0; round < 30; round++) {
		struct harness harness;
		struct tally_sim_task *task;
		int fds[6];

		harness_begin(&harness, 3, NULL);
		task = harness_spawn(&harness, tree, 0);
		for (unsigned i = 0; i < 6; i++)
			fds[i] = harness_open(&harness, attr_inherit(i % NR_SIGNALS), task, -1,
					      i % 3 == 1 ? fds[i - 1] : -1);
		while (!tally_sim_task_exited(task)) {
			unsigned i = (unsigned)random_below(&random, 6);

			tally_sim_run(harness.sim, random_below(&random, 200 * US));
			if (fds[i] >= 0)
				harness_close(&harness, fds[i]);
			fds[i] = -1;
			for (i = 0; i < 6; i++)
				if (fds[i] >= 0)
					assert_true(harness_value(&harness, fds[i]) <=
						    truth_tree(&harness, task, i % NR_SIGNALS));
		}
		harness_end(&harness);
	}
}

/* A group is inherited and read as a whole. */
static void groups_are_inherited_as_a_whole(void **state)
{
	struct harness harness;
	struct tally_sim_task *task;
	struct reading values[16];
	int leader = -1;

	harness_begin(&harness, 3, NULL);
	task = harness_spawn(&harness, tree, 0);
	for (unsigned i = 0; i < NR_SIGNALS; i++) {
		struct perf_event_attr attr = attr_inherit(i);
		int fd;

		attr.read_format |= PERF_FORMAT_GROUP;
		fd = harness_open(&harness, attr, task, -1, leader);
		leader = leader < 0 ? fd : leader;
	}
	for (unsigned i = 0; i < 300; i++) {
		tally_sim_run(harness.sim, 29 * US);
		assert_int_equal(harness_read_group(&harness, leader, values), NR_SIGNALS);
		for (unsigned j = 0; j < NR_SIGNALS; j++)
			assert_int_equal(values[j].value, truth_tree(&harness, task, j));
	}
	harness_end(&harness);
}

/* With inherit_thread, threads are counted, while forked processes are not. Without inherit, only
 * the task itself is counted. */
static void inherit_thread_counts_only_threads(void **state)
{
	static const struct tally_sim_step both[] = {SIM_CLONE(leaf), SIM_FORK(leaf),
						     SIM_RUN(SIM_USER, 500 * US, &harness_busy),
						     SIM_EXIT()};
	struct perf_event_attr attr = attr_inherit(SIM_CYCLES);
	struct harness harness;
	struct tally_sim_task *task;
	uint64_t thread;
	int fd, alone;

	attr.inherit_thread = 1;
	harness_begin(&harness, 1, NULL);
	task = harness_spawn(&harness, both, 0);
	fd = harness_open(&harness, attr, task, -1, -1);
	alone = harness_open(&harness, attr_hw(SIM_CYCLES), task, -1, -1);
	tally_sim_run(harness.sim, 5 * MS);
	thread = truth(&harness, tally_sim_task_at(harness.sim, 2), 0, SIM_CYCLES);
	assert_true(thread > 0);
	assert_int_equal(harness_value(&harness, fd),
			 truth(&harness, task, 0, SIM_CYCLES) + thread);
	assert_int_equal(harness_value(&harness, alone), truth(&harness, task, 0, SIM_CYCLES));
	harness_end(&harness);
}

/* If a CPU is given, only the tree's activity on that CPU is counted. */
static void an_inherited_event_on_a_cpu_counts_only_there(void **state)
{
	struct harness harness;
	struct tally_sim_task *task;
	int fd;

	harness_begin(&harness, 3, NULL);
	task = harness_spawn(&harness, tree, 0);
	fd = harness_open(&harness, attr_inherit(SIM_INSTRUCTIONS), task, 1, -1);
	for (unsigned i = 0; i < 100; i++) {
		struct tally_sim_filter there = {.task = task, .tree = true, .cpus = 1 << 1};

		tally_sim_run(harness.sim, 50 * US);
		assert_int_equal(harness_value(&harness, fd),
				 tally_sim_truth(harness.sim, there, SIM_INSTRUCTIONS));
	}
	harness_end(&harness);
}

/* With inherit_stat, a task writes a READ record with its own count when it exits or when its CPU
 * switches to a clone. The counts add up to the total. */
static void read_records_of_children_add_up(void **state)
{
	struct perf_event_attr attr = attr_inherit(SIM_CYCLES);
	struct harness harness;
	struct tally_sim_task *task;
	struct tally_ring *ring;
	const struct perf_event_header *header;
	uint64_t seen = 0, reads = 0;
	int fd;

	attr.inherit_stat = 1;
	attr.read_format = 0;
	attr.sample_type = PERF_SAMPLE_TID;
	harness_begin(&harness, 3, NULL);
	task = harness_spawn(&harness, tree, 0);
	fd = harness_open(&harness, attr, task, 0, -1);
	ring = harness_map(&harness, fd, 64);
	tally_sim_run(harness.sim, 50 * MS);
	while ((header = tally_ring_next(ring))) {
		uint32_t ids[2];
		uint64_t value;

		if (header->type != PERF_RECORD_READ)
			continue;
		memcpy(ids, header + 1, sizeof(ids));
		memcpy(&value, (const char *)(header + 1) + 8, sizeof(value));
		for (size_t i = 0; tally_sim_task_at(harness.sim, i); i++) {
			struct tally_sim_task *who = tally_sim_task_at(harness.sim, i);
			struct tally_sim_filter here = {.task = who, .cpus = 1};

			if (tally_sim_task_tid(who) == (int32_t)ids[1])
				assert_int_equal(value,
						 tally_sim_truth(harness.sim, here, SIM_CYCLES));
		}
		seen += value;
		reads++;
	}
	tally_ring_consume(ring);
	assert_true(reads > 20);
	assert_true(seen <= harness_value(&harness, fd));
	tally_ring_unmap(ring);
	harness_end(&harness);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_equal_the_truth_of_the_tree),
		cmocka_unit_test(only_enabled_time_of_the_tree_is_counted),
		cmocka_unit_test(closing_an_event_does_not_affect_the_others),
		cmocka_unit_test(groups_are_inherited_as_a_whole),
		cmocka_unit_test(inherit_thread_counts_only_threads),
		cmocka_unit_test(an_inherited_event_on_a_cpu_counts_only_there),
		cmocka_unit_test(read_records_of_children_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
