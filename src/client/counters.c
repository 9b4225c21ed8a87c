/* SPDX-License-Identifier: BSD-2-Clause */
/* Enable, disable and read open counters. */
#include <errno.h>

#include "abi/abi_sample.h"
#include "client/counters_private.h"

size_t tally_counters_nr_events(const struct tally_counters *counters)
{
	return counters->nr_events;
}

const struct perf_event_attr *tally_counters_attr(const struct tally_counters *counters,
						  size_t event)
{
	return &counters->events[event].attr;
}

unsigned tally_counters_fallback(const struct tally_counters *counters, size_t event)
{
	return counters->events[event].fallback;
}

const struct tally_refusal *tally_counters_refusal(const struct tally_counters *counters,
						   size_t event)
{
	const struct tally_refusal *refusal = &counters->events[event].refusal;

	return refusal->code ? refusal : NULL;
}

const struct tally_cpus *tally_counters_cpus(const struct tally_counters *counters, size_t event)
{
	return counters->events[event].cpus;
}

size_t tally_counters_nr_threads(const struct tally_counters *counters)
{
	return counters->threads->nr;
}

int tally_counters_fd(const struct tally_counters *counters, size_t event, size_t cpu,
		      size_t thread)
{
	return counters->events[event].fds[counter_index(counters, cpu, thread)];
}

/* Return the position of an event's count in the counts of its group, which are in the order in
 * which the members were opened. */
static uint64_t group_position(const struct tally_counters *counters, size_t event)
{
	size_t leader = counters->events[event].leader;
	uint64_t position = 0;

	for (size_t i = leader; i < event; i++)
		position += counters->events[i].leader == leader && counters->events[i].is_open;
	return position;
}

/* Before Linux 3.12, there is no PERF_EVENT_IOC_ID, but counts contain the ID if the event asks for
 * it. */
static int read_id(const struct tally_counters *counters, size_t event, int fd, uint64_t *ret_id)
{
	uint64_t format = counters->events[event].attr.read_format, at = 0;
	struct tally_read read;
	uint64_t words[256];
	int64_t len = counters->transport->read(counters->transport, fd, words, sizeof(words));

	if (format & PERF_FORMAT_GROUP)
		at = group_position(counters, event);
	if (!(format & PERF_FORMAT_ID) || len <= 0 ||
	    tally_read_decode(words, (size_t)len, format, &read, NULL, NULL) || at >= read.nr)
		return -ENOTTY;
	*ret_id = tally_read_get(&read, at).id;
	return 0;
}

int tally_counters_id(const struct tally_counters *counters, size_t event, size_t cpu,
		      size_t thread, uint64_t *ret_id)
{
	int fd = tally_counters_fd(counters, event, cpu, thread), ret;

	if (fd < 0)
		return -EBADF;
	ret = counters->transport->ioctl(counters->transport, fd, PERF_EVENT_IOC_ID,
					 (uintptr_t)ret_id);
	return ret == -ENOTTY ? read_id(counters, event, fd, ret_id) : ret;
}

/* Issue an ioctl on all of the event's counters. Returns the first error. */
static int event_ioctl(struct tally_counters *counters, struct counter_event *event,
		       unsigned long request, uintptr_t arg)
{
	int ret = 0;

	for (size_t i = 0; i < event->cpus->nr * counters->threads->nr; i++) {
		int one = 0;

		if (event->fds[i] >= 0)
			one = counters->transport->ioctl(counters->transport, event->fds[i],
							 request, arg);
		ret = ret ? ret : one;
	}
	return ret;
}

static int leaders_ioctl(struct tally_counters *counters, unsigned long request)
{
	int ret = 0;

	for (size_t i = 0; i < counters->nr_events; i++) {
		int one = 0;

		if (counters->events[i].leader == i)
			one = event_ioctl(counters, &counters->events[i], request,
					  PERF_IOC_FLAG_GROUP);
		ret = ret ? ret : one;
	}
	return ret;
}

int tally_counters_enable(struct tally_counters *counters)
{
	return leaders_ioctl(counters, PERF_EVENT_IOC_ENABLE);
}

int tally_counters_disable(struct tally_counters *counters)
{
	return leaders_ioctl(counters, PERF_EVENT_IOC_DISABLE);
}

int tally_counters_filter(struct tally_counters *counters, size_t event, const char *filter)
{
	return event_ioctl(counters, &counters->events[event], PERF_EVENT_IOC_SET_FILTER,
			   (uintptr_t)filter);
}

enum tally_quality counters_quality(const struct tally_counters *counters, uint64_t enabled,
				    uint64_t running)
{
	if (!running)
		return TALLY_QUALITY_NEVER_RAN;
	if (counters->transport->estimates)
		return TALLY_QUALITY_ESTIMATED;
	return running < enabled ? TALLY_QUALITY_SCALED : TALLY_QUALITY_EXACT;
}

static struct tally_count count_absent(const struct counter_event *event)
{
	bool forbidden = tally_rule_is_permission(event->refusal.broken);

	return (struct tally_count){
		.quality = forbidden        ? TALLY_QUALITY_NOT_PERMITTED
			   : event->is_open ? TALLY_QUALITY_NEVER_RAN
					    : TALLY_QUALITY_NOT_SUPPORTED,
	};
}

/* Return the index of the event's value among the values that its descriptor reads. With
 * PERF_FORMAT_GROUP, these are the values of all members, in the order in which they were
 * opened. */
static uint64_t value_index(const struct tally_counters *counters, size_t event, size_t cpu,
			    size_t thread)
{
	size_t leader = counters->events[event].leader;
	uint64_t index = 0;

	if (!(counters->events[event].attr.read_format & PERF_FORMAT_GROUP))
		return 0;
	for (size_t i = leader; i < event; i++)
		index += counters->events[i].leader == leader &&
			 tally_counters_fd(counters, i, cpu, thread) >= 0;
	return index;
}

int tally_counters_read(struct tally_counters *counters, size_t index, size_t cpu, size_t thread,
			struct tally_count *ret_count)
{
	const struct counter_event *event = &counters->events[index];
	int fd = tally_counters_fd(counters, index, cpu, thread);
	struct tally_read_value value;
	struct tally_read read;
	uint64_t words[1024], at;
	int64_t len;
	int ret;

	if (fd < 0) {
		*ret_count = count_absent(event);
		return 0;
	}
	len = counters->transport->read(counters->transport, fd, words, sizeof(words));
	if (len < 0)
		return (int)len;
	/* A read returns end-of-file for a pinned event that could not be scheduled. */
	if (!len) {
		*ret_count = (struct tally_count){.quality = TALLY_QUALITY_NEVER_RAN};
		return 0;
	}
	ret = tally_read_decode(words, (size_t)len, event->attr.read_format, &read, NULL, NULL);
	if (ret)
		return ret;
	at = value_index(counters, index, cpu, thread);
	if (at >= read.nr)
		return -EINVAL;
	value = tally_read_get(&read, at);
	*ret_count = (struct tally_count){
		.value = value.value,
		.enabled = read.time_enabled,
		.running = read.time_running,
		.lost = value.lost,
		.quality = counters_quality(counters, read.time_enabled, read.time_running),
	};
	return 0;
}
