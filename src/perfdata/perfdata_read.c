/* SPDX-License-Identifier: BSD-2-Clause */
/* Returns records in file order or in time order. */
#include <errno.h>
#include <string.h>

#include "base/arith.h"
#include "base/endian.h"
#include "perfdata/ahead.h"
#include "perfdata/input.h"
#include "perfdata/reader.h"
#include "perfdata/swap.h"

/* Prefetch distance for upcoming records, in bytes. */
#define PREFETCH_AHEAD ((uint64_t)2048)

/* ---- one record ---------------------------------------------------------- */

/* Copy a record, and convert the copy to host byte order. */
static int raw_swap(struct tally_perfdata *data, struct tally_raw *raw,
		    const struct tally_event *event)
{
	struct perf_event_header header = {raw->type, raw->misc, raw->size};
	struct tally_chunk *from = raw->chunk;
	uint8_t *copy;

	if (from)
		tally_chunk_ref(from);
	copy = tally_reader_scratch(data, raw->size);
	if (copy)
		memcpy(copy, raw->data, raw->size);
	tally_chunk_unref(from);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, &header, sizeof(header));
	raw->data = copy;
	raw->chunk = data->scratch;
	if (raw->flags & TALLY_PERFDATA_OLD_FEATURE)
		return 0;
	if (!tally_perfdata_swap_body(event ? &event->layout : NULL, copy, raw->size, false, NULL))
		return 0;
	raw->flags |= TALLY_PERFDATA_DAMAGED;
	tally_reader_add_note(
		data, (struct tally_perfdata_note){
			      .kind = TALLY_NOTE_BAD_RECORD,
			      .what = raw->type,
			      .offset = raw->offset,
			      .text = "invalid sizes inside a record with foreign byte order"});
	return 0;
}

static bool is_container(const struct tally_raw *raw)
{
	return (raw->type == TALLY_PERFDATA_COMPRESSED ||
		raw->type == TALLY_PERFDATA_COMPRESSED2) &&
	       !(raw->flags & (TALLY_PERFDATA_EXPANDED | TALLY_PERFDATA_OLD_FEATURE));
}

/* Count a record, unless it is being reread after rewinding. */
static void count_record(struct tally_perfdata *data)
{
	if (++data->read > data->processed) {
		data->processed = data->read;
		data->info.nr_records++;
	}
}

/* The first of simpleperf's record types, which do not affect samples and are therefore not
 * reported as unknown. */
enum { SIMPLEPERF_TYPES = 32768 };

static void note_unknown(struct tally_perfdata *data, const struct tally_raw *raw)
{
	if (raw->type >= SIMPLEPERF_TYPES || tally_perfdata_describe(raw->type))
		return;
	tally_reader_add_note(data, (struct tally_perfdata_note){.kind = TALLY_NOTE_UNKNOWN_RECORD,
								 .what = raw->type,
								 .offset = raw->offset,
								 .bytes = raw->size,
								 .text = "unknown record type"});
}

/* Process compressed records and metadata. After rewinding, compressed records are expanded again,
 * but metadata is not applied again. */
static int raw_process(struct tally_perfdata *data, struct tally_raw *raw)
{
	int ret = 0;

	if (raw->type >= PERF_RECORD_MAX && data->read >= data->processed)
		note_unknown(data, raw);
	if (tally_record_is_user(raw->type)) {
		if (is_container(raw)) {
			raw->flags |= TALLY_PERFDATA_CONTAINER;
			ret = tally_inflater_feed(data, raw);
		} else if (data->read >= data->processed) {
			ret = tally_reader_metadata_add(data, raw);
		}
	}
	count_record(data);
	return ret;
}

/* Return the next record, in host byte order, with its event. */
static int reader_next(struct tally_perfdata *data, struct tally_raw *raw,
		       struct tally_event **ret_event, struct tally_error *err)
{
	int ret = 0;

	if (data->failed.code)
		return tally_error_at(err, data->failed.code, data->failed.text,
				      data->failed.offset);
	if (data->inflater)
		ret = tally_inflater_next(data, raw, &data->failed);
	if (!ret)
		ret = tally_input_next(data, raw, &data->failed);
	if (!ret) {
		tally_inflater_finish(data);
		return 0;
	}
	if (ret > 0) {
		int taken = raw_process(data, raw);

		*ret_event = tally_perfdata_events_find(&data->events, raw->type, raw->data,
							raw->size, data->info.is_foreign);
		if (!taken && data->info.is_foreign)
			taken = raw_swap(data, raw, *ret_event);
		if (taken)
			ret = tally_error_at(&data->failed, taken, "out of memory", raw->offset);
	}
	if (ret < 0)
		return tally_error_at(err, data->failed.code, data->failed.text,
				      data->failed.offset);
	return 1;
}

