/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/record/ring_scan.h"

#include <errno.h>
#include <string.h>

#include "abi/abi_record.h"
#include "base/arith.h"
#include "base/clock.h"
#include "base/endian.h"
#include "cli/record/pinning.h"
#include "cli/record/record_state.h"

/* Large enough for any record that is read: a path has at most PATH_MAX bytes, and records without
 * a path are shorter. */
enum { ROOM = 8192 };

/* Limits on the interval between scans, in ns. The interval doubles after each scan that finds no
 * new mappings. */
enum { PAUSE_LEAST = 10000000, PAUSE_MOST = 100000000 };

/* Return `len` bytes at offset `at` in a ring's two pieces. If these bytes are split between the
 * pieces, copy them to the caller's buffer. */
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

/* Return the count of lost records, which is stored at `offset` in the record at `at`. */
static uint64_t lost_at(const struct tally_ring_data *data, size_t at, size_t size, size_t offset)
{
	char room[ROOM];

	if (size < offset + sizeof(uint64_t) || size > ROOM)
		return 0;
	return tally_get_u64(ring_bytes(data, at, size, room) + offset);
}

static int scan_record(struct record *record, const struct tally_ring_data *data, size_t at,
		       struct perf_event_header header, bool is_ring)
{
	char room[ROOM];
	int ret = 0;

	if (is_ring && header.type != PERF_RECORD_SAMPLE && header.size <= ROOM)
		ret = record_state_add(record, ring_bytes(data, at, header.size, room),
				       header.size);
	if (ret)
		return ret;
	switch (header.type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		record->looks.has_maps = true;
		if (header.size > ROOM)
			return 0;
		return record_pins_add(record, ring_bytes(data, at, header.size, room),
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

static int scan_records(struct record *record, const struct tally_ring_data *data, bool is_ring)
{
	size_t len = data->first_len + data->second_len;
	char room[ROOM];
	int ret = 0;

	for (size_t at = 0; !ret && len - at >= sizeof(struct perf_event_header);) {
		struct perf_event_header header =
			tally_record_header(ring_bytes(data, at, sizeof(header), room));

		if (header.size < sizeof(header) || header.size > len - at)
			break;
		ret = scan_record(record, data, at, header, is_ring);
		at += header.size;
	}
	return ret;
}

static bool is_wanted(const struct record *record)
{
	return record->pins || record->state || record->config->progress;
}

int record_scan_records(struct record *record, const char *records, size_t len)
{
	const struct tally_ring_data data = {.first = (const void *)records, .first_len = len};

	return is_wanted(record) ? scan_records(record, &data, false) : 0;
}

/* Scan the records written to a ring since the last scan. */
static int scan_new_records(struct record *record, size_t ring)
{
	struct record_scan_state *looks = &record->looks;
	struct tally_ring_data data;

	while (looks->positions.len <= ring) {
		if (tally_vec_push(&looks->positions, 0))
			return -ENOMEM;
	}
	if (!tally_ring_peek_data(tally_rings_at(record->sampler.rings, ring),
				  &looks->positions.data[ring], &data))
		return 0;
	return scan_records(record, &data, true);
}

int record_scan_ring(struct record *record, size_t ring, const struct tally_ring_data *data)
{
	if (!is_wanted(record))
		return 0;
	if (tally_rings_is_overwrite(record->sampler.rings, ring))
		return scan_records(record, data, true);
	return scan_new_records(record, ring);
}

int record_scan_rings(struct record *record)
{
	struct record_scan_state *looks = &record->looks;
	int ret = 0;

	for (size_t i = 0; !ret && i < tally_rings_nr(record->sampler.rings); i++) {
		if (!tally_rings_is_overwrite(record->sampler.rings, i))
			ret = scan_new_records(record, i);
	}
	record_state_round(record);
	looks->at = tally_clock_now();
	looks->pause = looks->has_maps ? 0 : TALLY_MIN(2 * looks->pause, (uint64_t)PAUSE_MOST);
	looks->pause = TALLY_MAX(looks->pause, (uint64_t)PAUSE_LEAST);
	looks->has_maps = false;
	return ret;
}

uint64_t record_scan_next(const struct record *record)
{
	const struct record_scan_state *looks = &record->looks;

	if (!record->pins)
		return UINT64_MAX;
	return looks->at + looks->pause;
}

void record_scan_free(struct record *record)
{
	tally_vec_free(&record->looks.positions);
}
