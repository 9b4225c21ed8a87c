/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the header of perf.data, its attr table and its feature table. No value in them is trusted:
 * every offset and size is checked against the file size.
 */
#include <errno.h>
#include <string.h>

#include "base/arith.h"
#include "base/endian.h"
#include "perfdata/reader.h"
#include "perfdata/encode.h"
#include "perfdata/reader_features.h"

enum {
	PIPE_HEADER = 16,
	OLDEST_HEADER = 72, /* header size before feature bits were added */
	FILE_HEADER = 104,
	SECTION = 16, /* u64 offset, u64 size */
	EVENT_TYPE_ENTRY = 72,
	FEATURE_WORDS = TALLY_FEATURE_LIMIT / 64,
};

/* Offsets of fields in the header. */
enum { AT_SIZE = 8, AT_ATTR_SIZE = 16, AT_ATTRS = 24, AT_DATA = 40, AT_TYPES = 56, AT_BITS = 72 };

struct section {
	uint64_t offset, size;
};

static bool size_is_known(uint64_t size)
{
	return size == PIPE_HEADER || size == OLDEST_HEADER || size == FILE_HEADER;
}

/* The magic indicates the byte order, except in version 1, where the magic is the same in both byte
 * orders. In version 1, the size field indicates the byte order. */
static int probe_magic(struct tally_perfdata *data, const uint8_t *bytes)
{
	struct tally_perfdata_info *info = &data->info;

	if (!memcmp(bytes, "PERFILE2", 8) || !memcmp(bytes, "2ELIFREP", 8)) {
		info->version = 2;
		info->is_big_endian = bytes[0] == '2';
	} else if (!memcmp(bytes, "PERFFILE", 8) || !memcmp(bytes, "ELIFFREP", 8)) {
		info->version = 1;
		info->is_big_endian = bytes[0] == 'E';
		if (!size_is_known(tally_load_u64(bytes + AT_SIZE,
						  info->is_big_endian != TALLY_HOST_BIG_ENDIAN)))
			info->is_big_endian = !info->is_big_endian;
	} else {
		return -EINVAL;
	}
	info->is_foreign = info->is_big_endian != TALLY_HOST_BIG_ENDIAN;
	return 0;
}

int tally_header_probe(struct tally_perfdata *data, const uint8_t *bytes, size_t len,
		       uint64_t *ret_size, struct tally_error *err)
{
	uint64_t size;

	if (len < PIPE_HEADER)
		return tally_error_at(err, -EINVAL, "too short for a perf.data header", len);
	if (probe_magic(data, bytes))
		return tally_error_at(err, -EINVAL, "not a perf.data file", 0);
	size = tally_load_u64(bytes + AT_SIZE, data->info.is_foreign);
	if (size != PIPE_HEADER && size < OLDEST_HEADER)
		return tally_error_at(err, -EINVAL, "unknown header size", AT_SIZE);
	data->info.is_pipe = size == PIPE_HEADER;
	*ret_size = size;
	return 0;
}

static uint64_t word(const struct tally_perfdata *data, uint64_t at)
{
	return tally_load_u64(data->bytes + at, data->info.is_foreign);
}

static struct section section_at(const struct tally_perfdata *data, uint64_t at)
{
	return (struct section){word(data, at), word(data, at + 8)};
}

static void note_attr(struct tally_perfdata *data, size_t i, uint64_t at, const char *text)
{
	tally_reader_add_note(data, (struct tally_perfdata_note){.kind = TALLY_NOTE_BAD_ATTR,
								 .what = (uint32_t)i,
								 .offset = at,
								 .text = text});
}

/* Read one attr and the section with its IDs. `ids_left` limits the total number of IDs, because
 * all attrs of a hostile file may point to the same bytes. */
static int read_attr(struct tally_perfdata *data, size_t i, uint64_t at, uint64_t *ids_left)
{
	uint64_t size = data->info.attr_size;
	struct section ids = section_at(data, at + size);
	struct perf_event_attr attr;
	struct tally_event *event;
	int ret;

	if (tally_perfdata_events_decode_attr(data->bytes + at, size, data->info.is_foreign,
					      &attr)) {
		note_attr(data, i, at, "cannot decode the attr");
		return 0;
	}
	if (!tally_range_ok(ids.offset, ids.size, data->len) || ids.size / 8 > *ids_left) {
		note_attr(data, i, at + size, "the ids of an attr are outside the file");
		ids = (struct section){0, 0};
		data->names.lacks_ids = true;
	}
	*ids_left -= ids.size / 8;
	ret = tally_perfdata_events_append(&data->events, &attr, data->bytes + ids.offset,
					   ids.size / 8, data->info.is_foreign, &event);
	/* EVENT_DESC is read later, and its names are applied then. */
	return ret ? ret : tally_names_event_added(data, event, NULL, 0, at);
}

