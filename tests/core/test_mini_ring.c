/* SPDX-License-Identifier: BSD-2-Clause */
/* Rings that user space writes to, redirected output, and wakeups of readers. */
#include <pthread.h>

#include "core/mini_test.h"

static struct mini mini;

static const struct tally_core_sample_data in_user = {.ip = 0x1234, .mode = PERF_RECORD_MISC_USER};

/* ---- wakeups ----------------------------------------------------------------------------- */

enum { SMALL = 16, WATERMARK = 2048 }; /* bytes per record; watermark in a 4096-byte ring */

static struct scene {
	const volatile void *word; /* NULL for any word */
	int nr, seen;              /* number of records; atomic operations until the interrupt */
} scene;

/* Write `nr` records in an interrupt at the point given by the scene. */
static void write_records(struct mini *where, enum mini_point point, const volatile void *what)
{
	if (point != MINI_AT_ATOMIC || (scene.word && what != scene.word) || --scene.seen)
		return;
	for (int i = 0; i < scene.nr; i++) {
		mini_count(where, 0, 100);
		mini_overflow(where, 0, &in_user);
	}
}

/* Open two events on CPU 0 that write to the same ring: a page fault event, and a counter that may
 * interrupt while a fault is being recorded. */
static int open_two(uint64_t wide, struct tally_core_buffer **ret_buffer)
{
	struct tally_core_settings settings;
	struct perf_event_attr attr = attr_faults(1);
	int fd, other;

	tally_core_settings_init(&settings);
	settings.max_sample_rate = UINT32_MAX;
	mini_test_begin(&mini, 1, &settings);
	attr.watermark = 1;
	attr.wakeup_watermark = WATERMARK;
	attr.sample_type = wide;
	fd = must_open(&mini, attr, NULL, 0, -1);
	must_map(&mini, fd, 1, ret_buffer);
	attr = attr_counter(100);
	other = must_open(&mini, attr, NULL, 0, -1);
	assert_int_equal(
		mini_ioctl(&mini, mini.tasks[0], other, PERF_EVENT_IOC_SET_OUTPUT, (uintptr_t)fd),
		0);
	return fd;
}

static void a_writer_without_space_passes_the_wakeup_on(void **state)
{
	struct tally_core_buffer *buffer;
	struct perf_event_mmap_page *page;
	int fd = open_two(PERF_SAMPLE_TID | PERF_SAMPLE_IP | PERF_SAMPLE_CPU | PERF_SAMPLE_ID,
			  &buffer);

	page = tally_core_buffer_page(buffer, 0);
	scene = (struct scene){.word = &page->data_tail, .nr = 4096 / SMALL - 1, .seen = 1};
	mini.at = write_records;
	mini_software(&mini, PERF_COUNT_SW_PAGE_FAULTS, 1);
	mini.at = NULL;
	assert_true(scene.seen <= 0);
	assert_int_equal(page->data_head, 4096 - SMALL);
	assert_true(mini.files[fd].notices > 0);
	mini_end(&mini);
}

static void a_watermark_wakes_once_each_time_it_is_passed(void **state)
{
	struct tally_core_buffer *buffer;
	struct perf_event_mmap_page *page;
	int fd = open_two(PERF_SAMPLE_TID, &buffer), wakeups;

	page = tally_core_buffer_page(buffer, 0);
	for (int point = 1; point < 40; point++) {
		uint64_t before = page->data_head, notices;

		scene = (struct scene){.nr = 150, .seen = point};
		mini.at = write_records;
		mini_software(&mini, PERF_COUNT_SW_PAGE_FAULTS, 1);
		mini.at = NULL;
		page->data_tail = page->data_head;
		notices = mini.files[fd].notices;
		assert_true(page->data_head > before);
		for (int i = 0; i < 1024; i++) {
			mini_software(&mini, PERF_COUNT_SW_PAGE_FAULTS, 1);
			page->data_tail = page->data_head;
		}
		wakeups = (int)(mini.files[fd].notices - notices);
		assert_in_range(wakeups, 1024 * SMALL / WATERMARK - 2,
				1024 * SMALL / WATERMARK + 2);
	}
	mini_end(&mini);
}

/* ---- user space -------------------------------------------------------------------------- */

