/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests of what a review of the core found, on the least host:
 *
 *	 1 attr.size fetched twice                 test_review_trust
 *	 2 branch counters that are never set      test_review_rings, test_offers
 *	 3 poll against munmap                     test_review_life, threads/
 *	 4 user memory copied under a lock         test_review_trust
 *	 5 SIGTRAP of another task, kernel address test_review_traps, test_rights
 *	 6 mmap allocates before it charges        test_review_trust
 *	 7 an open that fails late                 test_review_life
 *	 8 deferred work of a CPU off line         test_review_life
 *	 9 an NMI in the middle of a fold          test_review_traps
 *	10 several writers of one ring             test_review_rings
 *	11 a wakeup dropped                        test_review_rings
 *	12 wakeups without end                     test_review_rings
 *	13 a throttled leader                      test_review_traps
 *	14 shares of what rotates                  test_rotation
 *	15 REFRESH and a hook of many events       test_review_traps
 *	16 depth of a filter                       test_review_trust
 *	17 pages too small                         test_review_trust
 *	18 small differences from Linux            test_offers, test_rights, test_review_rings
 *	   scale                                   test_review_scale, test_review_clocks
 *	   what was tried and held                 test_review_held
 */
#ifndef TALLY_TESTS_CORE_REVIEW_H
#define TALLY_TESTS_CORE_REVIEW_H

#include <stdio.h>
#include <string.h>

#include "core/least/least.h"
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

static inline void fail_broken(struct least *least, const char *sentence)
{
	fail_msg("the contract is broken: %s", sentence);
}

/* least_begin(), but a breach of the contract fails the one test. */
static inline void review_begin(struct least *least, uint32_t nr_cpus,
				const struct tally_core_settings *settings)
{
	least_begin(least, nr_cpus, settings);
	least->on_broken = fail_broken;
}

/* Open by tasks[0] on `task` (NULL: all tasks); must work. */
static inline int must_open(struct least *least, struct perf_event_attr attr,
			    const struct least_task *task, int32_t cpu, int group)
{
	int fd = least_open(least, least->tasks[0], &attr, sizeof(attr), task ? task->perf.tid : -1,
			    cpu, group, 0);

	if (fd < 0)
		fail_msg("open gave %d: %s: %s", fd, least->why.field, least->why.rule);
	return fd;
}

/* `nr` data pages, which user space reads: page 0 comes back. */
static inline struct perf_event_mmap_page *must_map(struct least *least, int fd, size_t nr,
						    struct tally_core_buffer **ret_buffer)
{
	struct tally_core_buffer *buffer = NULL;
	int ret = least_mmap(least, least->tasks[0], fd, (1 + nr) * 4096, true, &buffer);

	if (ret)
		fail_msg("mmap gave %d: %s: %s", ret, least->why.field, least->why.rule);
	if (ret_buffer)
		*ret_buffer = buffer;
	return tally_core_buffer_page(buffer, 0);
}

static inline uint64_t value_of(struct least *least, int fd)
{
	uint64_t words[8] = {0};

	assert_true(least_read(least, fd, words, sizeof(words)) > 0);
	return words[0];
}

static inline uint64_t locks_taken(const struct least *least)
{
	return least->nr_ops[LEAST_OP_LOCK];
}

#endif
