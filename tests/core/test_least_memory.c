/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory of rings: their pages, and the scratch memory of CPUs that have rings. */
#include "core/least_test.h"

static struct least least;

enum { CPUS = 64 };

static struct perf_event_attr attr_raw(void)
{
	struct perf_event_attr attr = attr_faults(1);

	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_RAW;
	return attr;
}

/* Return true if a fault on CPU 0 is written to the ring with this page. */
static bool writes(const struct perf_event_mmap_page *page)
{
	uint64_t before = page->data_head;

	least_software(&least, PERF_COUNT_SW_PAGE_FAULTS, 1);
	return page->data_head > before;
}

/* No record is longer than its ring: one page, and some bytes to detect that a record is longer. */
static void a_small_ring_takes_little_scratch(void **state)
{
	struct perf_event_mmap_page *page;
	uint64_t before;
	int fd;

	least_test_begin(&least, CPUS, NULL);
	least_on(&least, 0);
	fd = must_open(&least, attr_raw(), least.tasks[0], -1, -1);
	before = least.bytes;
	least.nr_ops[LEAST_OP_CALL] = 0;
	page = must_map(&least, fd, 1, NULL);
	assert_in_range(least.bytes - before, CPUS * 4096, CPUS * 65536);
	/* CPUs without scratch memory need not be called to exchange it. */
	assert_int_equal(least.nr_ops[LEAST_OP_CALL], 0);
	least_switch(&least, least.tasks[0]);
	assert_true(writes(page));
	least_end(&least);
}

/* The event counts a task on any CPU, so all CPUs need scratch memory. */
static void munmap_frees_the_scratch_of_all_cpus(void **state)
{
	uint64_t before;
	int fd;

	least_test_begin(&least, CPUS, NULL);
	fd = must_open(&least, attr_raw(), least.tasks[0], -1, -1);
	before = least.bytes;
	for (int round = 0; round < 2; round++) {
		must_map(&least, fd, 16, NULL);
		assert_true(least.bytes > before + CPUS * 65528);
		least_munmap(&least, fd);
		assert_int_equal(least.bytes, before);
	}
	least_end(&least);
}

/* Unmapping the first of two rings keeps the scratch memory. */
static void the_last_ring_of_a_cpu_frees_its_scratch(void **state)
{
	struct perf_event_mmap_page *page;
	uint64_t before;
	int fds[2];

	least_test_begin(&least, 2, NULL);
	fds[0] = must_open(&least, attr_raw(), NULL, 0, -1);
	fds[1] = must_open(&least, attr_faults(1), NULL, 0, -1);
	before = least.bytes;
	must_map(&least, fds[0], 1, NULL);
	page = must_map(&least, fds[1], 1, NULL);
	assert_true(writes(page));
	least_munmap(&least, fds[0]);
	assert_true(writes(page));
	least_munmap(&least, fds[1]);
	assert_int_equal(least.bytes, before);
	least_end(&least);
}

/* Map another ring before the nth operation of a munmap. */
static uint64_t until;
static int other;
static struct perf_event_mmap_page *other_page;

static void map_other(void)
{
	other_page = must_map(&least, other, 1, NULL);
}

static void map_between(struct least *where, enum least_point point, const volatile void *what)
{
	if (until && !--until && !least_overlap(where, map_other))
		until = 1;
}

static void a_ring_mapped_while_another_is_unmapped_has_scratch(void **state)
{
	for (uint64_t n = 1; n; n = until ? 0 : n + 1) {
		int fd;

		least_test_begin(&least, 1, NULL);
		fd = must_open(&least, attr_raw(), NULL, 0, -1);
		other = must_open(&least, attr_faults(1), NULL, 0, -1);
		must_map(&least, fd, 1, NULL);
		other_page = NULL;
		until = n;
		least.at = map_between;
		least_munmap(&least, fd);
		least.at = NULL;
		if (other_page)
			assert_true(writes(other_page));
		else
			assert_true(n > 1);
		least_end(&least);
	}
}

static void mmap_charges_before_it_allocates(void **state)
{
	struct tally_core_settings settings;
	int fd;

	tally_core_settings_init(&settings);
	settings.scattered = true;
	least_test_begin(&least, 1, &settings);
	fd = must_open(&least, attr_faults(100), least.tasks[0], -1, -1);
	least.caps = 0;
	least.memlock = 64 * 1024;
	assert_int_equal(least_mmap(&least, least.tasks[0], fd, (size_t)65537 * 4096, true, NULL),
			 -EPERM);
	assert_int_equal(least.peak_pages, 0);
	least.caps = ~UINT64_C(0);
	least.refuse_beyond = 1000;
	assert_true(least_mmap(&least, least.tasks[0], fd, (((size_t)1 << 32) + 1) * 4096, true,
			       NULL) < 0);
	assert_int_equal(least.pages, 0);
	least_end(&least);
}

