/* SPDX-License-Identifier: BSD-2-Clause */
#include "perfdata/perfdata_events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi/attr.h"
#include "abi/attr_name.h"
#include "base/arith.h"
#include "perfdata/order.h"

enum { HEADER = 8 };

int tally_perfdata_events_decode_attr(const uint8_t *bytes, size_t len, bool swap,
				      struct perf_event_attr *ret_attr)
{
	uint8_t copy[sizeof(*ret_attr)] = {0};
	uint32_t size;
	int ret;

	if (len < PERF_ATTR_SIZE_VER0)
		return -EINVAL;
	size = tally_load_u32(bytes + 4, swap);
	if (!size)
		size = PERF_ATTR_SIZE_VER0;
	memcpy(copy, bytes, TALLY_MIN(TALLY_MIN(len, size), sizeof(copy)));
	tally_put_u32(copy + 4, swap ? __builtin_bswap32(sizeof(copy)) : sizeof(copy));
	ret = tally_attr_decode(copy, sizeof(copy), swap, ret_attr, NULL);
	if (!ret)
		ret_attr->size = size;
	return ret;
}

/* Return the attr with only the fields that can be located. Unknown sample_type bits belong to
 * newer fields, which follow all known fields except the AUX data, which is always last. */
static struct perf_event_attr attr_known(const struct perf_event_attr *attr, bool *ret_is_partial)
{
	const uint64_t words = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |
			       PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;
	const uint64_t sample_bits = PERF_SAMPLE_MAX - 1, read_bits = PERF_FORMAT_MAX - 1;
	struct perf_event_attr known = *attr;

	*ret_is_partial = false;
	if (attr->sample_type & ~sample_bits) {
		known.sample_type &= sample_bits & ~(uint64_t)PERF_SAMPLE_AUX;
		*ret_is_partial = true;
	}
	if (attr->read_format & ~read_bits) {
		/* If read_format has unknown bits, the size of the read values is unknown. These
		 * values are in the middle of a sample, so no field after them can be located. */
		*ret_is_partial |= (attr->sample_type & PERF_SAMPLE_READ) != 0;
		if (attr->sample_type & PERF_SAMPLE_READ)
			known.sample_type &= words;
		known.read_format &= read_bits;
	}
	return known;
}

static int event_layout(struct tally_event *event)
{
	struct perf_event_attr known = attr_known(&event->pub.attr, &event->pub.is_partial);

	event->pub.layout = &event->layout;
	return tally_sample_layout_init(&event->layout, &known);
}

int tally_perfdata_events_add_ids(struct tally_perfdata_events *events, struct tally_event *event,
				  const uint8_t *ids, size_t nr, bool swap)
{
	int ret = tally_vec_reserve(&event->ids, event->ids.len + nr);

	for (size_t i = 0; !ret && i < nr; i++) {
		uint64_t id = tally_load_u64(ids + 8 * i, swap);

		ret = tally_map_set(&events->by_id, id, event->pub.index);
		event->ids.data[event->ids.len++] = id;
	}
	event->pub.ids = event->ids.data;
	event->pub.nr_ids = event->ids.len;
	return ret;
}

/* Generate the event's name, and add the event to the list and to the index by config. */
static int event_enter(struct tally_perfdata_events *events, struct tally_event *event)
{
	char name[TALLY_ATTR_NAME_MAX];
	uint64_t config = event->pub.attr.config, same = tally_map_get(&events->by_config, config);
	const char *copy;

	tally_attr_name(&event->pub.attr, name);
	copy = tally_arena_strndup(&events->texts, name, strlen(name));
	if (!copy || tally_vec_reserve(&events->list, events->list.len + 1) ||
	    tally_map_set(&events->by_config, config, event->pub.index))
		return -ENOMEM;
	tally_perfdata_events_name(event, TALLY_NAME_GENERATED, copy);
	event->same_config = same == TALLY_MAP_NONE ? 0 : (uint32_t)same + 1;
	events->list.data[events->list.len++] = event;
	return 0;
}

static int event_new(struct tally_perfdata_events *events, const struct perf_event_attr *attr,
		     struct tally_event **ret_event)
{
	struct tally_event *event;
	int ret;

	if (events->list.len + 1 >= 1u << TALLY_ORDER_EVENT_BITS)
		return -E2BIG;
	event = calloc(1, sizeof(*event));
	if (!event)
		return -ENOMEM;
	event->pub.attr = *attr;
	event->pub.index = (uint32_t)events->list.len;
	ret = event_layout(event);
	if (!ret)
		ret = event_enter(events, event);
	if (ret)
		free(event);
	else
		*ret_event = event;
	return ret;
}

