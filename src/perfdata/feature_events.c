/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of events that features hold: EVENT_DESC, and simpleperf's META_INFO. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/endian.h"
#include "perfdata/feature_bytes.h"
#include "perfdata/reader.h"

/* The event that an entry speaks of: by its first id, else by its place in the list when
 * both are the same. */
static struct tally_event *desc_event(struct tally_perfdata *data, uint32_t i, uint64_t id,
				      bool has_id, const struct perf_event_attr *attr)
{
	struct tally_event *event = has_id ? tally_perfdata_events_by_id(&data->events, id) : NULL;

	if (event || i >= data->events.list.len)
		return event;
	event = data->events.list.data[i];
	return event->pub.attr.type == attr->type && event->pub.attr.config == attr->config ? event
											    : NULL;
}

/* u32 nr, u32 attr size, then for each: attr, u32 nr ids, name, ids. Partly unreadable ones
 * give the names up to there; tally_perfdata_env() notes it. */
int tally_event_desc_apply(struct tally_perfdata *data)
{
	const struct tally_perfdata_feature *feature =
		tally_features_find(data, TALLY_FEATURE_EVENT_DESC);
	struct tally_feature_bytes in = {.swap = data->info.is_foreign};
	uint32_t nr, size;
	int ret = 0;

	if (!feature)
		return 0;
	in.data = feature->bytes.data;
	in.len = feature->bytes.len;
	nr = tally_feature_u32(&in);
	size = tally_feature_u32(&in);
	for (uint32_t i = 0; !ret && i < nr; i++) {
		const uint8_t *bytes = tally_feature_take(&in, size);
		uint32_t nr_ids = tally_feature_u32(&in);
		struct tally_perfdata_slice name = tally_feature_text(&in);
		const uint8_t *ids = tally_feature_take(&in, 8 * (uint64_t)nr_ids);
		struct perf_event_attr attr;
		struct tally_event *event;

		if (in.failed || tally_perfdata_events_decode_attr(bytes, size, in.swap, &attr))
			break;
		event = desc_event(data, i, nr_ids ? tally_load_u64(ids, in.swap) : 0, nr_ids,
				   &attr);
		if (event && name.len)
			ret = tally_perfdata_events_name(&data->events, event,
							 TALLY_NAME_EVENT_DESC,
							 (const char *)name.data, name.len);
	}
	return ret;
}

/* perf does not read these names and makes its own for generic events; so do we, and use them
 * where nothing better can be made: raw events, tracepoints, PMUs. */
static bool wants_meta_name(const struct perf_event_attr *attr)
{
	return attr->type != PERF_TYPE_HARDWARE && attr->type != PERF_TYPE_SOFTWARE &&
	       attr->type != PERF_TYPE_HW_CACHE;
}

/* Lines "name,type,config". */
static int apply_line(struct tally_perfdata *data, const char *line, size_t len)
{
	const char *comma = memchr(line, ',', len), *second;
	uint64_t type, config;
	int ret = 0;

	if (!comma || comma == line)
		return 0;
	second = memchr(comma + 1, ',', (size_t)(line + len - comma - 1));
	if (!second)
		return 0;
	/* Both numbers are followed by something that is no digit: ',', '\n' or NUL. */
	type = strtoull(comma + 1, NULL, 10);
	config = strtoull(second + 1, NULL, 10);
	tally_vec_for_each (event, &data->events.list) {
		const struct perf_event_attr *attr = &(*event)->pub.attr;

		if (!ret && wants_meta_name(attr) && attr->type == type && attr->config == config)
			ret = tally_perfdata_events_name(&data->events, *event, TALLY_NAME_META,
							 line, (size_t)(comma - line));
	}
	return ret;
}

/* NUL-terminated keys and values in turn. */
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
