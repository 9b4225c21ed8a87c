/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Run the core on the minimal host with some of the switches in tally/config.h turned off. The
 * remaining features must work, and requests for missing features must be rejected. run.sh builds
 * this program once per switch.
 */
#include <stdio.h>
#include <string.h>

#include "core/minimal/mini.h"

enum { PMU = 10 };

static struct mini mini;
static const char *failed;

#define CHECK(what)                                                 \
	do {                                                        \
		if (!(what)) {                                      \
			printf("# line %d: %s\n", __LINE__, #what); \
			failed = #what;                             \
		}                                                   \
	} while (0)

static int open_event(struct perf_event_attr attr, int group)
{
	struct mini_task *task = mini.tasks[0];

	attr.size = sizeof(attr);
	return mini_open(&mini, task, &attr, sizeof(attr), task->perf.tid, -1, group, 0);
}

/* Read a group of two events with a single read. */
static void counts(void)
{
	const struct perf_event_attr attr = {
		.type = PMU, .config = 1, .read_format = PERF_FORMAT_GROUP};
	uint64_t words[3] = {0};
	int leader = open_event(attr, -1);

	CHECK(leader >= 0 && open_event(attr, leader) >= 0);
	mini_switch(&mini, mini.tasks[0]);
	mini_count(&mini, 0, 12345);
	mini_count(&mini, 1, 54321);
	mini_switch(&mini, NULL);
	CHECK(mini_read(&mini, leader, words, sizeof(words)) == sizeof(words));
	CHECK(words[0] == 2 && words[1] == 12345 && words[2] == 54321);
}

/* Count a task on one CPU, possibly the machine's only CPU. */
static void counts_there(void)
{
	struct perf_event_attr attr = {.type = PMU, .size = sizeof(attr), .config = 1};
	struct mini_task *task = mini.tasks[0];
	uint64_t value = 0;
	int fd = mini_open(&mini, task, &attr, sizeof(attr), task->perf.tid, 0, -1, 0);

	CHECK(fd >= 0);
	mini_switch(&mini, task);
	mini_count(&mini, 0, 777);
	mini_switch(&mini, NULL);
	CHECK(mini_read(&mini, fd, &value, sizeof(value)) == sizeof(value) && value == 777);
}

/* If there are more events than counters, each event must count part of the time. */
static void rotates(void)
{
	const struct perf_event_attr attr = {.type = PMU,
					     .config = 1,
					     .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
							    PERF_FORMAT_TOTAL_TIME_RUNNING};
	int fds[MINI_COUNTERS + 2];

	for (int i = 0; i < MINI_COUNTERS + 2; i++)
		fds[i] = open_event(attr, -1);
	mini_switch(&mini, mini.tasks[0]);
	for (int i = 0; i < 60; i++) {
		mini_advance(&mini, 4000000);
		mini_tick(&mini);
	}
	mini_switch(&mini, NULL);
	for (int i = 0; i < MINI_COUNTERS + 2; i++) {
		uint64_t words[3] = {0};

		CHECK(mini_read(&mini, fds[i], words, sizeof(words)) == sizeof(words));
		CHECK(words[1] == UINT64_C(240000000) && words[2] && words[2] < words[1]);
	}
}

static void samples(void)
{
	const struct tally_core_sample_data data = {.ip = 0x77, .mode = PERF_RECORD_MISC_USER};
	int fd = open_event((struct perf_event_attr){.type = PMU,
						     .sample_period = 100,
						     .wakeup_events = 1,
						     .sample_type = PERF_SAMPLE_IP},
			    -1);
	struct tally_core_buffer *buffer = NULL;

	CHECK(mini_mmap(&mini, mini.tasks[0], fd, (size_t)3 * 4096, true, &buffer) == 0);
	mini_switch(&mini, mini.tasks[0]);
	mini_count(&mini, 0, 100);
	CHECK(mini_overflow(&mini, 0, &data));
	CHECK(((const uint64_t *)tally_core_buffer_page(buffer, 1))[1] == 0x77);
	CHECK(mini_poll(&mini, fd) == TALLY_CORE_POLLIN);
	mini_switch(&mini, NULL);
}

static void ticks_by_clock(void)
{
	int fd = open_event((struct perf_event_attr){.type = PERF_TYPE_SOFTWARE,
						     .config = PERF_COUNT_SW_TASK_CLOCK},
			    -1);
	uint64_t value = 0;

	mini_switch(&mini, mini.tasks[0]);
	mini_advance(&mini, 5000000);
	mini_switch(&mini, NULL);
	CHECK(mini_read(&mini, fd, &value, sizeof(value)) == sizeof(value) && value == 5000000);
}

static struct perf_event_attr software(void)
{
	return (struct perf_event_attr){.type = PERF_TYPE_SOFTWARE,
					.config = TALLY_CORE_SOFTWARE_EVENTS
							  ? PERF_COUNT_SW_PAGE_FAULTS
							  : PERF_COUNT_SW_TASK_CLOCK};
}

/* Check that an existing feature works, and that a missing one is rejected with the error
 * documented in config.h. */
static void answers(int got, bool there, int refusal)
{
	CHECK(there ? got >= 0 : got == refusal);
}

static void inherits(void)
{
	struct perf_event_attr attr = software();
	struct mini_task *child;
	uint64_t value = 0;
	int fd;

	attr.inherit = 1;
	fd = open_event(attr, -1);
	answers(fd, TALLY_CORE_INHERITANCE, -EOPNOTSUPP);
	child = mini_fork(&mini, mini.tasks[0], true);
	mini_switch(&mini, child);
	mini_software(&mini, PERF_COUNT_SW_PAGE_FAULTS, 3);
	mini_exit(&mini, child);
	if (TALLY_CORE_INHERITANCE && TALLY_CORE_SOFTWARE_EVENTS)
		CHECK(mini_read(&mini, fd, &value, sizeof(value)) == sizeof(value) && value == 3);
}

static void tells_of_tasks(void)
{
	struct perf_event_attr attr = software();

	attr.comm = 1;
	answers(open_event(attr, -1), TALLY_CORE_SIDEBAND, -EOPNOTSUPP);
	tally_core_comm(mini.core, &mini.tasks[0]->perf, "name", false);
}

static void samples_parts(void)
{
	struct perf_event_attr attr = software();

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN;
	answers(open_event(attr, -1), TALLY_CORE_SAMPLE_PARTS, -EOPNOTSUPP);
	attr.sample_type = PERF_SAMPLE_IP;
	attr.use_clockid = 1;
	answers(open_event(attr, -1), false, TALLY_CORE_SAMPLE_PARTS ? -EINVAL : -EOPNOTSUPP);
}

static void finds_periods(void)
{
	struct perf_event_attr attr = software();

	attr.freq = 1;
	attr.sample_freq = 1000;
	answers(open_event(attr, -1), TALLY_CORE_FREQUENCIES, -EOPNOTSUPP);
}

static void traps(void)
{
	struct perf_event_attr attr = software(), other = {.type = PMU, .size = sizeof(other)};
	int plain = open_event(attr, -1);

	attr.sample_period = 1;
	attr.sigtrap = attr.remove_on_exec = 1;
	answers(open_event(attr, -1), TALLY_CORE_TRAPS, -EOPNOTSUPP);
	CHECK(mini_ioctl(&mini, mini.tasks[0], plain, PERF_EVENT_IOC_MODIFY_ATTRIBUTES,
			 (uintptr_t)&other) == (TALLY_CORE_TRAPS ? -EINVAL : -ENOTTY));
}

/* Counting all tasks on a CPU requires privileges. */
static void knows_users(void)
{
	struct perf_event_attr attr = software();
	struct mini_task *task = mini.tasks[0];

	attr.size = sizeof(attr);
	mini.caps = 0;
	answers(mini_open(&mini, task, &attr, sizeof(attr), -1, 0, -1, 0), !TALLY_CORE_USERS,
		-EACCES);
}

static void keeps_attrs(void)
{
	struct perf_event_attr attr = software();

	attr.config3 = 1;
	answers(open_event(attr, -1), TALLY_CORE_WHOLE_ATTR, -EOPNOTSUPP);
}

static void traces(void)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_TRACEPOINT, .config = 7};
	int plain = open_event(software(), -1);

	mini.tracepoint = (struct tally_core_tracepoint){.system = "a", .name = "b", .id = 7};
	answers(tally_core_tracepoint_register(mini.core, &mini.tracepoint), TALLY_CORE_TRACEPOINTS,
		-EOPNOTSUPP);
	answers(open_event(attr, -1), TALLY_CORE_TRACEPOINTS, -ENOENT);
	CHECK(mini_ioctl(&mini, mini.tasks[0], plain, PERF_EVENT_IOC_SET_FILTER,
			 (uintptr_t) "x == 1") == (TALLY_CORE_TRACEPOINTS ? -EINVAL : -EOPNOTSUPP));
}

