/* SPDX-License-Identifier: BSD-2-Clause */
#include "live/live_merge.h"

#include <errno.h>
#include <string.h>

#include "abi/abi_record.h"
#include "base/arith.h"

/* Return the record at offset `at`, or NULL at the end or if the record header is invalid. After an
 * invalid header, the remaining bytes are ignored. */
static const struct perf_event_header *record_at(const struct tally_merge_ring *ring, size_t at)
{
	size_t left = ring->bytes.len - at;
	const struct perf_event_header *record;

	if (left < sizeof(*record))
		return NULL;
	record = (const struct perf_event_header *)(ring->bytes.data + at);
	return record->size >= sizeof(*record) && record->size <= left ? record : NULL;
}

static void ring_update_time(const struct tally_merge *merge, struct tally_merge_ring *ring)
{
	const struct perf_event_header *record = record_at(ring, ring->at);

	ring->time = record ? tally_live_time(merge->live, record) : UINT64_MAX;
}

static void update_newest(struct tally_merge *merge, const struct tally_merge_ring *ring)
{
	const struct perf_event_header *record, *last = NULL;

	for (size_t at = 0; (record = record_at(ring, at)); at += record->size)
		last = record;
	if (last)
		merge->newest = TALLY_MAX(merge->newest, tally_live_time(merge->live, last));
}

static int ring_append(struct tally_merge_ring *ring, const void *data, size_t len)
{
	if (tally_vec_reserve(&ring->bytes, ring->bytes.len + len))
		return -ENOMEM;
	if (len)
		memcpy(ring->bytes.data + ring->bytes.len, data, len);
	ring->bytes.len += len;
	return 0;
}

int tally_merge_ring_take(struct tally_merge_ring *ring, const struct tally_ring_data *data)
{
	int ret = ring_append(ring, data->first, data->first_len);

	return ret ? ret : ring_append(ring, data->second, data->second_len);
}

/* Move the remaining records to the start of the buffer, and append the others. */
static int ring_extend(struct tally_merge_ring *ring, const struct tally_merge_ring *from)
{
	size_t left = ring->bytes.len - ring->at;

	if (left)
		memmove(ring->bytes.data, ring->bytes.data + ring->at, left);
	ring->bytes.len = left;
	ring->at = 0;
	return ring_append(ring, from->bytes.data, from->bytes.len);
}

int tally_merge_add(struct tally_merge *merge, size_t ring, struct tally_merge_ring *from)
{
	static const struct tally_merge_ring empty = {.time = UINT64_MAX};
	struct tally_merge_ring *to, taken;
	int ret = 0;

	while (merge->rings.len <= ring && !ret)
		ret = tally_vec_push(&merge->rings, empty);
	if (ret || !from->bytes.len)
		return ret;
	update_newest(merge, from);
	merge->left += from->bytes.len;
	merge->current = NULL;
	to = &merge->rings.data[ring];
	if (record_at(to, to->at)) {
		ret = ring_extend(to, from);
		from->bytes.len = 0;
	} else {
		merge->left -= to->bytes.len - to->at; /* discard what follows an invalid header */
		taken = *to;
		*to = *from;
		*from = taken;
		to->at = from->at = from->bytes.len = 0;
	}
	ring_update_time(merge, to);
	return ret;
}

/* Choose the ring with the oldest record, and set merge->until. */
static void choose(struct tally_merge *merge)
{
	uint64_t best = UINT64_MAX;

	merge->current = NULL;
	merge->until = UINT64_MAX;
	tally_vec_for_each (ring, &merge->rings) {
		if (ring->time < best) {
			merge->until = best;
			best = ring->time;
			merge->current = ring;
		} else {
			merge->until = TALLY_MIN(merge->until, ring->time);
		}
	}
}

const struct perf_event_header *tally_merge_next(struct tally_merge *merge, uint64_t limit)
{
	const struct perf_event_header *record;
	struct tally_merge_ring *ring;

	if (!merge->current || merge->current->time > merge->until)
		choose(merge);
	ring = merge->current;
	if (!ring || ring->time > limit)
		return NULL;
	record = record_at(ring, ring->at);
	ring->at += record->size;
	merge->left -= TALLY_MIN(merge->left, (size_t)record->size);
	ring_update_time(merge, ring);
	if (ring->time == UINT64_MAX)
		merge->current = NULL;
	return record;
}

void tally_merge_free(struct tally_merge *merge)
{
	tally_vec_for_each (ring, &merge->rings)
		tally_vec_free(&ring->bytes);
	tally_vec_free(&merge->rings);
}
