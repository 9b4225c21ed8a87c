/* SPDX-License-Identifier: BSD-2-Clause */
/* Cases that parse event strings. They open no events. */
#include <errno.h>
#include <string.h>

#include "base/arith.h"
#include "cli/selftest/selftest.h"
#include "tally/events.h"

static const struct {
	const char *text;
	size_t nr;
	uint32_t type; /* of the first event */
	uint64_t config;
	bool exclude_kernel, exclude_user;
} valid[] = {
	{"page-faults", 1, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, false, false},
	{"faults:u", 1, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, true, false},
	{"cpu-clock:k", 1, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, false, true},
	{"{task-clock,faults}:u,cs", 3, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, true, false},
	{"mem:0x1000/8:rw", 1, PERF_TYPE_BREAKPOINT, 0, false, false},
};

static enum selftest_result check_valid(struct selftest *test, struct tally_events *events,
					size_t i)
{
	struct tally_event_list *list = NULL;
	struct tally_event_error err = {0};
	enum selftest_result result;
	int ret = tally_events_parse(events, valid[i].text, strlen(valid[i].text), &list, &err);
	const struct perf_event_attr *attr = ret ? NULL : &list->specs[0].attr;

	if (ret)
		result = selftest_fail(test, "%s: %s", valid[i].text,
				       err.text ? err.text : strerror(-ret));
	else if (list->nr != valid[i].nr || attr->type != valid[i].type ||
		 attr->config != valid[i].config ||
		 attr->exclude_kernel != valid[i].exclude_kernel ||
		 attr->exclude_user != valid[i].exclude_user)
		result = selftest_fail(test, "%s was parsed as another event", valid[i].text);
	else
		result = SELFTEST_OK;
	tally_event_list_free(list);
	return result;
}

static enum selftest_result parse_valid(struct selftest *test)
{
	enum selftest_result result = SELFTEST_OK;
	struct tally_events *events = NULL;

	if (tally_events_new(NULL, NULL, &events))
		return selftest_fail(test, "out of memory");
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(valid) && result == SELFTEST_OK; i++)
		result = check_valid(test, events, i);
	tally_events_free(events);
	return result;
}

static const struct {
	const char *text;
	size_t offset; /* of the reported error */
} invalid[] = {
	{"page-faults,no-such-event", 12},
	{"page-faults:Q", 12},
	{"mem:0x1000:z", 11},
};

static enum selftest_result parse_invalid(struct selftest *test)
{
	enum selftest_result result = SELFTEST_OK;
	struct tally_events *events = NULL;

	if (tally_events_new(NULL, NULL, &events))
		return selftest_fail(test, "out of memory");
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(invalid) && result == SELFTEST_OK; i++) {
		struct tally_event_list *list = NULL;
		struct tally_event_error err = {0};

		if (!tally_events_parse(events, invalid[i].text, strlen(invalid[i].text), &list,
					&err))
			result = selftest_fail(test, "%s was accepted", invalid[i].text);
		else if (err.offset != invalid[i].offset)
			result = selftest_fail(test, "%s: the error is reported at offset %zu",
					       invalid[i].text, err.offset);
		tally_event_list_free(list);
	}
	tally_events_free(events);
	return result;
}

static enum selftest_result parse_table(struct selftest *test)
{
	static const char name[] = "longest_lat_cache.miss";
	enum selftest_result result = SELFTEST_OK;
	struct tally_event_list *list = NULL;
	struct tally_events_table table = {0};
	struct tally_event_error err = {0};
	struct tally_events *events = NULL;

	if (tally_events_new(NULL, NULL, &events))
		return selftest_fail(test, "out of memory");
	if (tally_events_set_cpu(events, TALLY_CPU_OTHER, "skylake") ||
	    tally_events_table_get(events, &table) || !table.nr_events)
		result = selftest_skip(test, "this program was built without event tables");
	else if (tally_events_parse(events, name, sizeof(name) - 1, &list, &err))
		result = selftest_fail(test, "%s: %s", name, err.text);
	else if ((list->specs[0].attr.config & 0xffff) != 0x412e)
		result = selftest_fail(test, "%s has the wrong encoding", name);
	tally_event_list_free(list);
	tally_events_free(events);
	return result;
}

const struct selftest_case selftest_parse_cases[] = {
	{"Parse event strings", parse_valid, false},
	{"Report errors in event strings", parse_invalid, false},
	{"Find an event in the tables of a CPU", parse_table, false},
	{0},
};
