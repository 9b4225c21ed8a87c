/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/process/group_reads.h"

#include "base/arith.h"
#include "base/hash.h"

/* Return the key of a counter. An inherited event has one counter per thread, with one ID for all
 * of them. */
static uint64_t counter_key(const struct tally_feed_sample *sample, uint64_t id)
{
	bool is_per_thread = sample->attr->inherit && sample->sample.present & PERF_SAMPLE_TID;

	return is_per_thread ? tally_hash_u64((uint32_t)sample->sample.tid, id) : id;
}

/* Set the sample's period to the increase of a counter. Returns 0 or -ENOMEM. */
static int count_since(struct tally_map *counts, uint64_t key, uint64_t value,
		       struct tally_feed_sample *sample)
{
	uint64_t before = tally_map_get(counts, key);

	value = TALLY_MIN(value, TALLY_MAP_NONE - 1);
	sample->period = value - (before == TALLY_MAP_NONE ? 0 : before);
	return tally_map_set(counts, key, value);
}

bool tally_group_reads_has(const struct tally_feed_sample *sample)
{
	return sample->sample.present & PERF_SAMPLE_READ && sample->sample.read.nr;
}

int tally_group_reads_pass(struct tally_group_reads *reads, struct tally_feed_sample *sample,
			   tally_feed_fn *pass, void *pass_arg)
{
	const struct tally_read *read = &sample->sample.read;
	int ret = 0;

	if (!tally_group_reads_has(sample))
		return pass(pass_arg, sample);
	for (uint64_t i = 0; i < read->nr && !ret; i++) {
		struct tally_read_value value = tally_read_get(read, i);
		uint64_t id = read->format & PERF_FORMAT_ID ? value.id : sample->sample.id;
		uint64_t key = counter_key(sample, id);
		const struct perf_event_attr *attr = reads->find(reads->arg, id, &sample->event);

		sample->attr = attr ? attr : sample->attr;
		ret = count_since(&reads->counts, key, value.value, sample);
		if (!ret && sample->period)
			ret = pass(pass_arg, sample);
	}
	return ret;
}

void tally_group_reads_free(struct tally_group_reads *reads)
{
	tally_map_free(&reads->counts);
}
