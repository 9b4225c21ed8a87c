/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls to mmap and munmap that overlap another call on the same event. */
#include "core/mini_test.h"

static struct mini mini;

/* ---- mmap during a redirection ----------------------------------------------------------- */

static struct {
	int fd, skip;
	bool armed, mapped;
	struct tally_core_buffer *buffer;
} between;

static void map_between(void)
{
	between.mapped =
		!mini_mmap(&mini, mini.tasks[0], between.fd, 5 * 4096, true, &between.buffer);
}

static void map_at(struct mini *where, enum mini_point point, const volatile void *what)
{
	if (!between.armed || point != MINI_AT_RESTORE || between.skip-- > 0)
		return;
	between.armed = false;
	between.armed = !mini_overlap(where, map_between);
}

/* Redirect an event. At the given point, where this thread holds no lock, another thread preempts
 * it and maps the event. */
static void redirect_at(int skip)
{
	int target, ret;

	mini_test_begin(&mini, 1, NULL);
	between.fd = must_open(&mini, attr_faults(1), NULL, 0, -1);
	target = must_open(&mini, attr_faults(1), NULL, 0, -1);
	must_map(&mini, target, 4, NULL);
	between.skip = skip;
	between.mapped = false;
	between.armed = true;
	mini.at = map_at;
	ret = mini_ioctl(&mini, mini.tasks[0], between.fd, PERF_EVENT_IOC_SET_OUTPUT,
			 (uintptr_t)target);
	mini.at = NULL;
	if (between.mapped) {
		struct perf_event_mmap_page *page = tally_core_buffer_page(between.buffer, 0);

		assert_int_equal(ret, -EINVAL);
		mini_switch(&mini, mini.tasks[0]);
		mini_software(&mini, PERF_COUNT_SW_PAGE_FAULTS, 1);
		assert_true(page->data_head > 0);
	}
	mini_end(&mini);
}

/* If the redirection fails, the event writes to its own ring. */
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

static void remap(void)
{
	mini_munmap(&mini, between.fd);
	map_between();
}

static void remap_at(struct mini *where, enum mini_point point, const volatile void *what)
{
	if (!between.armed || point != MINI_AT_RESTORE || between.skip-- > 0)
		return;
	between.armed = !mini_overlap(where, remap);
}

/* While this thread maps the event, another thread unmaps the event's ring and maps a new one.
 * Returns false if the other thread did not run. */
static bool map_while_mapped(int skip)
{
	struct tally_core_buffer *mine;
	int ret;

	mini_test_begin(&mini, 1, NULL);
	between.fd = must_open(&mini, attr_faults(1), NULL, 0, -1);
	must_map(&mini, between.fd, 4, NULL);
	between.skip = skip;
	between.mapped = false;
	between.armed = true;
	mini.at = remap_at;
	ret = mini_mmap(&mini, mini.tasks[0], between.fd, 5 * 4096, true, &mine);
	mini.at = NULL;
	assert_int_equal(ret, 0);
	if (between.mapped)
		assert_ptr_equal(mine, between.buffer);
	mini_end(&mini);
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
	mini_munmap(&mini, mapped);
	unmapped++;
}

static void unmap_between(struct mini *where, enum mini_point point, const volatile void *what)
{
	if (until && !--until && !mini_overlap(where, unmap))
		until = 1;
}

static void poll_survives_munmap_at_any_point(void **state)
{
	struct perf_event_attr attr = attr_faults(1);

	mini_test_begin(&mini, 1, NULL);
	attr.wakeup_events = 1;
	mapped = must_open(&mini, attr, NULL, 0, -1);
	unmapped = 0;
	for (uint64_t point = 1; point < 20; point++) {
		must_map(&mini, mapped, 1, NULL);
		mini_software(&mini, PERF_COUNT_SW_PAGE_FAULTS, 1);
		until = point;
		mini.at = unmap_between;
		mini_poll(&mini, mapped);
		mini.at = NULL;
		mini_munmap(&mini, mapped);
		assert_int_equal(mini.pages, 0);
	}
	assert_true(unmapped > 0);
	mini_end(&mini);
}

/* Return how often munmap calls another CPU. The event's task runs on CPU 1, or not at all. */
static uint64_t calls_of_munmap(bool runs)
{
	uint64_t calls;
	int fd;

	mini_test_begin(&mini, 2, NULL);
	fd = must_open(&mini, attr_faults(1), mini.tasks[0], -1, -1);
	must_map(&mini, fd, 1, NULL);
	mini_on(&mini, 1);
	mini_switch(&mini, runs ? mini.tasks[0] : NULL);
	mini_on(&mini, 0);
	mini.nr_ops[MINI_OP_CALL] = 0;
	mini_munmap(&mini, fd);
	calls = mini.nr_ops[MINI_OP_CALL];
	mini_end(&mini);
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

	return cmocka_run_group_tests_name("core/minimal_map", tests, NULL, NULL);
}
