/* SPDX-License-Identifier: BSD-2-Clause */
/* Helpers for tests on the minimal host: attrs, and calls that must succeed. */
#ifndef TALLY_TESTS_CORE_MINIMAL_TEST_H
#define TALLY_TESTS_CORE_MINIMAL_TEST_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/minimal/mini.h"
#include "test.h"

static inline struct perf_event_attr attr_faults(uint64_t period)
{
	return (struct perf_event_attr){.type = PERF_TYPE_SOFTWARE,
					.size = sizeof(struct perf_event_attr),
					.config = PERF_COUNT_SW_PAGE_FAULTS,
					.sample_period = period,
					.sample_type = period ? PERF_SAMPLE_TID : 0};
}

static inline struct perf_event_attr attr_counter(uint64_t period)
{
	return (struct perf_event_attr){.type = 10,
					.size = sizeof(struct perf_event_attr),
					.config = 1,
					.sample_period = period,
					.sample_type = period ? PERF_SAMPLE_IP : 0};
}

static inline void fail_broken(struct mini *mini, const char *sentence)
{
	fail_msg("the contract is broken: %s", sentence);
}

/* Like mini_begin(), but a contract violation only fails the running test. */
static inline void mini_test_begin(struct mini *mini, uint32_t nr_cpus,
				   const struct tally_core_settings *settings)
{
	mini_begin(mini, nr_cpus, settings);
	mini->on_broken = fail_broken;
}

/* Create a host with two CPUs and run tasks[1] on CPU 0. */
static inline void mini_test_begin_running(struct mini *mini)
{
	mini_test_begin(mini, 2, NULL);
	mini_switch(mini, mini_task_new(mini));
}

/* Open an event as tasks[0] on `task`, or on all tasks if `task` is NULL. A failure fails the
 * test. */
static inline int must_open(struct mini *mini, struct perf_event_attr attr,
			    const struct mini_task *task, int32_t cpu, int group)
{
	int fd = mini_open(mini, mini->tasks[0], &attr, sizeof(attr), task ? task->perf.tid : -1,
			   cpu, group, 0);

	if (fd < 0)
		fail_msg("open gave %d: %s: %s", fd, mini->why.field, mini->why.rule);
	return fd;
}

/* Map a writable metadata page and `nr` data pages, and return the metadata page. A failure fails
 * the test. */
static inline struct perf_event_mmap_page *must_map(struct mini *mini, int fd, size_t nr,
						    struct tally_core_buffer **ret_buffer)
{
	struct tally_core_buffer *buffer = NULL;
	int ret = mini_mmap(mini, mini->tasks[0], fd, (1 + nr) * 4096, true, &buffer);

	if (ret)
		fail_msg("mmap gave %d: %s: %s", ret, mini->why.field, mini->why.rule);
	if (ret_buffer)
		*ret_buffer = buffer;
	return tally_core_buffer_page(buffer, 0);
}

/* Return the count of an event that has no read_format. */
static inline uint64_t count_of(struct mini *mini, int fd)
{
	uint64_t value = 0;

	assert_int_equal(mini_read(mini, fd, &value, sizeof(value)), sizeof(value));
	return value;
}

/* Read an event that has any read_format, and return the first word. */
static inline uint64_t value_of(struct mini *mini, int fd)
{
	uint64_t words[8] = {0};

	assert_true(mini_read(mini, fd, words, sizeof(words)) >= 8);
	return words[0];
}

/* Register a copy of pmus[0] with a type of its own. The caller frees the copy. */
static inline struct tally_core_pmu *pmu_new(struct mini *mini, uint32_t type,
					     int (*init)(struct tally_core_pmu *pmu,
							 struct tally_core_hw *hw))
{
	struct tally_core_pmu *pmu = malloc(sizeof(*pmu));

	assert_non_null(pmu);
	*pmu = mini->pmus[0];
	pmu->type = type;
	pmu->owner = NULL;
	pmu->next = NULL;
	pmu->cpus = NULL;
	if (init)
		pmu->init = init;
	assert_int_equal(tally_core_pmu_register(mini->core, pmu), 0);
	return pmu;
}

static inline uint64_t locks_taken(const struct mini *mini)
{
	return mini->nr_ops[MINI_OP_LOCK];
}

#endif
