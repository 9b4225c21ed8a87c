/* SPDX-License-Identifier: BSD-2-Clause */
/* What rings hold besides their pages goes with them. */
#include "core/least_test.h"

static struct least least;

enum { CPUS = 64 };

static struct perf_event_attr attr_raw(void)
{
	struct perf_event_attr attr = attr_faults(1);

	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_RAW;
	return attr;
}

/* Whether a fault on CPU 0 comes into the ring of this page. */
static bool writes(const struct perf_event_mmap_page *page)
{
	uint64_t before = page->data_head;

	least_software(&least, PERF_COUNT_SW_PAGE_FAULTS, 1);
	return page->data_head > before;
}

/* A map of two pages, of a task on any CPU: scratch of all CPUs. */
static void test_given_back(void **state)
{
	uint64_t before;
	int fd;

	least_test_begin(&least, CPUS, NULL);
	fd = must_open(&least, attr_raw(), least.tasks[0], -1, -1);
	before = least.bytes;
	for (int round = 0; round < 2; round++) {
		must_map(&least, fd, 1, NULL);
		assert_true(least.bytes > before + CPUS * 65528);
		least_munmap(&least, fd);
		assert_int_equal(least.bytes, before);
	}
	least_end(&least);
}

/* The last ring of the CPU has it given back, and not one before. */
static void test_last_of_several(void **state)
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

/* The n-th thing that the unmapping of one ring does is preceded by the mapping of another. */
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

static void test_mapped_while_unmapped(void **state)
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

static void test_charge_first(void **state)
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

static void test_page_size(void **state)
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

/* A ring keeps the layout that it was made with. */
static void test_layout_changes(void **state)
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

/* Nothing is held for records that nobody asked for. */
static void test_memory(void **state)
{
	enum { MANY = 256 };

	least_test_begin(&least, MANY, NULL);
	assert_in_range(least.bytes, 1, MANY * 4096);
	least_end(&least);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_given_back),
		cmocka_unit_test(test_last_of_several),
		cmocka_unit_test(test_mapped_while_unmapped),
		cmocka_unit_test(test_charge_first),
		cmocka_unit_test(test_page_size),
		cmocka_unit_test(test_layout_changes),
		cmocka_unit_test(test_memory),
	};

	return cmocka_run_group_tests_name("core/least_memory", tests, NULL, NULL);
}