static int read_attrs(struct tally_perfdata *data)
{
	struct section attrs = section_at(data, AT_ATTRS);
	uint64_t entry = word(data, AT_ATTR_SIZE), ids_left = data->len / 8;
	int ret = 0;

	if (entry < PERF_ATTR_SIZE_VER0 + SECTION || entry > UINT32_MAX) {
		note_attr(data, 0, AT_ATTR_SIZE, "invalid size of the attrs");
		data->names.lacks_attrs = true;
		return 0;
	}
	data->info.attr_size = (uint32_t)(entry - SECTION);
	if (!tally_range_ok(attrs.offset, attrs.size, data->len)) {
		note_attr(data, 0, AT_ATTRS, "the attrs are outside the file");
		attrs.offset = TALLY_MIN(attrs.offset, data->len);
		attrs.size = TALLY_MIN(attrs.size, data->len - attrs.offset);
	}
	for (uint64_t i = 0; !ret && i < attrs.size / entry; i++)
		ret = read_attr(data, i, attrs.offset + i * entry, &ids_left);
	data->names.lacks_attrs = !data->events.list.len;
	return ret;
}

/* Add a note if there are no attrs, because the layout of samples is then unknown. */
static void check_attrs(struct tally_perfdata *data)
{
	if (!data->names.lacks_attrs)
		return;
	note_attr(data, 0, AT_ATTRS,
		  data->events.list.len ? "the attrs are lost: using the events in EVENT_DESC"
					: "the attrs are lost: cannot read any sample");
}

/* Read the event types written by perf 3.x: {u64 config, char name[64]} for each event. */
static int read_event_types(struct tally_perfdata *data)
{
	struct section types = section_at(data, AT_TYPES);
	int ret = 0;

	if (!tally_range_ok(types.offset, types.size, data->len))
		return 0;
	for (uint64_t i = 0; !ret && i < types.size / EVENT_TYPE_ENTRY; i++) {
		const uint8_t *at = data->bytes + types.offset + i * EVENT_TYPE_ENTRY;
		uint64_t config = tally_load_u64(at, data->info.is_foreign);

		ret = tally_names_by_config(
			data, TALLY_ANY_TYPE, config, TALLY_NAME_EVENT_TYPE,
			(struct tally_perfdata_slice){at + 8, strnlen((char *)at + 8, 64)});
	}
	return ret;
}

static bool bits_look_right(const uint64_t *bits)
{
	return tally_bit_is_set(bits, TALLY_FEATURE_HOSTNAME) ||
	       tally_bit_is_set(bits, TALLY_FEATURE_CMDLINE);
}

bool tally_header_feature_bits(const struct tally_perfdata *data,
			       uint64_t ret_bits[TALLY_FEATURE_LIMIT / 64])
{
	uint64_t halves[FEATURE_WORDS];

	for (int i = 0; i < FEATURE_WORDS; i++) {
		ret_bits[i] = word(data, AT_BITS + 8 * i);
		halves[i] = ret_bits[i] << 32 | ret_bits[i] >> 32;
	}
	if (!data->info.is_foreign || bits_look_right(ret_bits) || !bits_look_right(halves))
		return false;
	memcpy(ret_bits, halves, sizeof(halves));
	return true;
}

static void note_feature(struct tally_perfdata *data, unsigned id, uint64_t at, const char *text)
{
	tally_reader_add_note(data, (struct tally_perfdata_note){.kind = TALLY_NOTE_BAD_FEATURE,
								 .what = id,
								 .offset = at,
								 .text = text});
}

/* Return true if a section lies in a hole; see tally_file_map_has_large_holes(). */
static bool is_hollow(const struct tally_perfdata *data, struct section at)
{
	const struct tally_file_map *map = data->maps.data;

	return data->maps.len && map->data == data->bytes &&
	       tally_file_map_has_large_holes(map, at.offset, at.size);
}

