/* SPDX-License-Identifier: BSD-2-Clause */
/* Event names stored in features: EVENT_DESC, and simpleperf's META_INFO. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/endian.h"
#include "perfdata/feature_bytes.h"
#include "perfdata/reader.h"
#include "perfdata/reader_features.h"

/* Return the event that an entry describes: the event with the entry's first ID or, if there is
 * none, the event with the same index, provided its type and config match. */
static struct tally_event *desc_event(struct tally_perfdata *data, size_t i)
{
	const struct tally_desc_entry *entry = &data->names.descs.entries.data[i];
	struct tally_event *event = NULL;

	if (entry->nr_ids)
		event = tally_perfdata_events_by_id(
			&data->events, tally_load_u64(entry->ids, data->info.is_foreign));
	if (event || i >= data->events.list.len)
		return event;
	event = data->events.list.data[i];
	return event->pub.attr.type == entry->type && event->pub.attr.config == entry->config
		       ? event
		       : NULL;
}

/* Apply an entry's name to an event, and also the entry's IDs if the event has none. */
static int desc_apply(struct tally_perfdata *data, struct tally_desc_entry *entry,
		      struct tally_event *event)
{
	bool swap = data->info.is_foreign;

	if (entry->text.len && !entry->name) {
		entry->name = tally_names_copy(data, entry->text.data, entry->text.len);
		if (!entry->name)
			return -ENOMEM;
	}
	if (entry->name)
		tally_perfdata_events_name(event, TALLY_NAME_EVENT_DESC, entry->name);
	if (!data->names.lacks_ids || event->ids.len || !entry->nr_ids)
		return 0;
	return tally_perfdata_events_add_ids(&data->events, event, entry->ids, entry->nr_ids, swap);
}

/* Apply EVENT_DESC to an event that was added with these IDs. Returns 0 or -ENOMEM. */
static int desc_name(struct tally_perfdata *data, struct tally_event *event, const uint8_t *ids,
		     size_t nr)
{
	struct tally_descs *descs = &data->names.descs;
	size_t place = event->pub.index;
	int ret = 0;

	if (place < descs->entries.len && desc_event(data, place) == event)
		ret = desc_apply(data, &descs->entries.data[place], event);
	for (size_t i = 0; !ret && descs->by_id.len && i < nr; i++) {
		uint64_t at = tally_map_get(&descs->by_id,
					    tally_load_u64(ids + 8 * i, data->info.is_foreign));

		if (at != TALLY_MAP_NONE)
			ret = desc_apply(data, &descs->entries.data[at], event);
	}
	return ret;
}

int tally_names_event_added(struct tally_perfdata *data, struct tally_event *event,
			    const uint8_t *ids, size_t nr, uint64_t offset)
{
	int ret = desc_name(data, event, ids, nr);

	if (event->pub.is_partial)
		tally_reader_add_note(data,
				      (struct tally_perfdata_note){
					      .kind = TALLY_NOTE_NEWER_FIELDS,
					      .what = event->pub.index,
					      .offset = offset,
					      .text = "samples have fields from a newer perf: the "
						      "fields after them are not read"});
	return ret ? ret : tally_tracing_name(data, event);
}

/* Read one entry: attr, number of IDs (u32), name, IDs. Returns false if the entry cannot be
 * parsed. */
static bool read_entry(struct tally_feature_bytes *in, uint32_t size,
		       struct tally_desc_entry *ret_entry, struct perf_event_attr *ret_attr)
{
	const uint8_t *bytes = tally_feature_read(in, size);
	struct tally_desc_entry entry = {.nr_ids = tally_feature_u32(in)};

	entry.text = tally_feature_text(in);
	entry.ids = tally_feature_read(in, 8 * (uint64_t)entry.nr_ids);
	if (in->failed || tally_perfdata_events_decode_attr(bytes, size, in->swap, ret_attr))
		return false;
	entry.type = ret_attr->type;
	entry.config = ret_attr->config;
	*ret_entry = entry;
	return true;
}