static void unsuitable_page_sizes_are_refused(void **state)
{
	struct tally_host_ops ops = least_ops;
	struct tally_core *core = NULL;

	least_test_begin(&least, 1, NULL);
	ops.page_size = 64;
	assert_int_equal(tally_core_create(&ops, &least, 1, NULL, &core), -EINVAL);
	ops.page_size = 6000;
	assert_int_equal(tally_core_create(&ops, &least, 1, NULL, &core), -EINVAL);
	least_end(&least);
}

static void a_ring_is_freed_in_the_layout_it_was_made_with(void **state)
{
	int fd;

	least_test_begin(&least, 1, NULL);
	fd = must_open(&least, attr_faults(1), NULL, 0, -1);
	must_map(&least, fd, 4, NULL);
	tally_core_settings(least.core)->contiguous = true;
	least_munmap(&least, fd);
	assert_int_equal(least.pages, 0);
	tally_core_settings(least.core)->scattered = true;
	must_map(&least, fd, 4, NULL);
	least_switch(&least, least.tasks[0]);
	least_software(&least, PERF_COUNT_SW_PAGE_FAULTS, 1);
	tally_core_settings(least.core)->contiguous = false;
	least_munmap(&least, fd);
	assert_int_equal(least.pages, 0);
	least_end(&least);
}

/* Scratch memory for records is allocated with the first ring. */
static void a_core_without_events_holds_less_than_a_page_per_cpu(void **state)
{
	enum { MANY = 256 };

	least_test_begin(&least, MANY, NULL);
	assert_in_range(least.bytes, 1, MANY * 4096);
	least_end(&least);
}

/* Return the number of allocations for opening an event on a task, on one CPU or on all (-1). */
static uint64_t allocations_of_open(int32_t cpu)
{
	uint64_t before = least.nr_ops[LEAST_OP_ALLOC];

	must_open(&least, attr_faults(0), least.tasks[0], cpu, -1);
	return least.nr_ops[LEAST_OP_ALLOC] - before;
}

static void a_task_takes_memory_for_its_cpus_once(void **state)
{
	uint64_t on_all;

	least_test_begin(&least, 2, NULL);
	allocations_of_open(-1);
	on_all = allocations_of_open(-1);
	assert_int_equal(allocations_of_open(0), on_all + 1);
	assert_int_equal(allocations_of_open(1), on_all);
	least_end(&least);
}

static void open_on_cpu(void)
{
	must_open(&least, attr_faults(0), least.tasks[0], 1, -1);
}

static void open_at_alloc(struct least *where, enum least_point point, const volatile void *what)
{
	if (point == LEAST_AT_ALLOC && until && !--until && !least_overlap(where, open_on_cpu))
		until = 1;
}

/* Two events of one CPU are opened at the same time. least_end() detects leaks. */
static void memory_for_the_cpus_of_a_task_that_comes_twice_is_freed(void **state)
{
	uint64_t n = 0;

	do {
		least_test_begin(&least, 2, NULL);
		until = ++n;
		least.at = open_at_alloc;
		must_open(&least, attr_faults(0), least.tasks[0], 0, -1);
		least.at = NULL;
		least_end(&least);
	} while (!until);
	assert_true(n > 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_small_ring_takes_little_scratch),
		cmocka_unit_test(munmap_frees_the_scratch_of_all_cpus),
		cmocka_unit_test(the_last_ring_of_a_cpu_frees_its_scratch),
		cmocka_unit_test(a_ring_mapped_while_another_is_unmapped_has_scratch),
		cmocka_unit_test(mmap_charges_before_it_allocates),
		cmocka_unit_test(unsuitable_page_sizes_are_refused),
		cmocka_unit_test(a_ring_is_freed_in_the_layout_it_was_made_with),
		cmocka_unit_test(a_core_without_events_holds_less_than_a_page_per_cpu),
		cmocka_unit_test(a_task_takes_memory_for_its_cpus_once),
		cmocka_unit_test(memory_for_the_cpus_of_a_task_that_comes_twice_is_freed),
	};

	return cmocka_run_group_tests_name("core/least_memory", tests, NULL, NULL);
}
