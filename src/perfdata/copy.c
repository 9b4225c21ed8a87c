/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies a file with one feature replaced. Everything up to the end of the records keeps its
 * offset, and the features follow the records, so offsets stored in the file remain valid. */
#include <errno.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/str.h"
#include "perfdata/encode.h"
#include "perfdata/reader.h"
#include "perfdata/reader_features.h"

enum { COPY_HEADER = 104, COPY_SECTION = 16, COPY_PIECE = 16 << 20, COPY_BUFFER = 256 << 10 };

/* Offsets of fields in the header. */
enum { COPY_AT_SIZE = 8, COPY_AT_ATTRS = 24, COPY_AT_DATA = 40, COPY_AT_BITS = 72 };

struct copy {
	const struct tally_perfdata *data;
	int from, to;
	int (*between)(void *arg);
	void *arg;
};

static uint64_t word_at(const struct tally_perfdata *data, uint64_t at)
{
	return tally_load_u64(data->bytes + at, data->info.is_foreign);
}

/* ---- preconditions ------------------------------------------------------------- */

/* Return true if the section described at `at` is empty or ends at or before `end`. */
static bool is_before(const struct tally_perfdata *data, uint64_t at, uint64_t end)
{
	uint64_t offset = word_at(data, at), size = word_at(data, at + 8);

	return !size || tally_range_ok(offset, size, end);
}

static bool attrs_are_before(const struct tally_perfdata *data, uint64_t end)
{
	uint64_t attrs = word_at(data, COPY_AT_ATTRS), size = word_at(data, COPY_AT_ATTRS + 8);
	uint64_t entry = (uint64_t)data->info.attr_size + COPY_SECTION;

	if (!data->info.attr_size || !is_before(data, COPY_AT_ATTRS, end))
		return false;
	for (uint64_t at = 0; size - at >= entry; at += entry) {
		if (!is_before(data, attrs + at + entry - COPY_SECTION, end))
			return false;
	}
	return true;
}

static int check_parts(const struct tally_perfdata *data, uint64_t *ret_end,
		       struct tally_error *err)
{
	uint64_t start = word_at(data, COPY_AT_DATA), size = word_at(data, COPY_AT_DATA + 8);
	uint64_t left = data->len;

	if (!tally_range_ok(start, size, data->len))
		return tally_error_at(err, -EINVAL, "the file ends before its records do",
				      data->len);
	*ret_end = start + size;
	if (start < COPY_HEADER || !attrs_are_before(data, *ret_end))
		return tally_error_at(err, -EINVAL, "the attrs do not precede the records",
				      COPY_AT_ATTRS);
	for (size_t i = 0; i < data->features.len; i++) {
		if (data->features.data[i].bytes.len > left)
			return tally_error_at(err, -EINVAL, "the features overlap", *ret_end);
		left -= data->features.data[i].bytes.len;
	}
	return 0;
}

static int check_kind(const struct tally_perfdata *data, struct tally_error *err)
{
	const struct tally_perfdata_info *info = &data->info;

	if (info->is_dir)
		return tally_error_at(err, -EOPNOTSUPP,
				      "the recording is a directory of several files", 0);
	if (info->is_pipe || info->is_stream)
		return tally_error_at(err, -EOPNOTSUPP,
				      "a stream has no feature table: use record -o "
				      "FILE to write a file",
				      0);
	if (info->is_unfinished)
		return tally_error_at(err, -EOPNOTSUPP, "the recording was not finished", 0);
	if (data->len < COPY_HEADER || word_at(data, COPY_AT_SIZE) < COPY_HEADER)
		return tally_error_at(err, -EOPNOTSUPP,
				      "recorded by a perf version without features", 0);
	return 0;
}

/* ---- bytes ------------------------------------------------------------------------ */

/* Copy with read() and write(), in case copy_file_range() does not work between the two files. */
static int64_t copy_by_hand(const struct copy *copy, uint64_t offset, uint64_t len)
{
	char buffer[COPY_BUFFER];
	ssize_t got = pread(copy->from, buffer, TALLY_MIN(len, sizeof(buffer)), (off_t)offset);
	int ret = got > 0 ? tally_file_write_all(copy->to, buffer, (size_t)got) : 0;

	return got < 0 ? -errno : ret ? ret : got;
}