static void explains(void)
{
	struct perf_event_attr attr = software();

	attr.__reserved_1 = 1;
	CHECK(open_event(attr, -1) == -EINVAL);
	CHECK(mini.why.code == -EINVAL);
#if TALLY_CORE_REASONS
	CHECK(!strcmp(mini.why.field, "__reserved"));
#endif
}

static void takes_so_many_pmus(void)
{
	struct tally_core_pmu pmu = mini.pmus[0];

	pmu.core = false;
	pmu.type = 100;
	answers(tally_core_pmu_register(mini.core, &pmu), TALLY_CORE_SEVERAL_PMUS, -ENOSPC);
	if (TALLY_CORE_SEVERAL_PMUS)
		CHECK(tally_core_pmu_unregister(mini.core, &pmu) == 0);
}

static const struct {
	const char *name;
	void (*run)(void);
} tests[] = {
	{"counts", counts},
	{"counts_there", counts_there},
	{"rotates", rotates},
	{"samples", samples},
	{"ticks_by_clock", ticks_by_clock},
	{"inherits", inherits},
	{"tells_of_tasks", tells_of_tasks},
	{"samples_parts", samples_parts},
	{"finds_periods", finds_periods},
	{"traps", traps},
	{"knows_users", knows_users},
	{"keeps_attrs", keeps_attrs},
	{"traces", traces},
	{"explains", explains},
	{"takes_so_many_pmus", takes_so_many_pmus},
};

int main(void)
{
	const char *first = NULL;

	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		failed = NULL;
		mini_begin(&mini, TALLY_CORE_SEVERAL_CPUS ? 2 : 1, NULL);
		tests[i].run();
		mini_end(&mini);
		if (failed && !first)
			first = tests[i].name;
	}
	if (first)
		printf("# %s\n", first);
	return !!first;
}