int tally_perfdata_events_append(struct tally_perfdata_events *events,
				 const struct perf_event_attr *attr, const uint8_t *ids, size_t nr,
				 bool swap, struct tally_event **ret_event)
{
	struct tally_event *event;
	int ret = event_new(events, attr, &event);

	if (!ret)
		ret = tally_perfdata_events_add_ids(events, event, ids, nr, swap);
	events->last = NULL;
	if (!ret)
		*ret_event = event;
	return ret;
}

int tally_perfdata_events_add(struct tally_perfdata_events *events,
			      const struct perf_event_attr *attr, const uint8_t *ids, size_t nr,
			      bool swap, struct tally_event **ret_event)
{
	struct tally_event *event =
		nr ? tally_perfdata_events_by_id(events, tally_load_u64(ids, swap)) : NULL;

	if (!event)
		return tally_perfdata_events_append(events, attr, ids, nr, swap, ret_event);
	*ret_event = event;
	return 0;
}

struct tally_event *tally_perfdata_events_by_id(const struct tally_perfdata_events *events,
						uint64_t id)
{
	uint64_t i = tally_map_get(&events->by_id, id);

	return i == TALLY_MAP_NONE ? NULL : events->list.data[i];
}

struct tally_event *tally_perfdata_events_by_config(const struct tally_perfdata_events *events,
						    uint64_t config)
{
	uint64_t i = tally_map_get(&events->by_config, config);

	return i == TALLY_MAP_NONE ? NULL : events->list.data[i];
}

struct tally_event *tally_perfdata_events_same_config(const struct tally_perfdata_events *events,
						      const struct tally_event *event)
{
	return event->same_config ? events->list.data[event->same_config - 1] : NULL;
}

void tally_perfdata_events_name(struct tally_event *event, enum tally_name_rank rank,
				const char *name)
{
	if (event->pub.name && rank < event->rank)
		return;
	event->pub.name = name;
	event->pub.is_named = rank != TALLY_NAME_GENERATED;
	event->rank = rank;
}

static struct tally_event *events_lookup(struct tally_perfdata_events *events, uint64_t id)
{
	struct tally_event *event = NULL;

	if (events->last && events->last_id == id)
		return events->last;
	if (id)
		event = tally_perfdata_events_by_id(events, id);
	if (!event)
		event = events->list.data[0];
	events->last_id = id;
	events->last = event;
	return event;
}

struct tally_event *tally_perfdata_events_find(struct tally_perfdata_events *events, uint32_t type,
					       const uint8_t *record, size_t len, bool swap)
{
	const struct tally_sample_layout *layout;
	size_t at;

	if (!events->list.len || tally_record_is_user(type))
		return NULL;
	if (events->list.len == 1)
		return events->list.data[0];
	layout = &events->list.data[0]->layout;
	if (type == PERF_RECORD_SAMPLE) {
		if (layout->sample_id < 0 || (size_t)layout->sample_id + 8 > len)
			return events->list.data[0];
		at = (size_t)layout->sample_id;
	} else {
		if (!layout->trailer_id || len < HEADER + tally_trailer_size(layout))
			return events->list.data[0];
		at = len - (size_t)-layout->trailer_id;
	}
	return events_lookup(events, tally_load_u64(record + at, swap));
}

uint64_t tally_perfdata_events_time(const struct tally_event *event, uint32_t type,
				    const uint8_t *record, size_t len)
{
	const struct tally_sample_layout *layout;

	if (!event)
		return 0;
	layout = &event->layout;
	if (type == PERF_RECORD_SAMPLE) {
		if (layout->sample_time < 0 || (size_t)layout->sample_time + 8 > len)
			return 0;
		return tally_get_u64(record + layout->sample_time);
	}
	if (!layout->trailer_time || len < HEADER + tally_trailer_size(layout))
		return 0;
	return tally_get_u64(record + len - (size_t)-layout->trailer_time);
}

void tally_perfdata_events_free(struct tally_perfdata_events *events)
{
	tally_vec_for_each (event, &events->list) {
		tally_vec_free(&(*event)->ids);
		free(*event);
	}
	tally_vec_free(&events->list);
	tally_map_free(&events->by_id);
	tally_map_free(&events->by_config);
	tally_arena_free(&events->texts);
	memset(events, 0, sizeof(*events));
}
