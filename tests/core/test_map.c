/* SPDX-License-Identifier: BSD-2-Clause */
/* Ring buffer mappings: permissions, sizes and output redirection. Each test runs with contiguous
 * and with scattered pages. */
#include "test_rings.h"

/* Redirect several events to one ring, where records must be in time order, and then back to their
 * own rings. */
static void output_is_redirected_in_time_order(void **state)
{
	struct perf_event_attr attr = attr_ring(10007);
	struct harness harness;
	struct tally_sim_task *task;
	struct tally_ring *ring;
	struct record record;
	uint64_t seen[3] = {0}, last = 0, ids[3];
	int fds[3];

	attr.sample_type |= PERF_SAMPLE_IDENTIFIER;
	ring_begin(&harness, 1, *state);
	task = harness_spawn(&harness, script_worker, 0);
	for (unsigned i = 0; i < 3; i++) {
		attr.config = i;
		fds[i] = harness_open(&harness, attr, task, 0, -1);
		ids[i] = harness_id(&harness, fds[i]);
	}
	ring = harness_map(&harness, fds[0], 64);
	harness_ioctl(&harness, fds[1], PERF_EVENT_IOC_SET_OUTPUT, (uintptr_t)fds[0]);
	harness_ioctl(&harness, fds[2], PERF_EVENT_IOC_SET_OUTPUT, (uintptr_t)fds[0]);
	tally_sim_run(harness.sim, 3 * MS);
	harness_ioctl(&harness, fds[2], PERF_EVENT_IOC_SET_OUTPUT, (uintptr_t)-1);
	while (harness_record(ring, &attr, &record)) {
		assert_true(record.sample.time >= last);
		last = record.sample.time;
		for (unsigned i = 0; i < 3; i++)
			seen[i] += record.sample.identifier == ids[i];
	}
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(seen[i], truth(&harness, task, 0, i) / 10007);
	tally_sim_run(harness.sim, MS);
	while (harness_record(ring, &attr, &record))
		assert_true(record.sample.identifier != ids[2]);
	tally_ring_unmap(ring);
	harness_end(&harness);
}

static void set_output_to(struct harness *harness, int from, int to, int expected)
{
	assert_int_equal(tally_sim_ioctl(harness->sim, harness->observer, from,
					 PERF_EVENT_IOC_SET_OUTPUT, (uintptr_t)to),
			 expected);
}

/* Check that invalid redirections are rejected. */
static void invalid_redirections_are_rejected(void **state)
{
	struct perf_event_attr attr = attr_ring(10007), back = attr, clocked = attr;
	struct harness harness;
	struct tally_sim_task *task;
	struct tally_ring *ring;
	int fds[6];

	back.write_backward = 1;
	clocked.use_clockid = 1;
	clocked.clockid = 1;
	ring_begin(&harness, 2, *state);
	task = harness_spawn(&harness, script_worker, 0);
	fds[0] = harness_open(&harness, attr, task, 0, -1);
	fds[1] = harness_open(&harness, attr, task, 1, -1);
	fds[2] = harness_open(&harness, back, task, 0, -1);
	fds[3] = harness_open(&harness, clocked, task, 0, -1);
	fds[4] = harness_open(&harness, attr, NULL, 0, -1);
	fds[5] = tally_sim_open_other(harness.sim, harness.observer);
	set_output_to(&harness, fds[0], fds[1], -EINVAL);
	set_output_to(&harness, fds[0], fds[0], -EINVAL);
	set_output_to(&harness, fds[0], fds[2], -EINVAL);
	set_output_to(&harness, fds[0], fds[3], -EINVAL);
	set_output_to(&harness, fds[0], fds[5], -EBADF);
	set_output_to(&harness, fds[0], 999, -EBADF);
	set_output_to(&harness, fds[0], fds[4], -EINVAL); /* has no ring */
	ring = harness_map(&harness, fds[4], 1);
	set_output_to(&harness, fds[0], fds[4], 0);
	set_output_to(&harness, fds[4], fds[0], -EINVAL);
	tally_ring_unmap(ring);
	harness_end(&harness);
}

/* Invalid lengths are rejected. Locked memory is charged to the user's per-CPU allowance first, and
 * then to the process's RLIMIT_MEMLOCK. */