static void record_set(struct tally_perfdata_record *record, const struct tally_raw *raw,
		       const struct tally_event *event, uint64_t number)
{
	*record = (struct tally_perfdata_record){
		.data = raw->data,
		.size = raw->size,
		.type = raw->type,
		.misc = raw->misc,
		.flags = raw->flags,
		.file = raw->file,
		.offset = raw->offset,
		.number = number,
		.time = tally_perfdata_events_time(event, raw->type, raw->data, raw->size),
		.event = event ? &event->pub : NULL,
		.payload = raw->payload,
		.payload_len = raw->payload_len,
	};
}

/* ---- file order ---------------------------------------------------------- */

int tally_perfdata_next(struct tally_perfdata *data, struct tally_perfdata_record *ret_record,
			struct tally_error *err)
{
	struct tally_raw raw;
	struct tally_event *event = NULL;
	int ret = reader_next(data, &raw, &event, err);

	if (ret <= 0)
		return ret;
	record_set(ret_record, &raw, event, data->read - 1);
	tally_release_touch(data, raw.data, raw.size + raw.payload_len);
	return 1;
}

/* ---- time order ---------------------------------------------------------- */

/* Return true if a record must be returned immediately because it has no timestamp or arrived too
 * late to be sorted. */
static bool is_immediate(struct tally_perfdata *data, uint64_t time, uint16_t *flags)
{
	if (!time || time == UINT64_MAX)
		return true;
	if (time >= data->order.taken)
		return false;
	*flags |= TALLY_PERFDATA_LATE;
	data->info.nr_late++;
	return true;
}

static bool is_wanted(const struct tally_perfdata *data, uint32_t type, uint64_t number)
{
	if (!data->wanted || type != PERF_RECORD_SAMPLE)
		return true;
	return number < data->nr_wanted && tally_bit_is_set(data->wanted, number);
}

static int order_put(struct tally_perfdata *data, const struct tally_raw *raw,
		     const struct tally_event *event, uint64_t number, uint64_t time)
{
	struct tally_order_entry *entry = tally_order_add(&data->order, time, number);

	if (!entry)
		return -ENOMEM;
	entry->data = raw->data;
	entry->chunk = raw->chunk;
	entry->offset = raw->offset;
	entry->event = event ? event->pub.index + 1 : 0;
	entry->flags = raw->flags;
	entry->size = raw->size;
	entry->file = (uint16_t)raw->file;
	if (entry->chunk)
		tally_chunk_ref(entry->chunk);
	return 0;
}

static void order_get(struct tally_perfdata *data, const struct tally_order_entry *entry,
		      struct tally_perfdata_record *ret_record)
{
	struct perf_event_header header;

	memcpy(&header, entry->data, sizeof(header));
	data->held = entry->chunk;
	*ret_record = (struct tally_perfdata_record){
		.data = entry->data,
		.size = entry->size,
		.type = header.type,
		.misc = header.misc,
		.flags = entry->flags,
		.file = entry->file,
		.offset = entry->offset,
		.number = entry->number,
		.time = entry->time,
		.event = entry->event ? &data->events.list.data[entry->event - 1]->pub : NULL,
	};
}

/* Return the memory used by queued records if they are copies, otherwise 0. */
static uint64_t order_memory(const struct tally_perfdata *data)
{
	return data->info.is_stream || data->inflater ? data->pool.used + data->order.used : 0;
}

/* Start returning the oldest records regardless of the limit, because the queue is too large. Even
 * older records may still arrive. */
static void order_flush(struct tally_perfdata *data)
{
	tally_order_limit_ignore(&data->order);
	tally_reader_add_note(data, (struct tally_perfdata_note){
					    .kind = TALLY_NOTE_LIMIT,
					    .offset = data->input.at,
					    .text = "a round exceeds the limit of 512 MiB of "
						    "queued records: records may be out of order"});
}

/* Apply the limit again once the queue has shrunk to half its maximum size. */
static void order_flush_end(struct tally_perfdata *data)
{
	if (data->order.is_unbound && order_memory(data) <= data->waiting_max / 2)
		tally_order_limit_apply(&data->order);
}

/* Return true if the next record can be read in place and needs no preprocessing. */
static bool input_is_plain(const struct tally_perfdata *data)
{
	return !data->info.is_stream && !data->info.is_foreign && !data->inflater &&
	       !data->failed.code && data->input.range < data->input.ranges.len;
}

/* Queue records from a mapped file, as long as they need no special treatment. This is the fast
 * path of order_fill(); it stops at the first record that needs more. Return 0 or -ENOMEM. */
