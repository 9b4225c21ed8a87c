/* SPDX-License-Identifier: BSD-2-Clause */
/* Read a group with one system call, so that all counts are taken at the same time. */
#include <errno.h>

#include "abi/abi_sample.h"
#include "base/arith.h"
#include "client/counters_private.h"

size_t tally_counters_leader(const struct tally_counters *counters, size_t event)
{
	return counters->events[event].leader;
}

/* Fill in the counts. The kernel lists a group's members in the order in which they were opened. */
static void group_fill_counts(struct tally_counters *counters, size_t leader, size_t cpu,
			      size_t thread, const struct tally_read *read,
			      struct tally_count *ret_counts)
{
	uint64_t member = 0;

	for (size_t i = leader; i < counters->nr_events && member < read->nr; i++) {
		struct tally_read_value value;

		if (counters->events[i].leader != leader ||
		    tally_counters_fd(counters, i, cpu, thread) < 0)
			continue;
		value = tally_read_get(read, member++);
		ret_counts[i] = (struct tally_count){
			.value = value.value,
			.enabled = read->time_enabled,
			.running = read->time_running,
			.lost = value.lost,
			.quality =
				counters_quality(counters, read->time_enabled, read->time_running),
		};
	}
}

int tally_counters_read_group(struct tally_counters *counters, size_t leader, size_t cpu,
			      size_t thread, struct tally_count *ret_counts)
{
	uint64_t format = counters->events[leader].attr.read_format;
	int fd = tally_counters_fd(counters, leader, cpu, thread);
	struct tally_read read;
	uint64_t words[1024];
	int64_t len;
	int ret;

	if (fd < 0 || !(format & PERF_FORMAT_GROUP))
		return tally_counters_read(counters, leader, cpu, thread, &ret_counts[leader]);
	len = counters->transport->read(counters->transport, fd, words, sizeof(words));
	if (len < 0)
		return (int)len;
	/* A read returns end-of-file for a pinned group that could not be scheduled. */
	if (!len)
		return 0;
	ret = tally_read_decode(words, (size_t)len, format, &read, NULL, NULL);
	if (!ret)
		group_fill_counts(counters, leader, cpu, thread, &read, ret_counts);
	return ret;
}
