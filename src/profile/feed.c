/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/feed.h"

#include <errno.h>

#include "abi/record.h"
#include "base/endian.h"

void tally_feed_damaged(struct tally_feed *feed, uint32_t type)
{
	feed->counts.damaged++;
	feed->counts.damaged_samples += type == PERF_RECORD_SAMPLE;
}

/* A frequency is no weight: where it sets the period, the sample alone knows it. */
static uint64_t sample_weight(const struct perf_event_attr *attr, const struct tally_sample *sample)
{
	if (sample->present & PERF_SAMPLE_PERIOD)
		return sample->period;
	return !attr->freq && attr->sample_period ? attr->sample_period : 1;
}

static int feed_sample(struct tally_feed *feed, const struct tally_feed_event *event,
		       const void *record, size_t size, struct tally_sample *ret_sample,
		       struct tally_feed_sample *ret_facts)
{
	struct tally_thread *thread;

	if (!event->layout || tally_sample_decode(event->layout, record, size, ret_sample, NULL)) {
		tally_feed_damaged(feed, PERF_RECORD_SAMPLE);
		return 0;
	}
	feed->counts.samples++;
	thread = tally_machine_thread(feed->machine, ret_sample->pid, ret_sample->tid);
	if (!thread)
		return -ENOMEM;
	ret_facts->thread = thread;
	ret_facts->weight = sample_weight(event->attr, ret_sample);
	ret_facts->cpumode = tally_record_header(record).misc & PERF_RECORD_MISC_CPUMODE_MASK;
	return 1;
}

/* The word at `at`; 0 in a record that is too short for it. */
static uint64_t record_word(const void *record, size_t size, size_t at)
{
	return size >= at + 8 ? tally_get_u64((const uint8_t *)record + at) : 0;
}

/* LOST says by which id it lost how many, LOST_SAMPLES only how many. */
static void feed_lost(struct tally_feed_counts *counts, uint32_t type, const void *record,
		      size_t size)
{
	enum { LOST_NR = 16, LOST_SAMPLES_NR = 8 };

	switch (type) {
	case PERF_RECORD_LOST: counts->lost_records += record_word(record, size, LOST_NR); break;
	case PERF_RECORD_LOST_SAMPLES:
		counts->lost_samples += record_word(record, size, LOST_SAMPLES_NR);
		break;
	case PERF_RECORD_THROTTLE: counts->throttled++; break;
	}
}

int tally_feed_record(struct tally_feed *feed, const struct tally_feed_event *event,
		      const void *record, size_t size, struct tally_sample *ret_sample,
		      struct tally_feed_sample *ret_facts)
{
	uint32_t type;

	if (size < sizeof(struct perf_event_header)) {
		tally_feed_damaged(feed, 0);
		return 0;
	}
	type = tally_record_header(record).type;
	if (type == PERF_RECORD_SAMPLE)
		return feed_sample(feed, event, record, size, ret_sample, ret_facts);
	feed_lost(&feed->counts, type, record, size);
	return tally_machine_record(feed->machine, record, size);
}
