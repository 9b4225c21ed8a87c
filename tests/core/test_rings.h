/* SPDX-License-Identifier: BSD-2-Clause */
/* Helpers for ring buffer tests. Each test runs with contiguous and with scattered pages. */
#ifndef TALLY_TESTS_CORE_RINGS_H
#define TALLY_TESTS_CORE_RINGS_H

#include "scripts.h"

static inline struct perf_event_attr attr_ring(uint64_t period)
{
	struct perf_event_attr attr = attr_hw(SIM_CYCLES);

	attr.sample_period = period;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD;
	return attr;
}

static inline void ring_begin(struct harness *harness, uint32_t nr_cpus, bool scattered)
{
	struct tally_core_settings *settings;

	harness_begin(harness, nr_cpus, NULL);
	settings = tally_core_settings(tally_sim_core(harness->sim));
	settings->scattered = scattered;
	settings->max_sample_rate = 10000000;
}

/* Two rows of a test table. The test's state is NULL for contiguous pages and not NULL for
 * scattered pages. */
#define BOTH(test)                                                         \
	{#test ", one piece", test, NULL, NULL, NULL},                     \
	{                                                                  \
#test ", scattered", test, NULL, NULL, (void *)"scattered" \
	}

#endif
