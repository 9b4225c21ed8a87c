/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory for rings: their pages, and the scratch memory of CPUs that have rings. */
#include "core/mini_test.h"

static struct mini mini;

enum { CPUS = 64 };

static struct perf_event_attr attr_raw(void)
{
	struct perf_event_attr attr = attr_faults(1);

	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_RAW;
	return attr;
}

/* Return true if a page fault on CPU 0 writes a record to the ring with this metadata page. */
static bool writes(const struct perf_event_mmap_page *page)
{
	uint64_t before = page->data_head;

	mini_software(&mini, PERF_COUNT_SW_PAGE_FAULTS, 1);
	return page->data_head > before;
}

/* No record is longer than its ring, so the scratch memory is one page plus a few bytes to detect
 * longer records. */
static void a_small_ring_takes_little_scratch(void **state)
{
	struct perf_event_mmap_page *page;
	uint64_t before;
	int fd;

	mini_test_begin(&mini, CPUS, NULL);
	mini_on(&mini, 0);
	fd = must_open(&mini, attr_raw(), mini.tasks[0], -1, -1);
	before = mini.bytes;
	mini.nr_ops[MINI_OP_CALL] = 0;
	page = must_map(&mini, fd, 1, NULL);
	assert_in_range(mini.bytes - before, CPUS * 4096, CPUS * 65536);
	/* CPUs without scratch memory do not have to be called to replace it. */
	assert_int_equal(mini.nr_ops[MINI_OP_CALL], 0);
	mini_switch(&mini, mini.tasks[0]);
	assert_true(writes(page));
	mini_end(&mini);
}

/* The event counts a task on any CPU, so all CPUs need scratch memory. */
static void munmap_frees_the_scratch_of_all_cpus(void **state)
{
	uint64_t before;
	int fd;

	mini_test_begin(&mini, CPUS, NULL);
	fd = must_open(&mini, attr_raw(), mini.tasks[0], -1, -1);
	before = mini.bytes;
	for (int round = 0; round < 2; round++) {
		must_map(&mini, fd, 16, NULL);
		assert_true(mini.bytes > before + CPUS * 65528);
		mini_munmap(&mini, fd);
		assert_int_equal(mini.bytes, before);
	}
	mini_end(&mini);
}

/* Unmapping the first of two rings keeps the scratch memory. */
static void the_last_ring_of_a_cpu_frees_its_scratch(void **state)
{
	struct perf_event_mmap_page *page;
	uint64_t before;
	int fds[2];

	mini_test_begin(&mini, 2, NULL);
	fds[0] = must_open(&mini, attr_raw(), NULL, 0, -1);
	fds[1] = must_open(&mini, attr_faults(1), NULL, 0, -1);
	before = mini.bytes;
	must_map(&mini, fds[0], 1, NULL);
	page = must_map(&mini, fds[1], 1, NULL);
	assert_true(writes(page));
	mini_munmap(&mini, fds[0]);
	assert_true(writes(page));
	mini_munmap(&mini, fds[1]);
	assert_int_equal(mini.bytes, before);
	mini_end(&mini);
}

/* Map another ring before the nth operation of a munmap. */
static uint64_t until;
static int other;
static struct perf_event_mmap_page *other_page;

static void map_other(void)
{
	other_page = must_map(&mini, other, 1, NULL);
}

static void map_between(struct mini *where, enum mini_point point, const volatile void *what)
{
	if (until && !--until && !mini_overlap(where, map_other))
		until = 1;
}

static void a_ring_mapped_while_another_is_unmapped_has_scratch(void **state)
{
	for (uint64_t n = 1; n; n = until ? 0 : n + 1) {
		int fd;

		mini_test_begin(&mini, 1, NULL);
		fd = must_open(&mini, attr_raw(), NULL, 0, -1);
		other = must_open(&mini, attr_faults(1), NULL, 0, -1);
		must_map(&mini, fd, 1, NULL);
		other_page = NULL;
		until = n;
		mini.at = map_between;
		mini_munmap(&mini, fd);
		mini.at = NULL;
		if (other_page)
			assert_true(writes(other_page));
		else
			assert_true(n > 1);
		mini_end(&mini);
	}
}