static int order_fill_plain(struct tally_perfdata *data)
{
	const struct tally_range *range;
	uint64_t start = data->input.at, left;
	int ret = 0;

	if (!input_is_plain(data))
		return 0;
	range = &data->input.ranges.data[data->input.range];
	while (!ret && (left = range->len - data->input.at) >= sizeof(struct perf_event_header)) {
		struct tally_raw raw = {
			.data = range->data + data->input.at,
			.offset = range->offset + data->input.at,
			.file = range->file,
		};
		struct perf_event_header header;
		struct tally_event *event;
		uint64_t time;

		memcpy(&header, raw.data, sizeof(header));
		__builtin_prefetch(raw.data + TALLY_MIN(left, PREFETCH_AHEAD));
		if (header.type >= PERF_RECORD_MAX || header.size < sizeof(header) ||
		    header.size > left)
			break;
		if (is_wanted(data, header.type, data->read)) {
			event = tally_perfdata_events_find(&data->events, header.type, raw.data,
							   header.size, false);
			time = tally_perfdata_events_time(event, header.type, raw.data,
							  header.size);
			if (!time || time == UINT64_MAX || time < data->order.taken)
				break;
			raw.size = header.size;
			ret = order_put(data, &raw, event, data->read, time);
		}
		data->input.at += header.size;
		count_record(data);
	}
	tally_release_touch(data, range->data + start, data->input.at - start);
	return ret;
}

/* Note that there are no more records to sort, at the end or because of an error. */
static void order_end(struct tally_perfdata *data, int error)
{
	data->ended = true;
	tally_order_end(&data->order);
	if (error < 0 && !data->failed.code)
		tally_error_at(&data->failed, error, "out of memory", 0);
}

/* Read until a record can be returned immediately (returns 1), or until queued records can be
 * removed (returns 0). */
static int order_fill(struct tally_perfdata *data, struct tally_perfdata_record *ret_record)
{
	struct tally_raw raw;
	struct tally_event *event = NULL;
	int ret;

	while (!(ret = order_fill_plain(data)) &&
	       (ret = reader_next(data, &raw, &event, NULL)) > 0) {
		uint64_t time = tally_perfdata_events_time(event, raw.type, raw.data, raw.size);
		uint64_t number = data->read - 1;

		tally_release_touch(data, raw.data, raw.size + raw.payload_len);
		if (!is_wanted(data, raw.type, number))
			continue;
		if (is_immediate(data, time, &raw.flags)) {
			/* In a directory, a round covers only one file and guarantees nothing about
			 * the other files. */
			if (raw.type == TALLY_PERFDATA_FINISHED_ROUND && !data->info.is_dir)
				tally_order_round(&data->order);
			record_set(ret_record, &raw, event, number);
			return 1;
		}
		ret = order_put(data, &raw, event, number, time);
		if (ret)
			break;
		if (order_memory(data) > data->waiting_max) {
			order_flush(data);
			return 0;
		}
	}
	order_end(data, ret);
	return 0;
}

bool tally_reader_is_plain(const struct tally_perfdata *data)
{
	return input_is_plain(data) && !data->ended;
}

/* Return true if the next record is a FINISHED_ROUND. */
static bool is_round(const struct tally_perfdata *data)
{
	const struct tally_range *range = &data->input.ranges.data[data->input.range];
	struct perf_event_header header;

	if (range->len - data->input.at < sizeof(header))
		return false;
	memcpy(&header, range->data + data->input.at, sizeof(header));
	return header.type == TALLY_PERFDATA_FINISHED_ROUND && header.size == sizeof(header);
}

bool tally_reader_next_plain(struct tally_perfdata *data, struct tally_perfdata_record *ret_record)
{
	struct tally_order_entry entry;
	int ret;

	while (!tally_order_pop(&data->order, &entry)) {
		if (!tally_reader_is_plain(data))
			return false;
		ret = order_fill_plain(data);
		if (ret)
			order_end(data, ret);
		else if (is_round(data))
			return order_fill(data, ret_record);
		/* The caller must continue here: records just queued may already be removable. */
		data->fills = !ret;
		if (data->fills)
			return false;
	}
	order_get(data, &entry, ret_record);
	return true;
}

int tally_perfdata_next_ordered(struct tally_perfdata *data,
				struct tally_perfdata_record *ret_record, struct tally_error *err)
{
	struct tally_order_entry entry;

	if (data->ahead && tally_ahead_next(data, ret_record))
		return 1;
	tally_chunk_unref(data->held);
	data->held = NULL;
	for (;;) {
		if (!data->fills && tally_order_pop(&data->order, &entry)) {
			order_get(data, &entry, ret_record);
			tally_release_touch(data, entry.data, entry.size);
			order_flush_end(data);
			return 1;
		}
		if (data->ended)
			break;
		if (data->order.is_unbound)
			tally_order_limit_apply(&data->order);
		data->fills = false;
		if (order_fill(data, ret_record))
			return 1;
	}
	if (data->failed.code)
		return tally_error_at(err, data->failed.code, data->failed.text,
				      data->failed.offset);
	return 0;
}
