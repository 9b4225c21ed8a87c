/* SPDX-License-Identifier: BSD-2-Clause */
/* Violations of the host.h contract, which the machine must report. Also tests memory, descriptors
 * and mappings. */
#include <string.h>

#include "test_machine.h"

static const struct tally_sim_pmu pmu = {
	.name = "cpu", .type = 6, .core = true, .nr_generic = 4, .width = 48};
static const struct tally_sim_config config = {.nr_cpus = 2, .pmus = &pmu, .nr_pmus = 1};

static int open_cycles(struct tally_sim *sim, struct tally_sim_task *task, unsigned long flags)
{
	struct perf_event_attr attr = {.size = sizeof(attr)};
	int fd = tally_sim_open(sim, task, &attr, 0, -1, -1, flags);

	assert_true(fd >= 0);
	return fd;
}

static void note_violation(void *arg, const char *what)
{
	if (!*(const char **)arg)
		*(const char **)arg = what;
}

static void violations_are_reported(void **state)
{
	static const struct {
		enum fake_violation sin;
		const char *what; /* part of the message, or NULL if there is no violation */
	} rows[] = {
		{FAKE_ALLOC_IN_HOOK, "memory allocated"},
		{FAKE_LOCK_IN_HOOK, "lock taken with interrupts off"},
		{FAKE_LEAVE_OFF, "changed the interrupt state"},
		{FAKE_CALL_UNLOCKED, "call()"},
		{FAKE_COPY_IN_HOOK, "user memory"},
		{FAKE_NOTIFY, NULL},
		{FAKE_DEFER, NULL},
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *what = NULL;
		struct tally_sim_config strict = config;
		struct tally_sim *sim;

		strict.violated = note_violation;
		strict.violated_arg = &what;
		sim = machine(&strict);
		tally_sim_core(sim)->sin = rows[i].sin;
		tally_sim_run(sim, 5 * MS);
		if (rows[i].what)
			assert_non_null(strstr(what, rows[i].what));
		else
			assert_null(what);
		assert_int_equal(tally_sim_destroy(sim), 0);
	}
}

/* Deferred work runs at the same simulated time as its hook, but after the hook returns. */
static void deferred_work_runs_after_the_hook(void **state)
{
	struct tally_sim *sim = machine(&config);

	tally_sim_core(sim)->sin = FAKE_DEFER;
	tally_sim_run(sim, 5 * MS);
	assert_int_equal(fake_calls(tally_sim_core(sim), FAKE_DEFERRED), 1);
	assert_int_equal(fake_call(tally_sim_core(sim), FAKE_DEFERRED, 0)->time, 4 * MS);
	machine_end(sim);
}

static void test_failures(void **state)
{
	struct perf_event_attr attr = {.size = sizeof(attr)};
	struct tally_sim *sim = machine(&config);
	struct tally_sim_task *task = spawn(sim, NULL, 0);
	uint64_t count;
	int fd;

	tally_sim_fail_alloc(sim, 1);
	assert_int_equal(tally_sim_open(sim, task, &attr, 0, -1, -1, 0), -ENOMEM);
	assert_int_equal(tally_sim_allocated_bytes(sim), 0);
	fd = open_cycles(sim, task, 0);
	assert_int_equal(tally_sim_allocated_bytes(sim), sizeof(struct tally_core_event));
	tally_sim_fail_copy(sim, &count, sizeof(count));
	assert_int_equal(tally_sim_read(sim, task, fd, &count, sizeof(count)), -EFAULT);
	tally_sim_fail_copy(sim, NULL, 0);
	assert_int_equal(tally_sim_read(sim, task, fd, &count, sizeof(count)), 8);
	assert_int_equal(tally_sim_open(sim, task, NULL, 0, -1, -1, 0), -EFAULT);
	assert_int_equal(tally_sim_close(sim, task, fd + 1), -EBADF);
	assert_int_equal(tally_sim_read(sim, task, -1, &count, 8), -EBADF);
	machine_end(sim);
}

/* An event exists as long as it has a descriptor or a mapping. Forks inherit descriptors, but not
 * mappings. */