/* Add the feature with the table entry at offset `entry`. */
static int feature_entry_add(struct tally_perfdata *data, unsigned id, uint64_t entry,
			     struct section at)
{
	if (!tally_range_ok(at.offset, at.size, data->len))
		note_feature(data, id, entry, "the feature is outside the file");
	else if (is_hollow(data, at))
		note_feature(data, id, entry, "the feature is in a hole in the file");
	else
		return tally_features_add(
			data, id, at.offset,
			(struct tally_perfdata_slice){data->bytes + at.offset, at.size});
	return 0;
}

/* Read the entries for tally's own features at the end of the table; see tally_unlisted_magic(). */
static int read_unlisted(struct tally_perfdata *data, uint64_t table)
{
	const uint64_t size = TALLY_UNLISTED_MAGIC_SIZE + SECTION;
	int ret = 0;

	for (unsigned id = TALLY_FEATURE_EMBEDDED_SYMBOLS; !ret && id < TALLY_FEATURE_LIMIT; id++) {
		const char *magic = tally_unlisted_magic(id);

		if (!magic || !tally_range_ok(table, size, data->len) ||
		    memcmp(data->bytes + table, magic, TALLY_UNLISTED_MAGIC_SIZE) != 0)
			continue;
		ret = feature_entry_add(data, id, table,
					section_at(data, table + TALLY_UNLISTED_MAGIC_SIZE));
		table += size;
	}
	return ret;
}

/* Read the feature table. It directly follows the records and has one section per set bit, even for
 * unknown features. */
static int read_features(struct tally_perfdata *data, uint64_t table)
{
	uint64_t bits[FEATURE_WORDS];
	int ret = 0;

	(void)tally_header_feature_bits(data, bits);
	for (unsigned id = 0; !ret && id < TALLY_FEATURE_LIMIT; id++) {
		if (!tally_bit_is_set(bits, id))
			continue;
		if (!tally_range_ok(table, SECTION, data->len)) {
			note_feature(data, id, table, "the feature table is outside the file");
			return 0;
		}
		ret = feature_entry_add(data, id, table, section_at(data, table));
		table += SECTION;
	}
	return ret ? ret : read_unlisted(data, table);
}

/* Clip the data section to the size of the file, and detect an unfinished recording. */
static struct section clip_data(struct tally_perfdata *data)
{
	struct section at = section_at(data, AT_DATA);
	uint64_t left;

	data->info.data_offset = at.offset;
	at.offset = TALLY_MIN(at.offset, data->len);
	left = data->len - at.offset;
	if (!at.size) {
		data->info.is_unfinished = true;
		tally_reader_add_note(data, (struct tally_perfdata_note){
						    .kind = TALLY_NOTE_UNFINISHED,
						    .offset = at.offset,
						    .bytes = left,
						    .text = "the recording was not finished"});
		at.size = left;
	} else if (at.size > left) {
		tally_reader_add_note(data, (struct tally_perfdata_note){
						    .kind = TALLY_NOTE_TRUNCATED_DATA,
						    .offset = data->len,
						    .bytes = at.size - left,
						    .text = "the file ends before its records do"});
		at.size = left;
	}
	data->info.data_size = at.size;
	return at;
}

int tally_header_read(struct tally_perfdata *data, struct tally_error *err)
{
	uint64_t size;
	struct section records;
	int ret = tally_header_probe(data, data->bytes, data->len, &size, err);

	if (ret)
		return ret;
	if (data->info.is_pipe) {
		data->info.data_offset = PIPE_HEADER;
		data->info.data_size = data->len - PIPE_HEADER;
		records = (struct section){PIPE_HEADER, data->info.data_size};
	} else {
		if (data->len < TALLY_MIN(size, FILE_HEADER))
			return tally_error_at(err, -EINVAL, "the file ends inside its header",
					      data->len);
		records = clip_data(data);
		ret = read_attrs(data);
		if (!ret)
			ret = read_event_types(data);
		if (!ret && size >= FILE_HEADER && !data->info.is_unfinished)
			ret = read_features(data, records.offset + records.size);
		check_attrs(data);
	}
	if (!ret)
		ret = tally_vec_push(&data->input.ranges,
				     (struct tally_range){data->bytes + records.offset,
							  records.size, records.offset, 0});
	return ret ? tally_error_at(err, ret, "out of memory", 0) : 0;
}
