/* SPDX-License-Identifier: BSD-2-Clause */
/* Data passed in by user space: attrs and filters. */
#include <stdlib.h>

#include "core/least_test.h"
#include "core/private.h"

static struct least least;

static uint32_t *size_word;
static int fetches;

/* Another thread of the program enlarges attr.size after the core has read it. */
static void grow(struct least *where, enum least_point point, const volatile void *what)
{
	if (point == LEAST_AT_COPY_FROM && ++fetches > 1)
		*size_word = 4096;
}

static void an_attr_that_grows_after_the_check_keeps_the_checked_size(void **state)
{
	struct perf_event_attr *attr = calloc(1, 8192);
	struct tally_core_event *event = NULL;
	int ret;

	least_test_begin(&least, 1, NULL);
	*attr = attr_faults(0);
	attr->size = PERF_ATTR_SIZE_VER0;
	size_word = &attr->size;
	fetches = 0;
	least.at = grow;
	ret = tally_core_open(least.core, &least.tasks[0]->perf, attr, -1, 0, -1, 0, &event, NULL);
	least.at = NULL;
	if (!ret) {
		assert_int_equal(tally_core_event_attr(event)->size, PERF_ATTR_SIZE_VER0);
		tally_core_close(least.core, event);
	}
	free(attr);
	least_end(&least);
}

static const struct tally_core_field field = {"a", 0, 4, false, false};

/* Write a filter that is true for a == 1. The nested part is never true and follows a part that is
 * true. */
static void make_filter(char *text, size_t room, int levels)
{
	size_t len = 0;

	for (int i = 0; i < levels; i++)
		len += (size_t)snprintf(text + len, room - len, "a == %d || a == 1 && (",
					i ? 2 : 1);
	len += (size_t)snprintf(text + len, room - len, "a == 2 || a == 1 && a == 2");
	while (levels--)
		len += (size_t)snprintf(text + len, room - len, ")");
}

static void a_filter_of_any_depth_is_right_or_refused(void **state)
{
	struct tally_core_tracepoint point = {
		.system = "deep", .name = "filter", .id = 7, .fields = &field, .nr_fields = 1};
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr), .config = 7};
	const struct tally_core_sample_data data = {.mode = PERF_RECORD_MISC_KERNEL};
	const uint32_t raw = 1;
	char text[4096];
	int taken = 0;

	least_test_begin(&least, 1, NULL);
	assert_int_equal(tally_core_tracepoint_register(least.core, &point), 0);
	for (int levels = 1; levels < 100; levels++) {
		int fd = must_open(&least, attr, NULL, 0, -1);

		make_filter(text, sizeof(text), levels);
		if (!least_ioctl(&least, least.tasks[0], fd, PERF_EVENT_IOC_SET_FILTER,
				 (uintptr_t)text)) {
			least.off++;
			tally_core_tracepoint_hit(least.core, &point, &raw, sizeof(raw), &data);
			least.off--;
			assert_int_equal(value_of(&least, fd), 1);
			taken++;
		}
		least_close(&least, fd);
	}
	assert_true(taken > 10);
	least_end(&least);
}

static void software_events_that_the_host_does_not_offer_are_refused(void **state)
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
		cmocka_unit_test(an_attr_that_grows_after_the_check_keeps_the_checked_size),
		cmocka_unit_test(a_filter_of_any_depth_is_right_or_refused),
		cmocka_unit_test(software_events_that_the_host_does_not_offer_are_refused),
	};

	return cmocka_run_group_tests_name("core/least_input", tests, NULL, NULL);
}