static int64_t copy_piece(const struct copy *copy, uint64_t offset, uint64_t len)
{
	off_t at = (off_t)offset;
	ssize_t got = copy_file_range(copy->from, &at, copy->to, NULL,
				      TALLY_MIN(len, (uint64_t)COPY_PIECE), 0);

	if (got > 0)
		return got;
	if (!got || errno == EXDEV || errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP ||
	    errno == EBADF || errno == EPERM)
		return copy_by_hand(copy, offset, len);
	return -errno;
}

static int copy_range(const struct copy *copy, uint64_t offset, uint64_t len)
{
	while (len) {
		int ret = copy->between ? copy->between(copy->arg) : 0;
		int64_t got = ret ? 0 : copy_piece(copy, offset, len);

		if (ret)
			return ret;
		if (got == -EINTR)
			continue;
		if (got <= 0) /* the file was truncated while copying */
			return got ? (int)got : -EIO;
		offset += (uint64_t)got;
		len -= (uint64_t)got;
	}
	return 0;
}

/* ---- features ----------------------------------------------------------------------- */

/* Collect the features for the copy, indexed by number. */
static void features_choose(const struct tally_perfdata *data,
			    const struct tally_perfdata_feature *added,
			    const struct tally_perfdata_feature *ret_chosen[TALLY_FEATURE_LIMIT])
{
	for (size_t i = 0; i < data->features.len; i++)
		ret_chosen[data->features.data[i].id] = &data->features.data[i];
	ret_chosen[added->id] = added;
}

static int put_features(const struct copy *copy, uint64_t end,
			const struct tally_perfdata_feature *const chosen[TALLY_FEATURE_LIMIT])
{
	struct tally_str table = {0};
	uint64_t at = end;
	int ret;

	for (unsigned id = 0; id < TALLY_FEATURE_LIMIT; id++)
		at += chosen[id] ? tally_feature_entry_size(id) : 0;
	for (unsigned id = 0; id < TALLY_FEATURE_LIMIT; id++) {
		if (!chosen[id])
			continue;
		tally_write_feature_entry(&table, copy->data->info.is_foreign, id, at,
					  chosen[id]->bytes.len);
		at += chosen[id]->bytes.len;
	}
	ret = tally_str_error(&table);
	if (!ret)
		ret = tally_file_write_all(copy->to, table.data, table.len);
	for (unsigned id = 0; id < TALLY_FEATURE_LIMIT && !ret; id++) {
		if (chosen[id])
			ret = tally_file_write_all(copy->to, chosen[id]->bytes.data,
						   chosen[id]->bytes.len);
	}
	tally_str_free(&table);
	return ret;
}

static int put_bits(const struct copy *copy,
		    const struct tally_perfdata_feature *const chosen[TALLY_FEATURE_LIMIT])
{
	uint64_t bits[TALLY_FEATURE_LIMIT / 64];
	bool halves = tally_header_feature_bits(copy->data, bits);
	struct tally_str out = {0};
	ssize_t put;
	int ret;

	for (unsigned word = 0; word < TALLY_FEATURE_LIMIT / 64; word++) {
		bits[word] = 0;
		for (unsigned bit = 0; bit < 64; bit++) {
			uint32_t id = 64 * word + bit;
			bool is_set = chosen[id] && tally_feature_is_listed(id);

			bits[word] |= (uint64_t)is_set << bit;
		}
		if (halves)
			bits[word] = bits[word] << 32 | bits[word] >> 32;
		tally_put64(&out, copy->data->info.is_foreign, bits[word]);
	}
	ret = tally_str_error(&out);
	put = ret ? 0 : pwrite(copy->to, out.data, out.len, COPY_AT_BITS);
	if (put < 0)
		ret = -errno;
	else if (!ret && (size_t)put != out.len)
		ret = -EIO;
	tally_str_free(&out);
	return ret;
}

int tally_perfdata_copy(const struct tally_perfdata *data, int from, int to,
			const struct tally_perfdata_feature *feature, int (*between)(void *arg),
			void *arg, struct tally_error *err)
{
	const struct tally_perfdata_feature *chosen[TALLY_FEATURE_LIMIT] = {NULL};
	const struct copy copy = {data, from, to, between, arg};
	uint64_t end;
	int ret;

	if (feature->id >= TALLY_FEATURE_LIMIT)
		return tally_error_at(err, -EINVAL, "invalid feature number", 0);
	ret = check_kind(data, err);
	if (!ret)
		ret = check_parts(data, &end, err);
	if (ret)
		return ret;
	features_choose(data, feature, chosen);
	ret = copy_range(&copy, 0, end);
	if (!ret)
		ret = put_features(&copy, end, chosen);
	if (!ret)
		ret = put_bits(&copy, chosen);
	return ret;
}
