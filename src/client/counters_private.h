/* SPDX-License-Identifier: BSD-2-Clause */
/* Declarations shared by the files that implement counters; private to client/. */
#ifndef TALLY_CLIENT_COUNTERS_PRIVATE_H
#define TALLY_CLIENT_COUNTERS_PRIVATE_H

#include "tally/client.h"

struct counter_event {
	struct perf_event_attr attr;
	size_t leader; /* index of the group leader, or its own index if ungrouped */
	struct tally_cpus *cpus;
	int *fds;         /* indexed by cpu * nr_threads + thread; -1 if not open */
	bool all_threads; /* uncore event, opened with pid -1 */
	bool weak_group, precise_max, is_open;
	unsigned fallback;
	struct tally_refusal refusal; /* code is 0 if the event was not refused */
};

struct tally_counters {
	const struct tally_transport *transport;
	struct tally_open_options options;
	struct tally_threads *threads;
	size_t nr_events;
	struct counter_event *events;
};

/* Return the index of a counter's descriptor in `fds`. */
static inline size_t counter_index(const struct tally_counters *counters, size_t cpu, size_t thread)
{
	return cpu * counters->threads->nr + thread;
}

/* Return the quality of a count, based on its enabled and running times. */
enum tally_quality counters_quality(const struct tally_counters *counters, uint64_t enabled,
				    uint64_t running);

/* Raise RLIMIT_NOFILE, up to the hard limit, to allow for `more` descriptors. */
void counters_raise_limit(size_t more);

/* Relax `attr` to request something that the kernel may still accept after the error `code`, and
 * record the change in `*fallback`. Returns false if nothing is left to relax. */
bool attr_relax(struct perf_event_attr *attr, int code, const struct tally_open_options *options,
		unsigned *fallback);

/* Explain why an event was rejected. Finds the responsible field by opening the event again with
 * fewer bits set. */
void counters_explain(const struct tally_counters *counters, const struct perf_event_attr *attr,
		      int32_t pid, int32_t cpu, int code, struct tally_refusal *ret_why);

#endif
