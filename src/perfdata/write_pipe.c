/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes perf.data in pipe mode: the contents of the file-mode header are written as records. */
#include <errno.h>
#include <string.h>

#include "base/arith.h"
#include "base/endian.h"
#include "perfdata/encode.h"
#include "perfdata/writer.h"

enum { PIPE_HEADER = 16, RECORD = 8, RECORD_MAX = 65528 };

#define MAGIC 0x32454c4946524550ull

static int put_attrs(struct tally_perfdata_writer *writer, struct tally_str *out)
{
	bool swap = writer->options.foreign;
	uint32_t attr_size = tally_writer_attr_size(writer);

	tally_vec_for_each (event, &writer->events.list) {
		size_t size = RECORD + attr_size + 8 * (*event)->ids.len;

		if (size > RECORD_MAX)
			return -E2BIG;
		tally_write_record(out, swap, TALLY_PERFDATA_HEADER_ATTR, 0, size);
		tally_write_attr(out, swap, &(*event)->pub.attr, attr_size);
		for (size_t i = 0; i < (*event)->ids.len; i++)
			tally_put64(out, swap, (*event)->ids.data[i]);
	}
	return 0;
}

/* Append the event names. Names are assigned by ID; an event without IDs can only get its name from
 * EVENT_DESC. */
static void put_names(struct tally_perfdata_writer *writer, struct tally_str *out)
{
	bool swap = writer->options.foreign;

	tally_vec_for_each (event, &writer->events.list) {
		const char *name = (*event)->pub.name;
		size_t len = strlen(name), room = tally_round_up(len + 1, 8);

		if (!(*event)->pub.is_named || !(*event)->ids.len || room > RECORD_MAX - 24)
			continue;
		tally_write_record(out, swap, TALLY_PERFDATA_EVENT_UPDATE, 0, 24 + room);
		tally_put64(out, swap, TALLY_PERFDATA_UPDATE_NAME);
		tally_put64(out, swap, (*event)->ids.data[0]);
		tally_str_add_bytes(out, name, len);
		tally_write_zeros(out, room - len);
	}
}

static int put_tracing(struct tally_perfdata_writer *writer,
		       const struct tally_writer_feature *feature, struct tally_str *out)
{
	size_t room = tally_round_up(feature->len, 8);

	if (room > UINT32_MAX)
		return -E2BIG;
	tally_write_record(out, writer->options.foreign, TALLY_PERFDATA_TRACING_DATA, 0, 16);
	tally_put32(out, writer->options.foreign, (uint32_t)room);
	tally_write_zeros(out, 4);
	tally_str_add_bytes(out, feature->bytes, feature->len);
	tally_write_zeros(out, room - feature->len);
	return 0;
}

/* Append the build IDs. The table's entries are complete records except for their type. */
static int put_build_ids(struct tally_perfdata_writer *writer,
			 const struct tally_writer_feature *feature, struct tally_str *out)
{
	bool swap = writer->options.foreign;
	size_t at = 0;

	while (feature->len - at >= RECORD) {
		uint16_t size = tally_load_u16(feature->bytes + at + 6, swap);

		if (size < RECORD || size > feature->len - at)
			return -EINVAL;
		tally_write_record(out, swap, TALLY_PERFDATA_BUILD_ID,
				   tally_load_u16(feature->bytes + at + 4, swap), size);
		tally_str_add_bytes(out, feature->bytes + at + RECORD, size - RECORD);
		at += size;
	}
	return 0;
}

static int put_feature(struct tally_perfdata_writer *writer,
		       const struct tally_writer_feature *feature, struct tally_str *out)
{
	size_t room = tally_round_up(feature->len, 8);

	if (feature->id == TALLY_FEATURE_TRACING_DATA)
		return put_tracing(writer, feature, out);
	if (feature->id == TALLY_FEATURE_BUILD_ID)
		return put_build_ids(writer, feature, out);
	/* In pipe mode, features that are too long for a record cannot be written; perf also omits
	 * them. */
	if (room > RECORD_MAX - 16)
		return 0;
	tally_write_record(out, writer->options.foreign, TALLY_PERFDATA_HEADER_FEATURE, 0,
			   16 + room);
	tally_put64(out, writer->options.foreign, feature->id);
	tally_str_add_bytes(out, feature->bytes, feature->len);
	tally_write_zeros(out, room - feature->len);
	return 0;
}

/* Return true for features that are not written as HEADER_FEATURE records: tracing data and build
 * IDs. */
static bool has_own_record_type(uint32_t id)
{
	return id == TALLY_FEATURE_TRACING_DATA || id == TALLY_FEATURE_BUILD_ID;
}

static int put_features(struct tally_perfdata_writer *writer, bool apart, struct tally_str *out)
{
	int ret = 0;

	for (uint32_t id = 0; !ret && id < TALLY_FEATURE_LIMIT; id++) {
		struct tally_writer_feature *feature = tally_writer_find_feature(writer, id);

		if (!feature || feature->written || has_own_record_type(id) != apart)
			continue;
		ret = put_feature(writer, feature, out);
		feature->written = true;
	}
	return ret;
}

/* Write the start of the stream, in the same order as perf, but without its marker for the end of
 * the features. That is the number of features that perf knows: perf report fails if it differs
 * from its own, and no command needs the marker. */
int tally_writer_start_pipe(struct tally_perfdata_writer *writer)
{
	bool swap = writer->options.foreign;
	struct tally_str out = {0};
	int ret = tally_writer_build_features(writer);

	tally_put64(&out, swap, MAGIC);
	tally_put64(&out, swap, PIPE_HEADER);
	if (!ret)
		ret = put_attrs(writer, &out);
	if (!ret)
		ret = put_features(writer, false, &out);
	if (!ret)
		ret = put_features(writer, true, &out);
	if (!ret) {
		put_names(writer, &out);
		return tally_writer_write_str(writer, &out, true);
	}
	tally_str_free(&out);
	return ret;
}

int tally_writer_finish_pipe(struct tally_perfdata_writer *writer)
{
	struct tally_str out = {0};
	int ret = tally_writer_build_features(writer);

	if (!ret)
		ret = put_features(writer, false, &out);
	if (!ret)
		ret = put_features(writer, true, &out);
	if (!ret)
		return tally_writer_write_str(writer, &out, true);
	tally_str_free(&out);
	return ret;
}
