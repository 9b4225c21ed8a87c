/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes records that describe the file itself. In pipe mode they replace the header. */
#include <errno.h>
#include <string.h>

#include "abi/abi_record.h"
#include "base/arith.h"
#include "base/endian.h"
#include "perfdata/reader.h"
#include "perfdata/reader_features.h"

enum { HEADER = sizeof(struct perf_event_header) };

/* Add the event of a HEADER_ATTR record. The IDs follow the attr, at the offset given by the attr's
 * size field. */
static int add_attr(struct tally_perfdata *data, const struct tally_raw *raw)
{
	bool swap = data->info.is_foreign;
	struct perf_event_attr attr;
	struct tally_event *event;
	const uint8_t *ids = raw->data + HEADER;
	size_t len = raw->size - HEADER;
	int ret;

	if (tally_perfdata_events_decode_attr(ids, len, swap, &attr) || attr.size > len) {
		tally_reader_add_note(
			data, (struct tally_perfdata_note){.kind = TALLY_NOTE_BAD_ATTR,
							   .what = (uint32_t)data->events.list.len,
							   .offset = raw->offset,
							   .text = "attr longer than its record"});
		return 0;
	}
	ids += attr.size;
	len = (len - attr.size) / 8;
	ret = tally_perfdata_events_add(&data->events, &attr, ids, len, swap, &event);
	return ret ? ret : tally_names_event_added(data, event, ids, len, raw->offset);
}

static int add_event_type(struct tally_perfdata *data, const struct tally_raw *raw)
{
	const char *name = (const char *)raw->data + 16;

	if (raw->size < 17)
		return 0;
	return tally_names_by_config(
		data, TALLY_ANY_TYPE, tally_load_u64(raw->data + HEADER, data->info.is_foreign),
		TALLY_NAME_EVENT_TYPE,
		(struct tally_perfdata_slice){raw->data + 16, strnlen(name, raw->size - 16)});
}

static int add_event_update(struct tally_perfdata *data, const struct tally_raw *raw)
{
	bool swap = data->info.is_foreign;
	const char *text = (const char *)raw->data + 24;
	struct tally_event *event;
	size_t len;
	uint64_t bits;

	if (raw->size <= 24)
		return 0;
	event = tally_perfdata_events_by_id(&data->events, tally_load_u64(raw->data + 16, swap));
	if (!event)
		return 0;
	len = strnlen(text, raw->size - 24);
	switch (tally_load_u64(raw->data + HEADER, swap)) {
	case TALLY_PERFDATA_UPDATE_NAME:
		text = tally_names_copy(data, text, len);
		if (text)
			tally_perfdata_events_name(event, TALLY_NAME_UPDATE, text);
		return text ? 0 : -ENOMEM;
	case TALLY_PERFDATA_UPDATE_UNIT:
		text = tally_names_copy(data, text, len);
		event->pub.unit = text;
		return text ? 0 : -ENOMEM;
	case TALLY_PERFDATA_UPDATE_SCALE:
		if (raw->size < 32)
			return 0;
		bits = tally_load_u64(raw->data + 24, swap);
		memcpy(&event->pub.scale, &bits, sizeof(bits));
		event->pub.has_scale = true;
		return 0;
	default: return 0;
	}
}

static int keep_bytes(struct tally_perfdata *data, const uint8_t *bytes, size_t len,
		      struct tally_perfdata_slice *ret_slice)
{
	uint8_t *copy = tally_arena_bytes(&data->texts, len);

	if (!copy)
		return -ENOMEM;
	memcpy(copy, bytes, len);
	*ret_slice = (struct tally_perfdata_slice){copy, len};
	return 0;
}

/* Add the feature in a HEADER_FEATURE record. The last such record is an empty end marker; its ID
 * is the number of features known to the writer. */
static int add_feature(struct tally_perfdata *data, const struct tally_raw *raw)
{
	struct tally_perfdata_slice slice;
	uint64_t id, offset = raw->offset;
	int ret;

	if (raw->size < 16)
		return 0;
	id = tally_load_u64(raw->data + HEADER, data->info.is_foreign);
	if (id >= TALLY_FEATURE_LIMIT || (raw->size == 16 && id != TALLY_FEATURE_BRANCH_STACK))
		return 0;
	ret = keep_bytes(data, raw->data + 16, raw->size - 16, &slice);
	if (offset != UINT64_MAX)
		offset += 16;
	return ret ? ret : tally_features_add(data, (uint32_t)id, offset, slice);
}

static int add_build_id(struct tally_perfdata *data, const struct tally_raw *raw)
{
	return tally_build_ids_add(data, raw->data, raw->size);
}

static int add_tracing(struct tally_perfdata *data, const struct tally_raw *raw)
{
	struct tally_perfdata_slice slice;
	int ret;

	if (!raw->payload || data->tracing_bytes.data)
		return 0;
	ret = keep_bytes(data, raw->payload, raw->payload_len, &slice);
	if (ret)
		return ret;
	data->tracing_bytes = slice;
	return tally_tracing_apply(data);
}

/* Add a feature from one of the record types that perf 3.2 used for features. */
static int add_old_feature(struct tally_perfdata *data, const struct tally_raw *raw)
{
	uint32_t id = raw->type == TALLY_OLD_FEATURE_LAST
			      ? TALLY_FEATURE_PMU_MAPPINGS
			      : TALLY_FEATURE_HOSTNAME + raw->type - TALLY_OLD_FEATURE_FIRST;
	struct tally_perfdata_slice slice;
	int ret = keep_bytes(data, raw->data + HEADER, raw->size - HEADER, &slice);

	return ret ? ret : tally_features_add(data, id, raw->offset + HEADER, slice);
}

static const struct {
	uint32_t type;
	int (*add)(struct tally_perfdata *data, const struct tally_raw *raw);
} metadata_records[] = {
	{TALLY_PERFDATA_HEADER_ATTR, add_attr},
	{TALLY_PERFDATA_EVENT_TYPE, add_event_type},
	{TALLY_PERFDATA_TRACING_DATA, add_tracing},
	{TALLY_PERFDATA_BUILD_ID, add_build_id},
	{TALLY_PERFDATA_EVENT_UPDATE, add_event_update},
	{TALLY_PERFDATA_HEADER_FEATURE, add_feature},
};

int tally_reader_metadata_add(struct tally_perfdata *data, const struct tally_raw *raw)
{
	if (raw->flags & TALLY_PERFDATA_OLD_FEATURE)
		return add_old_feature(data, raw);
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(metadata_records); i++) {
		if (metadata_records[i].type == raw->type)
			return metadata_records[i].add(data, raw);
	}
	return 0;
}
