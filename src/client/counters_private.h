/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to client/: shared by the files that implement counters. */
#ifndef TALLY_CLIENT_COUNTERS_PRIVATE_H
#define TALLY_CLIENT_COUNTERS_PRIVATE_H

#include "tally/client.h"

struct counter_event {
	struct perf_event_attr attr;
	size_t leader; /* index of the group leader; the event's own if ungrouped */
	struct tally_cpus *cpus;
	int *fds;         /* [cpu * nr_threads + thread]; -1: not open */
	bool all_threads; /* uncore event, opened with pid -1 */
	bool weak_group, precise_max, is_open;
	unsigned fallback;
	struct tally_refusal refusal; /* code 0: none */
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

/* Return the quality of a count with these enabled and running times. */
enum tally_quality counters_quality(const struct tally_counters *counters, uint64_t enabled,
				    uint64_t running);

/* Raise RLIMIT_NOFILE for `more` descriptors, up to the hard limit. */
void counters_raise_limit(size_t more);

/* Relax `attr` to something that the kernel may still accept after `code`, and record in
 * `*fallback` what was given up. Returns false if nothing is left to give up. */
bool attr_relax(struct perf_event_attr *attr, int code, const struct tally_open_options *options,
		unsigned *fallback);

/* Explain why an event was rejected. Finds the field to blame by opening the event again with fewer
 * bits. */
void counters_explain(const struct tally_counters *counters, const struct perf_event_attr *attr,
		      int32_t pid, int32_t cpu, int code, struct tally_refusal *ret_why);

#endif
