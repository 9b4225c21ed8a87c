/* SPDX-License-Identifier: BSD-2-Clause */
/* mmap and munmap that overlap another call on the same event. */
#include "core/least_test.h"

static struct least least;

/* ---- mmap during a redirection ----------------------------------------------------------- */

static struct {
	int fd, skip;
	bool armed, mapped;
	struct tally_core_buffer *buffer;
} between;

static void map_between(void)
{
	between.mapped =
		!least_mmap(&least, least.tasks[0], between.fd, 5 * 4096, true, &between.buffer);
}

static void map_at(struct least *where, enum least_point point, const volatile void *what)
{
	if (!between.armed || point != LEAST_AT_RESTORE || between.skip-- > 0)
		return;
	between.armed = false;
	between.armed = !least_overlap(where, map_between);
}

/* The thread is preempted where it holds no lock, and another thread maps the event. */
static void redirect_at(int skip)
{
	int target, ret;

	least_test_begin(&least, 1, NULL);
	between.fd = must_open(&least, attr_faults(1), NULL, 0, -1);
	target = must_open(&least, attr_faults(1), NULL, 0, -1);
	must_map(&least, target, 4, NULL);
	between.skip = skip;
	between.mapped = false;
	between.armed = true;
	least.at = map_at;
	ret = least_ioctl(&least, least.tasks[0], between.fd, PERF_EVENT_IOC_SET_OUTPUT,
			  (uintptr_t)target);
	least.at = NULL;
	if (between.mapped) {
		struct perf_event_mmap_page *page = tally_core_buffer_page(between.buffer, 0);

		assert_int_equal(ret, -EINVAL);
		least_switch(&least, least.tasks[0]);
		least_software(&least, PERF_COUNT_SW_PAGE_FAULTS, 1);
		assert_true(page->data_head > 0);
	}
	least_end(&least);
}

/* Otherwise the event writes to its own ring. */
static void set_output_fails_if_the_event_is_mapped_meanwhile(void **state)
{
	int nr = 0;

	between.armed = false;
	for (int skip = 0; !between.armed; skip++) {
		redirect_at(skip);
		nr += between.mapped;
	}
	assert_true(nr > 0);
}

/* ---- mmap during mmap -------------------------------------------------------------------- */

static void map_anew(void)
{
	least_munmap(&least, between.fd);
	map_between();
}

static void map_anew_at(struct least *where, enum least_point point, const volatile void *what)
{
	if (!between.armed || point != LEAST_AT_RESTORE || between.skip-- > 0)
		return;
	between.armed = !least_overlap(where, map_anew);
}

/* Unmap the ring and map a new one in another thread while this thread maps the event. Returns
 * false if the other thread did not run. */
static bool map_while_mapped(int skip)
{
	struct tally_core_buffer *mine;
	int ret;

	least_test_begin(&least, 1, NULL);
	between.fd = must_open(&least, attr_faults(1), NULL, 0, -1);
	must_map(&least, between.fd, 4, NULL);
	between.skip = skip;
	between.mapped = false;
	between.armed = true;
	least.at = map_anew_at;
	ret = least_mmap(&least, least.tasks[0], between.fd, 5 * 4096, true, &mine);
	least.at = NULL;
	assert_int_equal(ret, 0);
	if (between.mapped)
		assert_ptr_equal(mine, between.buffer);
	least_end(&least);
	return between.mapped;
}

static void mmap_returns_the_ring_that_another_thread_maps_meanwhile(void **state)
{
	int nr = 0;

	between.armed = false;
	for (int skip = 0; !between.armed; skip++)
		nr += map_while_mapped(skip);
	assert_true(nr > 0);
}

/* ---- munmap during poll ------------------------------------------------------------------ */

static uint64_t until;
static int mapped, unmapped;

static void unmap(void)
{
	least_munmap(&least, mapped);
	unmapped++;
}

static void unmap_between(struct least *where, enum least_point point, const volatile void *what)
{
	if (until && !--until && !least_overlap(where, unmap))
		until = 1;
}

static void poll_survives_munmap_at_any_point(void **state)
{
	struct perf_event_attr attr = attr_faults(1);

	least_test_begin(&least, 1, NULL);
	attr.wakeup_events = 1;
	mapped = must_open(&least, attr, NULL, 0, -1);
	unmapped = 0;
	for (uint64_t point = 1; point < 20; point++) {
		must_map(&least, mapped, 1, NULL);
		least_software(&least, PERF_COUNT_SW_PAGE_FAULTS, 1);
		until = point;
		least.at = unmap_between;
		least_poll(&least, mapped);
		least.at = NULL;
		least_munmap(&least, mapped);
		assert_int_equal(least.pages, 0);
	}
	assert_true(unmapped > 0);
	least_end(&least);
}

/* Return the number of calls of other CPUs by munmap. The task of the event runs on CPU 1, or not
 * at all. */
static uint64_t calls_of_munmap(bool runs)
{
	uint64_t calls;
	int fd;

	least_test_begin(&least, 2, NULL);
	fd = must_open(&least, attr_faults(1), least.tasks[0], -1, -1);
	must_map(&least, fd, 1, NULL);
	least_on(&least, 1);
	least_switch(&least, runs ? least.tasks[0] : NULL);
	least_on(&least, 0);
	least.nr_ops[LEAST_OP_CALL] = 0;
	least_munmap(&least, fd);
	calls = least.nr_ops[LEAST_OP_CALL];
	least_end(&least);
	return calls;
}

static void munmap_waits_for_the_cpu_that_may_be_writing(void **state)
{
	assert_true(calls_of_munmap(true) > calls_of_munmap(false));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(set_output_fails_if_the_event_is_mapped_meanwhile),
		cmocka_unit_test(mmap_returns_the_ring_that_another_thread_maps_meanwhile),
		cmocka_unit_test(poll_survives_munmap_at_any_point),
		cmocka_unit_test(munmap_waits_for_the_cpu_that_may_be_writing),
	};

	return cmocka_run_group_tests_name("core/least_map", tests, NULL, NULL);
}