/* A ring with an invalid data_tail is treated as full. */
static void a_ring_survives_an_invalid_data_tail(void **state)
{
	struct perf_event_mmap_page *page;
	int fd;

	mini_test_begin_running(&mini);
	fd = must_open(&mini, attr_faults(1), NULL, 0, -1);
	page = must_map(&mini, fd, 2, NULL);
	page->data_tail = UINT64_C(1) << 62;
	mini_software(&mini, PERF_COUNT_SW_PAGE_FAULTS, 1);
	assert_int_equal(page->data_head, 0);
	page->data_tail = UINT64_MAX;
	mini_software(&mini, PERF_COUNT_SW_PAGE_FAULTS, 1);
	page->data_tail = 0;
	memset(page, 0xff, 1024);
	page->data_tail = 0;
	page->data_size = 1;
	for (int i = 0; i < 600; i++)
		mini_software(&mini, PERF_COUNT_SW_PAGE_FAULTS, 1);
	assert_in_range(page->data_head, 16, 2 * 4096 - 1);
	mini_end(&mini);
}

static void redirected_output_hangs_up_when_its_ring_is_unmapped(void **state)
{
	struct perf_event_attr attr = attr_faults(1);
	int target, fd, elsewhere;

	mini_test_begin_running(&mini);
	target = must_open(&mini, attr, NULL, 0, -1);
	must_map(&mini, target, 2, NULL);
	fd = must_open(&mini, attr, NULL, 0, -1);
	elsewhere = must_open(&mini, attr, NULL, 1, -1);
	assert_int_equal(mini_ioctl(&mini, mini.tasks[0], fd, PERF_EVENT_IOC_SET_OUTPUT, target),
			 0);
	mini_munmap(&mini, target);
	mini_software(&mini, PERF_COUNT_SW_PAGE_FAULTS, 1);
	assert_int_equal(mini_poll(&mini, fd), TALLY_CORE_POLLHUP);
	must_map(&mini, target, 2, NULL);
	assert_int_equal(
		mini_ioctl(&mini, mini.tasks[0], elsewhere, PERF_EVENT_IOC_SET_OUTPUT, target),
		-EINVAL);
	assert_int_equal(
		mini_ioctl(&mini, mini.tasks[0], fd, PERF_EVENT_IOC_SET_OUTPUT, (uintptr_t)fd),
		-EINVAL);
	assert_int_equal(mini_ioctl(&mini, mini.tasks[0], fd, PERF_EVENT_IOC_SET_OUTPUT, 400),
			 -EBADF);
	mini_end(&mini);
}

static bool stop;

static void *change_size(void *size)
{
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		__atomic_store_n((uint16_t *)size, 1024, __ATOMIC_RELAXED);
		__atomic_store_n((uint16_t *)size, 16, __ATOMIC_RELAXED);
	}
	return NULL;
}

/* Another thread keeps changing the size of the record. */
static void a_reader_in_the_kernel_gets_a_record_of_the_checked_size(void **state)
{
	struct perf_event_mmap_page *page;
	struct perf_event_header *record;
	struct tally_core_buffer *buffer;
	struct perf_event_header to[1024];
	pthread_t thread;
	int fd;

	mini_test_begin(&mini, 1, NULL);
	mini_switch(&mini, mini.tasks[0]);
	fd = must_open(&mini, attr_faults(1), mini.tasks[0], -1, -1);
	must_map(&mini, fd, 8, &buffer);
	for (int i = 0; i < 100; i++)
		mini_software(&mini, PERF_COUNT_SW_PAGE_FAULTS, 1);
	page = tally_core_buffer_page(buffer, 0);
	record = tally_core_buffer_page(buffer, 1);
	stop = false;
	assert_int_equal(pthread_create(&thread, NULL, change_size, &record->size), 0);
	for (int i = 0; i < 300000; i++) {
		int64_t ret;

		page->data_tail = 0;
		ret = tally_core_buffer_read(buffer, to, sizeof(to));
		if (ret > 0)
			assert_int_equal(to[0].size, ret);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	mini_end(&mini);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_writer_without_space_passes_the_wakeup_on),
		cmocka_unit_test(a_watermark_wakes_once_each_time_it_is_passed),
		cmocka_unit_test(a_ring_survives_an_invalid_data_tail),
		cmocka_unit_test(redirected_output_hangs_up_when_its_ring_is_unmapped),
		cmocka_unit_test(a_reader_in_the_kernel_gets_a_record_of_the_checked_size),
	};

	return cmocka_run_group_tests_name("core/minimal_ring", tests, NULL, NULL);
}
