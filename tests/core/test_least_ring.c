/* SPDX-License-Identifier: BSD-2-Clause */
/* What gets into rings, who writes there, and whom it wakes. */
#include "core/least_test.h"

static struct least least;

static const struct tally_core_sample_data in_user = {.ip = 0x1234, .mode = PERF_RECORD_MISC_USER};

/* ---- 2: a field that nothing sets -------------------------------------------------------- */

__attribute__((noinline)) static void dirty_stack(void)
{
	volatile char junk[8192];

	memset((void *)junk, 0xa5, sizeof(junk));
}

static void test_branch_counters(void **state)
{
	static const struct perf_branch_entry branches[4] = {{.from = 1}, {.from = 2}};
	const struct tally_core_sample_data data = {.ip = 0x1234,
						    .mode = PERF_RECORD_MISC_USER,
						    .branches = branches,
						    .nr_branches = 4};
	struct perf_event_attr attr = attr_counter(100);
	struct tally_core_buffer *buffer;
	const struct perf_event_header *header;
	uint64_t words[32] = {0};
	int fd;

	least_test_begin(&least, 1, NULL);
	attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type =
		PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_COUNTERS;
	fd = least_open(&least, least.tasks[0], &attr, sizeof(attr), -1, 0, -1, 0);
	if (fd >= 0) {
		must_map(&least, fd, 8, &buffer);
		dirty_stack();
		least_count(&least, 0, 100);
		assert_true(least_overflow(&least, 0, &data));
		header = tally_core_buffer_page(buffer, 1);
		assert_in_range(header->size, 24 + sizeof(branches), sizeof(words));
		memcpy(words, header, header->size);
		assert_memory_equal(&words[3], branches, sizeof(branches));
		for (size_t i = 3 + sizeof(branches) / 8; i < 32; i++)
			assert_int_equal(words[i], 0);
	}
	least_end(&least);
}

/* ---- 10: one writer ---------------------------------------------------------------------- */

static void test_output_of_inherited(void **state)
{
	struct perf_event_attr attr = attr_faults(1);
	int target, fd;

	least_test_begin(&least, 2, NULL);
	target = must_open(&least, attr, least.tasks[0], -1, -1);
	attr.inherit = 1;
	fd = must_open(&least, attr, least.tasks[0], -1, -1);
	must_map(&least, target, 8, NULL);
	assert_int_equal(least_ioctl(&least, least.tasks[0], fd, PERF_EVENT_IOC_SET_OUTPUT,
				     (uintptr_t)target),
			 -EINVAL);
	assert_true(least_open(&least, least.tasks[0], &attr, sizeof(attr),
			       least.tasks[0]->perf.tid, -1, target,
			       PERF_FLAG_FD_OUTPUT | PERF_FLAG_FD_NO_GROUP) < 0);
	least_end(&least);
}

/* ---- 18: a mapping of the page alone has no records to lose --------------------------------- */

static void test_page_alone(void **state)
{
	struct perf_event_attr attr = attr_faults(1);
	uint64_t words[2];
	int fd;

	least_test_begin(&least, 1, NULL);
	attr.read_format = PERF_FORMAT_LOST;
	fd = must_open(&least, attr, NULL, 0, -1);
	must_map(&least, fd, 0, NULL);
	for (int i = 0; i < 5; i++)
		least_software(&least, PERF_COUNT_SW_PAGE_FAULTS, 1);
	assert_int_equal(least_read(&least, fd, words, sizeof(words)), sizeof(words));
	assert_int_equal(words[0], 5);
	assert_int_equal(words[1], 0);
	least_end(&least);
}

/* ---- 11: a wakeup that who found no room must pass on ------------------------------------- */

enum { SMALL = 16, WATERMARK = 2048 }; /* bytes of a record; of the ring of 4096 */

static struct scene {
	const volatile void *word; /* NULL: any */
	int nr, seen;              /* records; at the how manieth time */
} scene;

/* An interrupt writes `nr` records. */
static void write_records(struct least *where, enum least_point point, const volatile void *what)
{
	if (point != LEAST_AT_ATOMIC || (scene.word && what != scene.word) || --scene.seen)
		return;
	for (int i = 0; i < scene.nr; i++) {
		least_count(where, 0, 100);
		least_overflow(where, 0, &in_user);
	}
}

/* Two events of CPU 0 that write into one ring: faults, and a counter that can interrupt them. */
static int open_two(uint64_t wide, struct tally_core_buffer **ret_buffer)
{
	struct tally_core_settings settings;
	struct perf_event_attr attr = attr_faults(1);
	int fd, other;

	tally_core_settings_init(&settings);
	settings.max_sample_rate = UINT32_MAX;
	least_test_begin(&least, 1, &settings);
	attr.watermark = 1;
	attr.wakeup_watermark = WATERMARK;
	attr.sample_type = wide;
	fd = must_open(&least, attr, NULL, 0, -1);
	must_map(&least, fd, 1, ret_buffer);
	attr = attr_counter(100);
	other = must_open(&least, attr, NULL, 0, -1);
	assert_int_equal(least_ioctl(&least, least.tasks[0], other, PERF_EVENT_IOC_SET_OUTPUT,
				     (uintptr_t)fd),
			 0);
	return fd;
}

static void test_wakeup_passed_on(void **state)
{
	struct tally_core_buffer *buffer;
	struct perf_event_mmap_page *page;
	int fd = open_two(PERF_SAMPLE_TID | PERF_SAMPLE_IP | PERF_SAMPLE_CPU | PERF_SAMPLE_ID,
			  &buffer);

	page = tally_core_buffer_page(buffer, 0);
	scene = (struct scene){.word = &page->data_tail, .nr = 4096 / SMALL - 1, .seen = 1};
	least.at = write_records;
	least_software(&least, PERF_COUNT_SW_PAGE_FAULTS, 1);
	least.at = NULL;
	assert_true(scene.seen <= 0);
	assert_int_equal(page->data_head, 4096 - SMALL);
	assert_true(least.files[fd].notices > 0);
	least_end(&least);
}

/* ---- 12: a watermark wakes once for each time it is passed -------------------------------- */

static void test_wakeups_end(void **state)
{
	struct tally_core_buffer *buffer;
	struct perf_event_mmap_page *page;
	int fd = open_two(PERF_SAMPLE_TID, &buffer), wakeups;

	page = tally_core_buffer_page(buffer, 0);
	for (int point = 1; point < 40; point++) {
		uint64_t before = page->data_head, notices;

		scene = (struct scene){.nr = 150, .seen = point};
		least.at = write_records;
		least_software(&least, PERF_COUNT_SW_PAGE_FAULTS, 1);
		least.at = NULL;
		page->data_tail = page->data_head;
		notices = least.files[fd].notices;
		assert_true(page->data_head > before);
		for (int i = 0; i < 1024; i++) {
			least_software(&least, PERF_COUNT_SW_PAGE_FAULTS, 1);
			page->data_tail = page->data_head;
		}
		wakeups = (int)(least.files[fd].notices - notices);
		assert_in_range(wakeups, 1024 * SMALL / WATERMARK - 2,
				1024 * SMALL / WATERMARK + 2);
	}
	least_end(&least);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_branch_counters), cmocka_unit_test(test_output_of_inherited),
		cmocka_unit_test(test_page_alone),      cmocka_unit_test(test_wakeup_passed_on),
		cmocka_unit_test(test_wakeups_end),
	};

	return cmocka_run_group_tests_name("core/least_ring", tests, NULL, NULL);
}
