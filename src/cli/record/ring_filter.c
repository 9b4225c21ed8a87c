/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/record/ring_filter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi/abi_record.h"
#include "base/arith.h"
#include "base/endian.h"
#include "base/map.h"
#include "cli/main/print.h"

struct record_filters {
	struct tally_sample_layout *layouts; /* of each event */
	struct tally_map events;             /* sample ID -> number of the event */
	uint8_t copy[UINT16_MAX];            /* of a record that is split in the ring */
	uint64_t dropped;
};

static bool has_filters(const struct tally_sampler *sampler)
{
	tally_vec_for_each (filter, &sampler->sample_filters) {
		if (*filter)
			return true;
	}
	return false;
}

/* Check that the samples of an event have the fields that its filter needs. */
static int check_fields(const struct tally_sampler *sampler, size_t event)
{
	const struct tally_event_spec *spec = &sampler->specs.data[event];
	const struct tally_sample_filter *filter = sampler->sample_filters.data[event];
	const char *option,
		*term = filter ? tally_sample_filter_lacks(filter, spec->attr.sample_type, &option)
			       : NULL;

	if (!term)
		return 0;
	tally_print_error("--filter for %s: samples do not have the term '%s'", spec->name, term);
	if (*option)
		tally_print_hint("it requires %s", option);
	return -EINVAL;
}

/* Index the IDs of an event's counters. */
static int index_ids(struct record *record, size_t event)
{
	const struct tally_sampler *sampler = &record->sampler;
	size_t threads = tally_counters_nr_threads(sampler->counters);
	size_t nr = tally_counters_cpus(sampler->counters, event)->nr * threads;
	int ret = 0;
	uint64_t id;

	for (size_t i = 0; i < nr && !ret; i++)
		if (!tally_counters_id(sampler->counters, event, i / threads, i % threads, &id))
			ret = tally_map_set(&record->filter->events, id, event);
	return ret;
}

int record_filter_start(struct record *record)
{
	const struct tally_sampler *sampler = &record->sampler;
	struct record_filters *filters;
	int ret = 0;

	if (!has_filters(sampler))
		return 0;
	if (record->unwinding) {
		tally_print_error(
			"--filter for events other than tracepoints cannot be combined with "
			"stacks that are unwound while recording");
		tally_print_hint(
			"use --call-graph auto, or select samples with 'tally report --query'");
		return -EINVAL;
	}
	record->filter = filters = calloc(1, sizeof(*filters));
	if (!filters)
		return -ENOMEM;
	filters->layouts = calloc(sampler->specs.len, sizeof(*filters->layouts));
	if (!filters->layouts)
		ret = -ENOMEM;
	for (size_t i = 0; i < sampler->specs.len && !ret; i++) {
		ret = check_fields(sampler, i);
		if (!ret)
			ret = tally_sample_layout_init(&filters->layouts[i],
						       &sampler->specs.data[i].attr);
		if (!ret)
			ret = index_ids(record, i);
	}
	return ret;
}

/* Return `len` bytes at offset `at`, which are copied if they are split between the pieces. */
static const uint8_t *bytes_at(struct record_filters *filters, const struct tally_ring_data *data,
			       size_t at, size_t len)
{
	size_t first;

	if (at >= data->first_len)
		return (const uint8_t *)data->second + (at - data->first_len);
	first = TALLY_MIN(len, data->first_len - at);
	if (first == len)
		return (const uint8_t *)data->first + at;
	memcpy(filters->copy, (const uint8_t *)data->first + at, first);
	memcpy(filters->copy + first, data->second, len - first);
	return filters->copy;
}

/* Return the number of a sample's event. The position of the ID is the same for all events. */
static uint64_t event_of(const struct record *record, const uint8_t *sample, size_t size)
{
	int at = record->filter->layouts[0].sample_id;

	if (at < 0 || size < (size_t)at + 8)
		return 0;
	return tally_map_get(&record->filter->events, tally_get_u64(sample + at));
}

/* Return true if a record is written. A sample that cannot be decoded is written. */
static bool passes(struct record *record, const struct tally_ring_data *data, size_t at,
		   struct perf_event_header header)
{
	const struct tally_sample_filter *filter;
	struct tally_sample sample;
	const uint8_t *bytes;
	uint64_t event;

	if (header.type != PERF_RECORD_SAMPLE)
		return true;
	bytes = bytes_at(record->filter, data, at, header.size);
	event = event_of(record, bytes, header.size);
	filter = event < record->sampler.sample_filters.len
			 ? record->sampler.sample_filters.data[event]
			 : NULL;
	if (!filter ||
	    tally_sample_decode(&record->filter->layouts[event], bytes, header.size, &sample, NULL))
		return true;
	if (tally_sample_filter_passes(filter, &sample))
		return true;
	record->filter->dropped++;
	return false;
}

/* Add the bytes from `start` up to `end`. */
static int add_range(struct record *record, const struct tally_ring_data *data, size_t start,
		     size_t end, int (*add)(struct record *record, const void *bytes, size_t len))
{
	size_t split = TALLY_MIN(TALLY_MAX(start, data->first_len), end);
	int ret = 0;

	if (start < split)
		ret = add(record, (const uint8_t *)data->first + start, split - start);
	if (!ret && split < end)
		ret = add(record, (const uint8_t *)data->second + (split - data->first_len),
			  end - split);
	return ret;
}

int record_filter_ring(struct record *record, const struct tally_ring_data *data,
		       int (*add)(struct record *record, const void *bytes, size_t len))
{
	size_t len = data->first_len + data->second_len, start = 0, at = 0;
	int ret = 0;

	while (record->filter && !ret && len - at >= sizeof(struct perf_event_header)) {
		struct perf_event_header header = tally_record_header(
			bytes_at(record->filter, data, at, sizeof(struct perf_event_header)));

		if (header.size < sizeof(header) || header.size > len - at)
			break;
		if (!passes(record, data, at, header)) {
			ret = add_range(record, data, start, at, add);
			start = at + header.size;
		}
		at += header.size;
	}
	return ret ? ret : add_range(record, data, start, len, add);
}

uint64_t record_filter_dropped(const struct record *record)
{
	return record->filter ? record->filter->dropped : 0;
}

void record_filter_free(struct record *record)
{
	if (!record->filter)
		return;
	free(record->filter->layouts);
	tally_map_free(&record->filter->events);
	free(record->filter);
}
