/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/record/pinning.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi/record.h"
#include "base/arith.h"
#include "cli/record/unwinding.h"
#include "cli/recording/index.h"
#include "profile/machine.h"
#include "symbols/pins.h"

/* A path has at most PATH_MAX bytes. */
enum { MMAP_MAX = 8192 };

struct record_pins {
	struct tally_pins *pins;
	struct tally_symbols_options options;
	struct tally_str index_dir; /* of the options */
};

int record_pins_start(struct record *record)
{
	const struct record_output *output = &record->output;
	bool has_ids = !record->config->no_buildid && !output->is_pipe && !output->is_device;
	int ret;

	if (!has_ids && !record_unwinding_is_wanted(record))
		return 0;
	record->pins = calloc(1, sizeof(*record->pins));
	if (!record->pins)
		return -ENOMEM;
	ret = tally_pins_new(&record->pins->pins);
	if (!ret)
		ret = tally_index_apply(false, &record->pins->options, &record->pins->index_dir);
	record->pins->options.pins = record->pins->pins;
	record->pins->options.no_unpack = true;
	return ret;
}

const struct tally_symbols_options *record_pins_options(const struct record *record)
{
	return record->pins ? &record->pins->options : NULL;
}

void record_pins_stop(struct record *record)
{
	if (!record->pins)
		return;
	tally_pins_free(record->pins->pins);
	tally_str_free(&record->pins->index_dir);
	free(record->pins);
	record->pins = NULL;
}

void record_pins_leave(struct record *record)
{
	record->pins = NULL;
}

static bool is_mmap(struct perf_event_header header)
{
	return header.type == PERF_RECORD_MMAP || header.type == PERF_RECORD_MMAP2;
}

int record_pins_look_at(struct record *record, const char *records, size_t len)
{
	int ret = 0;

	for (size_t at = 0; record->pins && !ret && len - at >= sizeof(struct perf_event_header);) {
		struct perf_event_header header = tally_record_header(records + at);

		if (header.size < sizeof(header) || header.size > len - at)
			break;
		if (is_mmap(header))
			ret = tally_machine_pin(record->pins->pins, records + at, header.size);
		at += header.size;
	}
	return ret;
}

/* Bytes of a ring's two pieces, from `at` on, made one. */
static const char *ring_bytes(const struct tally_ring_data *data, size_t at, size_t len,
			      char room[MMAP_MAX])
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

int record_pins_look(struct record *record, const struct tally_ring_data *data)
{
	size_t len = data->first_len + data->second_len;
	char room[MMAP_MAX];
	int ret = 0;

	for (size_t at = 0; record->pins && !ret && len - at >= sizeof(struct perf_event_header);) {
		struct perf_event_header header =
			tally_record_header(ring_bytes(data, at, sizeof(header), room));

		if (header.size < sizeof(header) || header.size > len - at)
			break;
		if (is_mmap(header) && header.size <= MMAP_MAX)
			ret = tally_machine_pin(record->pins->pins,
						ring_bytes(data, at, header.size, room),
						header.size);
		at += header.size;
	}
	return ret;
}
