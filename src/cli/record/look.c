/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/record/look.h"

#include <errno.h>
#include <string.h>

#include "abi/record.h"
#include "base/arith.h"
#include "base/endian.h"
#include "cli/record/pinning.h"

/* A path has at most PATH_MAX bytes; other records that are looked into are shorter. */
enum { ROOM = 8192 };

/* Bytes of a ring's two pieces, from `at` on, made one. */
static const char *ring_bytes(const struct tally_ring_data *data, size_t at, size_t len,
			      char room[ROOM])
{
	size_t first;

	if (at >= data->first_len)
		return (const char *)data->second + (at - data->first_len);
	first = TALLY_MIN(len, data->first_len - at);
	if (first == len)
		return (const char *)data->first + at;
	memcpy(room, data->first + at, first);
	memcpy(room + first, data->second, len - first);
	return room;
}

/* How many were lost, at `offset` of a record. */
static uint64_t lost_at(const struct tally_ring_data *data, size_t at, size_t size, size_t offset)
{
	char room[ROOM];

	if (size < offset + sizeof(uint64_t) || size > ROOM)
		return 0;
	return tally_get_u64(ring_bytes(data, at, size, room) + offset);
}

static int look_at_one(struct record *record, const struct tally_ring_data *data, size_t at,
		       struct perf_event_header header)
{
	char room[ROOM];

	switch (header.type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		if (header.size > ROOM)
			return 0;
		return record_pins_take(record, ring_bytes(data, at, header.size, room),
					header.size);
	case PERF_RECORD_SAMPLE: record->progress.samples++; return 0;
	case PERF_RECORD_LOST:
		record->progress.lost += lost_at(data, at, header.size, 16);
		return 0;
	case PERF_RECORD_LOST_SAMPLES:
		record->progress.lost += lost_at(data, at, header.size, 8);
		return 0;
	default: return 0;
	}
}

int record_look(struct record *record, const struct tally_ring_data *data)
{
	size_t len = data->first_len + data->second_len;
	char room[ROOM];
	int ret = 0;

	if (!record->pins && !record->config->progress)
		return 0;
	for (size_t at = 0; !ret && len - at >= sizeof(struct perf_event_header);) {
		struct perf_event_header header =
			tally_record_header(ring_bytes(data, at, sizeof(header), room));

		if (header.size < sizeof(header) || header.size > len - at)
			break;
		ret = look_at_one(record, data, at, header);
		at += header.size;
	}
	return ret;
}

int record_look_at(struct record *record, const char *records, size_t len)
{
	const struct tally_ring_data data = {.first = (const void *)records, .first_len = len};

	return record_look(record, &data);
}
