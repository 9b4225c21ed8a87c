/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes perf.data in file mode: header, IDs, attrs, records, feature table, features. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/arith.h"
#include "perfdata/encode.h"
#include "perfdata/writer.h"

enum { HEADER = 104, SECTION = 16 };

/* "PERFILE2" as a number in the writer's byte order. */
#define MAGIC 0x32454c4946524550ull

static size_t nr_ids(const struct tally_perfdata_writer *writer)
{
	size_t nr = 0;

	for (size_t i = 0; i < writer->events.list.len; i++)
		nr += writer->events.list.data[i]->ids.len;
	return nr;
}

static void put_header(struct tally_str *out, const struct tally_perfdata_writer *writer,
		       uint64_t data_bytes, const uint64_t bits[TALLY_FEATURE_LIMIT / 64])
{
	bool swap = writer->options.foreign;
	uint64_t entry = tally_writer_attr_size(writer) + SECTION;

	tally_put64(out, swap, MAGIC);
	tally_put64(out, swap, HEADER);
	tally_put64(out, swap, entry);
	tally_put64(out, swap, HEADER + 8 * nr_ids(writer));
	tally_put64(out, swap, entry * writer->events.list.len);
	tally_put64(out, swap, writer->data_offset);
	tally_put64(out, swap, data_bytes);
	tally_write_zeros(out, SECTION); /* event types, no longer used */
	for (int i = 0; i < TALLY_FEATURE_LIMIT / 64; i++)
		tally_put64(out, swap, bits[i]);
}

int tally_writer_start_file(struct tally_perfdata_writer *writer)
{
	static const uint64_t none[TALLY_FEATURE_LIMIT / 64];
	bool swap = writer->options.foreign;
	uint32_t size = tally_writer_attr_size(writer);
	uint64_t ids_at = HEADER;
	struct tally_str out = {0};

	writer->data_offset =
		HEADER + 8 * nr_ids(writer) + (size + SECTION) * writer->events.list.len;
	put_header(&out, writer, 0, none);
	tally_vec_for_each (event, &writer->events.list) {
		for (size_t i = 0; i < (*event)->ids.len; i++)
			tally_put64(&out, swap, (*event)->ids.data[i]);
	}
	tally_vec_for_each (event, &writer->events.list) {
		uint64_t len = 8 * (*event)->ids.len;

		tally_write_attr(&out, swap, &(*event)->pub.attr, size);
		tally_put64(&out, swap, ids_at);
		tally_put64(&out, swap, len);
		ids_at += len;
	}
	/* Only regular files can be truncated; ignore the error for other files, such as
	 * /dev/null. */
	if (ftruncate(writer->fd, 0) < 0 && errno != EINVAL) {
		tally_str_free(&out);
		return -errno;
	}
	return tally_writer_write_str(writer, &out, false);
}

/* Append the feature table, which is sorted by feature number. */
static void put_table(struct tally_str *out, struct tally_perfdata_writer *writer,
		      uint64_t bits[TALLY_FEATURE_LIMIT / 64])
{
	uint64_t at = writer->position;

	tally_vec_for_each (feature, &writer->features)
		at += tally_feature_entry_size(feature->id);
	for (uint32_t id = 0; id < TALLY_FEATURE_LIMIT; id++) {
		struct tally_writer_feature *feature = tally_writer_find_feature(writer, id);

		if (!feature)
			continue;
		if (tally_feature_is_listed(id))
			tally_bit_set(bits, id);
		tally_write_feature_entry(out, writer->options.foreign, id, at, feature->len);
		at += feature->len;
	}
}

static int put_features(struct tally_perfdata_writer *writer)
{
	int ret = 0;

	for (uint32_t id = 0; !ret && id < TALLY_FEATURE_LIMIT; id++) {
		struct tally_writer_feature *feature = tally_writer_find_feature(writer, id);

		if (feature)
			ret = tally_writer_write(writer, feature->bytes, feature->len);
	}
	return ret;
}

static int rewrite_header(struct tally_perfdata_writer *writer, const uint64_t *bits)
{
	struct tally_str out = {0};
	int ret;

	put_header(&out, writer, writer->data_bytes, bits);
	ret = tally_str_error(&out);
	if (!ret && pwrite(writer->fd, out.data, out.len, 0) != (ssize_t)out.len)
		ret = errno ? -errno : -EIO;
	tally_str_free(&out);
	return ret;
}

/* Finish the file. The header is written last, because the file counts as unfinished until then. */
int tally_writer_finish_file(struct tally_perfdata_writer *writer)
{
	uint64_t bits[TALLY_FEATURE_LIMIT / 64] = {0};
	static const uint64_t none[TALLY_FEATURE_LIMIT / 64];
	struct tally_str table = {0};
	uint64_t end = writer->position;
	int ret = tally_writer_build_features(writer), again;

	if (ret)
		return ret;
	put_table(&table, writer, bits);
	ret = tally_writer_write_str(writer, &table, false);
	if (!ret)
		ret = put_features(writer);
	if (!ret)
		return rewrite_header(writer, bits);
	/* There is no space for the features because the disk is full: omit all of them rather than
	 * write only some. */
	again = ftruncate(writer->fd, (off_t)end) < 0 ? -errno : rewrite_header(writer, none);
	writer->finished = !again;
	return again ? again : ret;
}