static void an_event_lives_as_long_as_a_descriptor_or_mapping(void **state)
{
	static const struct tally_sim_step quiet[] = {SIM_SLEEP(MS), SIM_EXIT()};
	static const struct tally_sim_step steps[] = {SIM_FORK(quiet), SIM_EXEC("other")};
	struct tally_sim *sim = machine(&config);
	struct tally_core *core = tally_sim_core(sim);
	struct tally_sim_task *task = spawn(sim, NULL, 0), *child;
	int fd = open_cycles(sim, task, 0), kept = open_cycles(sim, task, 0),
	    closed = open_cycles(sim, task, PERF_FLAG_FD_CLOEXEC), copy;
	void *memory;

	assert_int_equal(tally_sim_mmap(sim, task, fd, 3 * 4096, 0, true, &memory), 0);
	copy = tally_sim_dup(sim, task, fd);
	assert_int_equal(tally_sim_close(sim, task, fd), 0);
	assert_int_equal(tally_sim_close(sim, task, copy), 0);
	assert_int_equal(fake_calls(core, FAKE_CLOSE), 0);
	assert_int_equal(tally_sim_munmap(sim, task, memory), 0);
	assert_int_equal(fake_calls(core, FAKE_CLOSE), 1);
	assert_int_equal(tally_sim_execute(sim, task, &steps[0]), 0);
	child = tally_sim_task_at(sim, 1);
	assert_ptr_equal(tally_sim_event(sim, child, kept), tally_sim_event(sim, task, kept));
	assert_int_equal(tally_sim_close(sim, task, kept), 0);
	assert_int_equal(fake_calls(core, FAKE_CLOSE), 1);
	assert_true(tally_sim_run_until_exit(sim, child, 2 * MS));
	assert_int_equal(fake_calls(core, FAKE_CLOSE), 2);
	assert_int_equal(tally_sim_execute(sim, task, &steps[1]), 0);
	assert_int_equal(fake_calls(core, FAKE_CLOSE), 3);
	assert_null(tally_sim_event(sim, task, closed));
	machine_end(sim);
}

static void test_notifications(void **state)
{
	struct tally_sim *sim = machine(&config);
	struct tally_sim_task *task = spawn(sim, NULL, 0);
	int fd = open_cycles(sim, task, 0);

	assert_int_equal(tally_sim_ioctl(sim, task, fd, 0, 0), 0);
	assert_int_equal(tally_sim_set_async(sim, task, fd), 0);
	assert_int_equal(tally_sim_ioctl(sim, task, fd, 0, 0), 0);
	assert_int_equal(tally_sim_notifications(sim, task, fd).in, 2);
	assert_int_equal(tally_sim_task_signals(task).async, 1);
	machine_end(sim);
}

/* Contiguous and scattered pages look the same to user space. */
static void scattered_pages_look_contiguous(void **state)
{
	for (unsigned scattered = 0; scattered < 2; scattered++) {
		struct tally_sim *sim = machine(&config);
		struct tally_sim_task *task = spawn(sim, NULL, 0);
		int fd = open_cycles(sim, task, 0);
		uint8_t *memory;

		tally_core_settings(tally_sim_core(sim))->scattered = scattered;
		assert_int_equal(tally_sim_mmap(sim, task, fd, 9 * 4096, 0, true, (void **)&memory),
				 0);
		for (size_t i = 0; i < 9 * 4096; i++)
			assert_int_equal(memory[i], i / 4096 + 1);
		assert_int_equal(tally_sim_allocated_pages(sim), 9);
		assert_int_equal(tally_sim_munmap(sim, task, memory), 0);
		assert_int_equal(tally_sim_allocated_pages(sim), 0);
		machine_end(sim);
	}
}

/* If operations have a cost, time passes inside the core, and interrupts occur there. */
static void operations_with_a_cost_are_interrupted(void **state)
{
	static const struct tally_sim_rates fast = {.per_ms = {[SIM_CYCLES] = 4000000}};
	static const struct tally_sim_step script[] = {SIM_RUN(SIM_USER, MS, &fast), SIM_EXIT()};
	struct tally_sim_config slow = config;
	struct tally_sim *sim;
	struct tally_sim_task *task;
	struct perf_event_attr attr = {.size = sizeof(attr), .sample_period = 1000};
	uint64_t count = 0;
	int fd;

	slow.op_cost_ns = 10;
	sim = machine(&slow);
	task = spawn(sim, script, 0);
	tally_sim_run(sim, 1);
	fd = tally_sim_open(sim, task, &attr, 0, 0, -1, 0);
	for (unsigned i = 0; i < 1000; i++)
		assert_int_equal(tally_sim_read(sim, task, fd, &count, sizeof(count)), 8);
	assert_true(tally_sim_now(sim) >= 20000);
	assert_true(tally_sim_event(sim, task, fd)->overflows >= 70);
	assert_true(count <= truth_of(sim, task, SIM_CYCLES));
	machine_end(sim);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(violations_are_reported),
		cmocka_unit_test(deferred_work_runs_after_the_hook),
		cmocka_unit_test(test_failures),
		cmocka_unit_test(an_event_lives_as_long_as_a_descriptor_or_mapping),
		cmocka_unit_test(test_notifications),
		cmocka_unit_test(scattered_pages_look_contiguous),
		cmocka_unit_test(operations_with_a_cost_are_interrupted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