/* Restore an event from EVENT_DESC if the file's attrs are lost. */
static int desc_restore(struct tally_perfdata *data, const struct tally_desc_entry *entry,
			const struct perf_event_attr *attr, uint64_t offset)
{
	struct tally_event *event;
	int ret = tally_perfdata_events_append(&data->events, attr, entry->ids, entry->nr_ids,
					       data->info.is_foreign, &event);

	return ret ? ret : tally_names_event_added(data, event, NULL, 0, offset);
}

static int desc_add(struct tally_perfdata *data, const struct tally_desc_entry *entry)
{
	struct tally_descs *descs = &data->names.descs;
	uint64_t id = entry->nr_ids ? tally_load_u64(entry->ids, data->info.is_foreign) : 0;
	int ret = 0;

	if (entry->nr_ids)
		ret = tally_map_set(&descs->by_id, id, descs->entries.len);
	return ret ? ret : tally_vec_push(&descs->entries, *entry);
}

/* Apply the event names from EVENT_DESC. Layout: number of entries (u32), attr size (u32), then the
 * entries. If the feature is damaged, the names before the damage are used; tally_perfdata_env()
 * reports the damage. */
int tally_event_desc_apply(struct tally_perfdata *data, uint64_t offset,
			   struct tally_perfdata_slice bytes)
{
	struct tally_feature_bytes in = {bytes.data, bytes.len, .swap = data->info.is_foreign};
	struct tally_descs *descs = &data->names.descs;
	bool restores = data->names.lacks_attrs;
	uint32_t nr = tally_feature_u32(&in), size = tally_feature_u32(&in);
	struct tally_desc_entry entry;
	struct perf_event_attr attr;
	struct tally_event *event;
	int ret = 0;

	descs->entries.len = 0;
	tally_map_free(&descs->by_id);
	for (uint32_t i = 0; !ret && i < nr && read_entry(&in, size, &entry, &attr); i++) {
		ret = desc_add(data, &entry);
		if (!ret && restores)
			ret = desc_restore(data, &entry, &attr, offset);
		event = ret || restores ? NULL : desc_event(data, i);
		if (event)
			ret = desc_apply(data, &descs->entries.data[i], event);
	}
	return ret;
}

/* Return true if names from META_INFO are used for an event type. perf ignores these names and
 * generates its own for generic events. Do the same: use the names from META_INFO only for types
 * that have no good generated names (raw events, tracepoints and other PMUs). */
static bool uses_meta_name(uint32_t type)
{
	return type != PERF_TYPE_HARDWARE && type != PERF_TYPE_SOFTWARE &&
	       type != PERF_TYPE_HW_CACHE;
}

/* Parse a line of the form "name,type,config". */
static int apply_line(struct tally_perfdata *data, const char *line, size_t len)
{
	const char *comma = memchr(line, ',', len), *second;
	uint64_t type, config;

	if (!comma || comma == line)
		return 0;
	second = memchr(comma + 1, ',', (size_t)(line + len - comma - 1));
	if (!second)
		return 0;
	/* Each number is followed by a non-digit: ',', '\n' or NUL. */
	type = strtoull(comma + 1, NULL, 10);
	config = strtoull(second + 1, NULL, 10);
	if (type >= UINT32_MAX || !uses_meta_name((uint32_t)type))
		return 0;
	return tally_names_by_config(
		data, (uint32_t)type, config, TALLY_NAME_META,
		(struct tally_perfdata_slice){(const uint8_t *)line, (uint64_t)(comma - line)});
}

/* Apply the event names from META_INFO, which consists of alternating NUL-terminated keys and
 * values. */
int tally_meta_info_apply(struct tally_perfdata *data, struct tally_perfdata_slice bytes)
{
	const char *at = (const char *)bytes.data, *end = at + bytes.len;
	int ret = 0;

	while (at < end) {
		size_t key_len = strnlen(at, (size_t)(end - at));
		const char *key = at, *value = at + key_len + 1, *stop;

		if (value >= end)
			break;
		stop = memchr(value, '\0', (size_t)(end - value));
		if (!stop)
			break;
		while (!ret && !strcmp(key, "event_type_info") && value < stop) {
			const char *newline = memchr(value, '\n', (size_t)(stop - value));
			const char *line_end = newline ? newline : stop;

			ret = apply_line(data, value, (size_t)(line_end - value));
			value = line_end + 1;
		}
		at = stop + 1;
	}
	return ret;
}