static void mmap_checks_length_and_locked_memory(void **state)
{
	static const size_t bad[] = {0, 4, 6, 7, 8, 10};
	struct perf_event_attr attr = attr_ring(100000);
	struct harness harness;
	struct tally_sim_task *task;
	void *memory, *more;
	int fd, other;

	attr.exclude_kernel = attr.exclude_hv = 1;
	ring_begin(&harness, 1, *state);
	tally_core_settings(tally_sim_core(harness.sim))->mlock_kb = 24; /* 12 pages for 2 CPUs */
	task = harness_spawn(&harness, script_hog, 0);
	fd = harness_try(&harness, task, attr, 0, -1, -1);
	other = harness_try(&harness, task, attr, 0, -1, -1);
	assert_true(fd >= 0 && other >= 0);
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(
			tally_sim_mmap(harness.sim, task, fd, bad[i] * 4096, 0, true, &memory),
			-EINVAL);
	assert_int_equal(tally_sim_mmap(harness.sim, task, fd, 9 * 4096, 1, true, &memory),
			 -EINVAL);
	assert_int_equal(tally_sim_mmap(harness.sim, task, fd, 17 * 4096, 0, true, &memory),
			 -EPERM);
	assert_string_not_equal(tally_sim_refusal(harness.sim)->rule, "");
	assert_int_equal(tally_sim_mmap(harness.sim, task, fd, 9 * 4096, 0, true, &memory), 0);
	assert_int_equal(tally_sim_mmap(harness.sim, task, fd, 5 * 4096, 0, true, &more), -EINVAL);
	assert_int_equal(tally_sim_mmap(harness.sim, task, fd, 9 * 4096, 0, true, &more), 0);
	/* 3 pages of the allowance remain; the other pages are charged to RLIMIT_MEMLOCK. */
	assert_int_equal(tally_sim_mmap(harness.sim, task, other, 5 * 4096, 0, true, &more),
			 -EPERM);
	tally_sim_task_set_memlock(task, 4096);
	assert_int_equal(tally_sim_mmap(harness.sim, task, other, 5 * 4096, 0, true, &more),
			 -EPERM);
	tally_sim_task_set_memlock(task, 2 * 4096);
	assert_int_equal(tally_sim_mmap(harness.sim, task, other, 5 * 4096, 0, true, &more), 0);
	/* Unmapping returns pages to the allowance. */
	assert_int_equal(tally_sim_munmap(harness.sim, task, more), 0);
	assert_int_equal(tally_sim_mmap(harness.sim, task, other, 5 * 4096, 0, true, &more), 0);
	assert_int_equal(tally_sim_munmap(harness.sim, task, more), 0);
	tally_sim_task_set_memlock(task, 0);
	tally_sim_task_set_caps(task, 1ull << TALLY_CORE_CAP_IPC_LOCK);
	assert_int_equal(tally_sim_mmap(harness.sim, task, other, 65 * 4096, 0, true, &more), 0);
	harness_end(&harness);
}

/* Make each allocation in mmap fail once. */
static void a_failed_mmap_leaks_nothing(void **state)
{
	struct perf_event_attr attr = attr_ring(100000);
	struct harness harness;
	struct tally_sim_task *task;
	size_t bytes, pages;
	void *memory;
	int fd, ret;

	ring_begin(&harness, 1, *state);
	task = harness_spawn(&harness, script_hog, 0);
	fd = harness_open(&harness, attr, task, -1, -1);
	/* The CPUs' scratch memory stays allocated, so allocate it first. */
	assert_int_equal(
		tally_sim_mmap(harness.sim, harness.observer, fd, 9 * 4096, 0, true, &memory), 0);
	assert_int_equal(tally_sim_munmap(harness.sim, harness.observer, memory), 0);
	bytes = tally_sim_allocated_bytes(harness.sim);
	pages = tally_sim_allocated_pages(harness.sim);
	for (uint64_t nth = 1;; nth++) {
		tally_sim_fail_alloc(harness.sim, nth);
		ret = tally_sim_mmap(harness.sim, harness.observer, fd, 9 * 4096, 0, true, &memory);
		tally_sim_fail_alloc(harness.sim, 0);
		if (!ret)
			break;
		assert_int_equal(ret, -ENOMEM);
		assert_int_equal(tally_sim_allocated_bytes(harness.sim), bytes);
		assert_int_equal(tally_sim_allocated_pages(harness.sim), pages);
	}
	assert_int_equal(tally_sim_allocated_pages(harness.sim), pages + 9);
	harness_end(&harness);
}

/* A mapping keeps the ring and its event after the descriptor is closed. */
static void a_mapping_keeps_the_ring_of_a_closed_event(void **state)
{
	struct perf_event_attr attr = attr_ring(30000);
	struct harness harness;
	struct tally_sim_task *task;
	struct tally_ring *ring;
	struct ring_totals tale = {0};
	int fd;

	ring_begin(&harness, 1, *state);
	task = harness_spawn(&harness, script_hog, 0);
	fd = harness_open(&harness, attr, task, -1, -1);
	ring = harness_map(&harness, fd, 16);
	harness_close(&harness, fd);
	tally_sim_run(harness.sim, MS);
	harness_drain(ring, &attr, &tale);
	assert_int_equal(tale.samples, 100);
	tally_ring_unmap(ring);
	assert_int_equal(tally_sim_allocated_pages(harness.sim), 0);
	harness_end(&harness);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH(output_is_redirected_in_time_order),
		BOTH(invalid_redirections_are_rejected),
		BOTH(mmap_checks_length_and_locked_memory),
		BOTH(a_failed_mmap_leaks_nothing),
		BOTH(a_mapping_keeps_the_ring_of_a_closed_event),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
