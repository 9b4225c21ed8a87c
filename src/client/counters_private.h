/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of counters share. */
#ifndef TALLY_CLIENT_COUNTERS_PRIVATE_H
#define TALLY_CLIENT_COUNTERS_PRIVATE_H

#include "tally/client.h"

struct counter_event {
	struct perf_event_attr attr;
	size_t leader; /* index of the group's leader; itself if alone */
	struct tally_cpus *cpus;
	int *fds;         /* [cpu * nr_threads + thread]; -1 not open */
	bool all_threads; /* uncore: pid -1 */
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

/* Index of a counter's descriptor. */
static inline size_t counter_index(const struct tally_counters *counters, size_t cpu, size_t thread)
{
	return cpu * counters->threads->nr + thread;
}

/* What a count that was enabled and running so long is worth. */
enum tally_quality counters_quality(const struct tally_counters *counters, uint64_t enabled,
				    uint64_t running);

/* Make room for `more` descriptors within the hard limit. */
void counters_raise_limit(size_t more);

/* Change `attr` to something that the kernel may still accept after `code`; records what was
 * given up in `*fallback`. False when there is nothing more to give up. */
bool counters_give_up(struct perf_event_attr *attr, int code,
		      const struct tally_open_options *options, unsigned *fallback);

/* Explain a refusal: finds the field to blame by opening again with fewer bits. */
void counters_explain(const struct tally_counters *counters, const struct perf_event_attr *attr,
		      int32_t pid, int32_t cpu, int code, struct tally_refusal *ret_why);

#endif
