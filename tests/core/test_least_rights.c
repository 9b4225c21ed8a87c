/* SPDX-License-Identifier: BSD-2-Clause */
/* What a review suspected and could not show: each of it settled. */
#include "core/private.h"
#include "least_test.h"

static struct least least;

/* Where there are rights and nobody counts who has what, nobody is taken for somebody else. */
static void test_nobody_counts(void **state)
{
	struct perf_event_attr attr = attr_faults(0);
	struct tally_host_ops ops = least_ops;
	struct least_task *other;

	least_test_begin(&least, 1, NULL);
	ops.may_observe = NULL;
	least.core->ops = &ops;
	other = least_task_new(&least);
	attr.exclude_kernel = 1;
	least.caps = 0;
	assert_true(least_open(&least, least.tasks[0], &attr, sizeof(attr), other->perf.tid, -1, -1,
			       0) >= 0);
	other->perf.user = least.tasks[0]->perf.user = NULL;
	assert_int_equal(
		least_open(&least, least.tasks[0], &attr, sizeof(attr), other->perf.tid, -1, -1, 0),
		-EACCES);
	assert_true(least_open(&least, least.tasks[0], &attr, sizeof(attr), 0, -1, -1, 0) >= 0);
	least.core->ops = &least_ops;
	least_end(&least);
}

enum { FED = 300 };

static int fed, last;
static bool feeding;

/* One more, and the one before goes. */
static void feed(void)
{
	struct perf_event_attr attr = attr_faults(0);
	int fd = must_open(&least, attr, NULL, 0, -1);

	if (last >= 0)
		least_close(&least, last);
	last = fd;
}

static void feed_at(struct least *where, enum least_point point, const volatile void *what)
{
	if (point != LEAST_AT_RESTORE || fed == FED || feeding)
		return;
	feeding = true;
	fed += least_overlap(where, feed);
	feeding = false;
}

/* Who goes through what is open comes to an end although others open more. */
static void test_endless_list(void **state)
{
	least_test_begin(&least, 1, NULL);
	must_open(&least, attr_counter(0), NULL, 0, -1);
	fed = 0;
	last = -1;
	least.at = feed_at;
	assert_int_equal(tally_core_pmu_unregister(least.core, &least.pmus[1]), 0);
	least.at = NULL;
	assert_in_range(fed, 1, 20);
	least_end(&least);
}

/* What is in no context asks it for nothing. */
static void test_munmap_of_a_revoked_one(void **state)
{
	struct perf_event_attr attr = attr_counter(0);
	struct tally_core_event *event;
	int fd;

	least_test_begin(&least, 1, NULL);
	attr.type = 11;
	fd = must_open(&least, attr, NULL, 0, -1);
	event = least.files[fd].event;
	assert_int_equal(tally_core_pmu_unregister(least.core, &least.pmus[1]), 0);
	tally_core_event_emit_munmap(least.core, event);
	assert_int_equal(event->context->wants[TALLY_WANTS_MMAP], 0);
	assert_int_equal(event->context->nr_events, 0);
	least_close(&least, fd);
	least_end(&least);
}

/* The last counts of a child on a CPU that is off line are lost, and the ring says so. */
static void test_read_of_a_dead_cpu(void **state)
{
	struct perf_event_attr attr = attr_faults(1);
	struct perf_event_header *record;
	struct tally_core_buffer *buffer;
	struct least_task *child;
	int fd;

	least_test_begin(&least, 2, NULL);
	attr.inherit = attr.inherit_stat = 1;
	fd = must_open(&least, attr, least.tasks[0], 1, -1);
	must_map(&least, fd, 4, &buffer);
	child = least_fork(&least, least.tasks[0], true);
	least_offline(&least, 1);
	least_exit(&least, child);
	least_online(&least, 1);
	least_on(&least, 1);
	least_switch(&least, least.tasks[0]);
	least_software(&least, PERF_COUNT_SW_PAGE_FAULTS, 1);
	record = tally_core_buffer_page(buffer, 1);
	assert_int_equal(record->type, PERF_RECORD_LOST);
	least_end(&least);
}

/* What nobody would ever count is not taken. */
static void test_never_counted(void **state)
{
	struct tally_host_ops ops = least_ops;
	struct perf_event_attr attr = attr_faults(0);

	least_test_begin(&least, 1, NULL);
	ops.offers = 0;
	for (uint64_t id = PERF_COUNT_SW_BPF_OUTPUT; id <= PERF_COUNT_SW_CGROUP_SWITCHES; id++) {
		attr.config = id;
		least.core->ops = &ops;
		assert_int_equal(
			least_open(&least, least.tasks[0], &attr, sizeof(attr), 0, -1, -1, 0),
			-ENOENT);
		least.core->ops = &least_ops;
		assert_true(least_open(&least, least.tasks[0], &attr, sizeof(attr), 0, -1, -1, 0) >=
			    0);
	}
	least_end(&least);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nobody_counts),
		cmocka_unit_test(test_endless_list),
		cmocka_unit_test(test_munmap_of_a_revoked_one),
		cmocka_unit_test(test_read_of_a_dead_cpu),
		cmocka_unit_test(test_never_counted),
	};

	return cmocka_run_group_tests_name("core/least_rights", tests, NULL, NULL);
}