static void mmap_charges_before_it_allocates(void **state)
{
	struct tally_core_settings settings;
	int fd;

	tally_core_settings_init(&settings);
	settings.scattered = true;
	mini_test_begin(&mini, 1, &settings);
	fd = must_open(&mini, attr_faults(100), mini.tasks[0], -1, -1);
	mini.caps = 0;
	mini.memlock = 64 * 1024;
	assert_int_equal(mini_mmap(&mini, mini.tasks[0], fd, (size_t)65537 * 4096, true, NULL),
			 -EPERM);
	assert_int_equal(mini.peak_pages, 0);
	mini.caps = ~UINT64_C(0);
	mini.refuse_beyond = 1000;
	assert_true(mini_mmap(&mini, mini.tasks[0], fd, (((size_t)1 << 32) + 1) * 4096, true,
			      NULL) < 0);
	assert_int_equal(mini.pages, 0);
	mini_end(&mini);
}

static void unsuitable_page_sizes_are_refused(void **state)
{
	struct tally_host_ops ops = mini_ops;
	struct tally_core *core = NULL;

	mini_test_begin(&mini, 1, NULL);
	ops.page_size = 64;
	assert_int_equal(tally_core_create(&ops, &mini, 1, NULL, &core), -EINVAL);
	ops.page_size = 6000;
	assert_int_equal(tally_core_create(&ops, &mini, 1, NULL, &core), -EINVAL);
	mini_end(&mini);
}

static void a_ring_is_freed_in_the_layout_it_was_made_with(void **state)
{
	int fd;

	mini_test_begin(&mini, 1, NULL);
	fd = must_open(&mini, attr_faults(1), NULL, 0, -1);
	must_map(&mini, fd, 4, NULL);
	tally_core_settings(mini.core)->contiguous = true;
	mini_munmap(&mini, fd);
	assert_int_equal(mini.pages, 0);
	tally_core_settings(mini.core)->scattered = true;
	must_map(&mini, fd, 4, NULL);
	mini_switch(&mini, mini.tasks[0]);
	mini_software(&mini, PERF_COUNT_SW_PAGE_FAULTS, 1);
	tally_core_settings(mini.core)->contiguous = false;
	mini_munmap(&mini, fd);
	assert_int_equal(mini.pages, 0);
	mini_end(&mini);
}

/* Scratch memory for records is not allocated before the first ring. */
static void a_core_without_events_holds_less_than_a_page_per_cpu(void **state)
{
	enum { MANY = 256 };

	mini_test_begin(&mini, MANY, NULL);
	assert_in_range(mini.bytes, 1, MANY * 4096);
	mini_end(&mini);
}

/* Return the number of allocations needed to open an event for a task, on one CPU or on any CPU
 * (-1). */
static uint64_t allocations_of_open(int32_t cpu)
{
	uint64_t before = mini.nr_ops[MINI_OP_ALLOC];

	must_open(&mini, attr_faults(0), mini.tasks[0], cpu, -1);
	return mini.nr_ops[MINI_OP_ALLOC] - before;
}

static void a_task_takes_memory_for_its_cpus_once(void **state)
{
	uint64_t on_all;

	mini_test_begin(&mini, 2, NULL);
	allocations_of_open(-1);
	on_all = allocations_of_open(-1);
	assert_int_equal(allocations_of_open(0), on_all + 1);
	assert_int_equal(allocations_of_open(1), on_all);
	mini_end(&mini);
}

static void open_on_cpu(void)
{
	must_open(&mini, attr_faults(0), mini.tasks[0], 1, -1);
}

static void open_at_alloc(struct mini *where, enum mini_point point, const volatile void *what)
{
	if (point == MINI_AT_ALLOC && until && !--until && !mini_overlap(where, open_on_cpu))
		until = 1;
}

/* Two events that need the same per-CPU memory are opened at the same time. mini_end() detects
 * leaks. */
static void cpu_memory_that_is_allocated_twice_is_freed(void **state)
{
	uint64_t n = 0;

	do {
		mini_test_begin(&mini, 2, NULL);
		until = ++n;
		mini.at = open_at_alloc;
		must_open(&mini, attr_faults(0), mini.tasks[0], 0, -1);
		mini.at = NULL;
		mini_end(&mini);
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
		cmocka_unit_test(cpu_memory_that_is_allocated_twice_is_freed),
	};

	return cmocka_run_group_tests_name("core/minimal_memory", tests, NULL, NULL);
}
