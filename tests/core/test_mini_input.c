/* SPDX-License-Identifier: BSD-2-Clause */
/* Input from user space: attrs and filters. */
#include <stdlib.h>

#include "core/mini_test.h"
#include "core/core_private.h"

static struct mini mini;

static uint32_t *size_word;
static int fetches;

/* Enlarge attr.size after the core has read it, as another thread of the program might. */
static void grow(struct mini *where, enum mini_point point, const volatile void *what)
{
	if (point == MINI_AT_COPY_FROM && ++fetches > 1)
		*size_word = 4096;
}

static void an_attr_that_grows_after_the_check_keeps_the_checked_size(void **state)
{
	struct perf_event_attr *attr = calloc(1, 8192);
	struct tally_core_event *event = NULL;
	int ret;

	mini_test_begin(&mini, 1, NULL);
	*attr = attr_faults(0);
	attr->size = PERF_ATTR_SIZE_VER0;
	size_word = &attr->size;
	fetches = 0;
	mini.at = grow;
	ret = tally_core_open(mini.core, &mini.tasks[0]->perf, attr, -1, 0, -1, 0, &event, NULL);
	mini.at = NULL;
	if (!ret) {
		assert_int_equal(tally_core_event_attr(event)->size, PERF_ATTR_SIZE_VER0);
		tally_core_close(mini.core, event);
	}
	free(attr);
	mini_end(&mini);
}

static const struct tally_core_field field = {"a", 0, 4, false, false};

/* Write a filter that is true if a == 1. The part in parentheses is never true, but the part before
 * the parentheses is. */
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

	mini_test_begin(&mini, 1, NULL);
	assert_int_equal(tally_core_tracepoint_register(mini.core, &point), 0);
	for (int levels = 1; levels < 100; levels++) {
		int fd = must_open(&mini, attr, NULL, 0, -1);

		make_filter(text, sizeof(text), levels);
		if (!mini_ioctl(&mini, mini.tasks[0], fd, PERF_EVENT_IOC_SET_FILTER,
				(uintptr_t)text)) {
			mini.off++;
			tally_core_tracepoint_hit(mini.core, &point, &raw, sizeof(raw), &data);
			mini.off--;
			assert_int_equal(value_of(&mini, fd), 1);
			taken++;
		}
		mini_close(&mini, fd);
	}
	assert_true(taken > 10);
	mini_end(&mini);
}

static void software_events_that_the_host_does_not_offer_are_refused(void **state)
{
	struct tally_host_ops ops = mini_ops;
	struct perf_event_attr attr = attr_faults(0);

	mini_test_begin(&mini, 1, NULL);
	ops.offers = 0;
	for (uint64_t id = PERF_COUNT_SW_BPF_OUTPUT; id <= PERF_COUNT_SW_CGROUP_SWITCHES; id++) {
		attr.config = id;
		mini.core->ops = &ops;
		assert_int_equal(mini_open(&mini, mini.tasks[0], &attr, sizeof(attr), 0, -1, -1, 0),
				 -ENOENT);
		mini.core->ops = &mini_ops;
		assert_true(mini_open(&mini, mini.tasks[0], &attr, sizeof(attr), 0, -1, -1, 0) >=
			    0);
	}
	mini_end(&mini);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_attr_that_grows_after_the_check_keeps_the_checked_size),
		cmocka_unit_test(a_filter_of_any_depth_is_right_or_refused),
		cmocka_unit_test(software_events_that_the_host_does_not_offer_are_refused),
	};

	return cmocka_run_group_tests_name("core/minimal_input", tests, NULL, NULL);
}
