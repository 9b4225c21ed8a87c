/* SPDX-License-Identifier: BSD-2-Clause */
/* Splits the bytes of mapped files, memory and streams into raw records. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/clock.h"
#include "base/endian.h"
#include "perfdata/input.h"
#include "perfdata/reader.h"

enum { HEADER = sizeof(struct perf_event_header), AUXTRACE_SIZE = 48 };

/* ---- bytes --------------------------------------------------------------- */

static struct tally_range *input_range(struct tally_perfdata *data)
{
	struct tally_input *input = &data->input;

	return input->range < input->ranges.len ? &input->ranges.data[input->range] : NULL;
}

/* Return contiguous bytes at the current position, like tally_window_peek(). */
static int input_peek(struct tally_perfdata *data, size_t need, const uint8_t **ret_bytes,
		      size_t *ret_have)
{
	const struct tally_range *range;

	if (data->info.is_stream)
		return tally_window_peek(&data->input.stream, need, ret_bytes, ret_have);
	range = input_range(data);
	*ret_bytes = range ? range->data + data->input.at : NULL;
	*ret_have = range ? range->len - data->input.at : 0;
	return 0;
}

static void input_skip(struct tally_perfdata *data, size_t size)
{
	data->input.at += size;
	if (data->info.is_stream)
		tally_window_skip(&data->input.stream, size);
}

/* Skip `size` bytes, which are too many to keep in memory. If the input ends first, `*ret_skipped`
 * is less than `size`. */
static int input_discard(struct tally_perfdata *data, uint64_t size, uint64_t *ret_skipped)
{
	uint64_t left = size;

	while (left) {
		const uint8_t *bytes;
		size_t have;
		int ret = input_peek(data, 1, &bytes, &have);

		if (ret)
			return ret;
		if (!have)
			break;
		have = TALLY_MIN(have, left);
		input_skip(data, have);
		left -= have;
	}
	*ret_skipped = size - left;
	return 0;
}

/* Wait until there is input, or until the next call to `idle` is due, 100 ms after the previous
 * call. Return true if the call is due. */
static bool is_idle_due(struct tally_input *input)
{
	enum { NS_PER_MS = 1000000, EVERY_NS = 100 * NS_PER_MS };
	struct pollfd poll_fd = {.fd = input->fd, .events = POLLIN};
	uint64_t now, due = input->idle_at + EVERY_NS;
	int nr;

	do {
		now = tally_clock_now();
		nr = poll(&poll_fd, 1, due > now ? (int)((due - now) / NS_PER_MS) + 1 : 0);
	} while (nr < 0 && errno == EINTR);
	if (nr)
		return false;
	input->idle_at = tally_clock_now();
	return true;
}

static int64_t stream_fill(void *context, uint8_t *to, size_t cap)
{
	struct tally_input *input = context;
	ssize_t got;

	if (input->idle && is_idle_due(input))
		input->idle(input->idle_arg);
	do
		got = read(input->fd, to, cap);
	while (got < 0 && errno == EINTR);
	return got < 0 ? -errno : got;
}

int tally_input_start_stream(struct tally_perfdata *data, int fd, const uint8_t *first, size_t len,
			     size_t consumed)
{
	struct tally_input *input = &data->input;
	struct tally_chunk *chunk = tally_chunk_new(&data->pool, len);

	if (!chunk)
		return -ENOMEM;
	memcpy(chunk->data, first, len);
	input->fd = fd;
	input->at = consumed;
	input->stream = (struct tally_window){
		.fill = stream_fill,
		.context = input,
		.pool = &data->pool,
		.chunk = chunk,
		.at = consumed,
		.end = len,
	};
	return 0;
}

/* ---- records ------------------------------------------------------------- */

static uint64_t input_offset(struct tally_perfdata *data)
{
	const struct tally_range *range = input_range(data);

	return data->info.is_stream || !range ? data->input.at : range->offset + data->input.at;
}

static void note_end(struct tally_perfdata *data, enum tally_perfdata_note_kind kind, uint32_t type,
		     uint64_t bytes, const char *text)
{
	tally_reader_add_note(data, (struct tally_perfdata_note){.kind = kind,
								 .what = type,
								 .offset = input_offset(data),
								 .bytes = bytes,
								 .text = text});
}

static void raw_header(struct tally_raw *raw, const uint8_t *bytes, bool swap)
{
	raw->data = bytes;
	raw->type = tally_load_u32(bytes, swap);
	raw->misc = tally_load_u16(bytes + 4, swap);
	raw->size = tally_load_u16(bytes + 6, swap);
}

/* Return the size, including padding, of the payload that follows the record and is not included in
 * the record's size. simpleperf puts tracing data inside the record. In that case, set the payload
 * of `raw` and return 0. */
static uint64_t payload_size(struct tally_raw *raw, bool swap, uint64_t *ret_len)
{
	uint64_t len;

	*ret_len = 0;
	if (raw->flags & TALLY_PERFDATA_OLD_FEATURE)
		return 0;
	if (raw->type == TALLY_PERFDATA_TRACING_DATA && raw->size >= HEADER + 4) {
		len = tally_load_u32(raw->data + HEADER, swap);
		if (len && len <= raw->size - (HEADER + 4u)) {
			raw->payload = raw->data + HEADER + 4;
			raw->payload_len = len;
			return 0;
		}
		*ret_len = len;
		return tally_round_up(len, 8);
	}
	if (raw->type == TALLY_PERFDATA_AUXTRACE && raw->size >= AUXTRACE_SIZE)
		*ret_len = tally_load_u64(raw->data + HEADER, swap);
	return *ret_len;
}

/* Detect a string record from perf 3.2 or a similar version, which used a separate record type for
 * each feature in a pipe. These type numbers now have other meanings. The old string records can be
 * recognized by their length field, which is a multiple of 64 and covers the remainder of the
 * record. Current records cannot match because their size is a multiple of 8. */
static bool is_old_string(const struct tally_raw *raw, bool swap)
{
	enum { NAME_ALIGN = 64 };
	uint32_t len;

	if (raw->type < TALLY_OLD_FEATURE_FIRST || raw->type > TALLY_OLD_FEATURE_LAST ||
	    raw->size < HEADER + 4 + NAME_ALIGN)
		return false;
	len = tally_load_u32(raw->data + HEADER, swap);
	return len % NAME_ALIGN == 0 && len == raw->size - (HEADER + 4u);
}

static void mark_old_feature(struct tally_perfdata *data, struct tally_raw *raw)
{
	if (!data->info.is_pipe || raw->type < TALLY_OLD_FEATURE_FIRST ||
	    raw->type > TALLY_OLD_FEATURE_LAST)
		return;
	if (!data->input.has_old_features)
		data->input.has_old_features = is_old_string(raw, data->info.is_foreign);
	if (data->input.has_old_features)
		raw->flags |= TALLY_PERFDATA_OLD_FEATURE;
}

/* Skip a payload that is too long to keep. Copy the record itself to the scratch buffer, because
 * the window advances. */
static int discard_payload(struct tally_perfdata *data, struct tally_raw *raw, uint64_t size,
			   uint64_t *ret_got)
{
	uint8_t *copy = tally_reader_scratch(data, raw->size);

	if (!copy)
		return -ENOMEM;
	memcpy(copy, raw->data, raw->size);
	raw->data = copy;
	raw->chunk = data->scratch;
	input_skip(data, raw->size);
	return input_discard(data, size, ret_got);
}

static int keep_payload(struct tally_perfdata *data, struct tally_raw *raw, uint64_t size,
			uint64_t *ret_got)
{
	uint64_t all = tally_range_ok(raw->size, size, SIZE_MAX) ? raw->size + size : SIZE_MAX;
	size_t have;
	int ret = input_peek(data, all, &raw->data, &have);

	if (ret)
		return ret;
	*ret_got = TALLY_MIN(size, have - raw->size);
	raw->payload = raw->data + raw->size;
	raw->chunk = data->info.is_stream ? data->input.stream.chunk : NULL;
	input_skip(data, raw->size + *ret_got);
	return 0;
}

/* Consume the record, which so far has only been peeked at, together with its payload. */
static int read_payload(struct tally_perfdata *data, struct tally_raw *raw, uint64_t size,
			uint64_t len)
{
	bool discard = data->info.is_stream && size > TALLY_PAYLOAD_MAX;
	uint64_t got;
	int ret = discard ? discard_payload(data, raw, size, &got)
			  : keep_payload(data, raw, size, &got);

	if (ret)
		return ret;
	raw->payload_len = TALLY_MIN(got, len);
	if (got < size)
		note_end(data, TALLY_NOTE_TRUNCATED_RECORD, raw->type, size - got,
			 "the file ends inside the data after a record");
	return 0;
}

/* Add a note that the remaining bytes of the current range do not form a whole record, and skip
 * them. */
static void note_rest(struct tally_perfdata *data, const struct tally_raw *raw, size_t have)
{
	if (raw)
		note_end(data, TALLY_NOTE_TRUNCATED_RECORD, raw->type, raw->size - have,
			 "the file ends inside a record");
	else
		note_end(data, TALLY_NOTE_STRAY_BYTES, 0, have,
			 "trailing garbage after the last record");
	input_skip(data, have);
}

/* Read one record from the current range. Return 1, 0 at the end of the range, or -errno. */
static int range_next(struct tally_perfdata *data, struct tally_raw *ret_raw,
		      struct tally_error *err)
{
	struct tally_raw raw = {.offset = input_offset(data)};
	const uint8_t *bytes;
	uint64_t size, len;
	size_t have;
	int ret = input_peek(data, HEADER, &bytes, &have);

	if (!ret && have >= HEADER) {
		raw_header(&raw, bytes, data->info.is_foreign);
		if (raw.size < HEADER)
			return tally_error_at(err, -EINVAL, "record shorter than its header",
					      raw.offset);
		if (have < raw.size)
			ret = input_peek(data, raw.size, &raw.data, &have);
	}
	if (ret)
		return tally_error_at(err, ret, "cannot read", raw.offset);
	if (have < HEADER || have < raw.size) {
		if (have)
			note_rest(data, have < HEADER ? NULL : &raw, have);
		return 0;
	}
	raw.chunk = data->info.is_stream ? data->input.stream.chunk : NULL;
	raw.file = data->info.is_stream ? 0 : input_range(data)->file;
	mark_old_feature(data, &raw);
	size = payload_size(&raw, data->info.is_foreign, &len);
	if (size)
		ret = read_payload(data, &raw, size, len);
	else
		input_skip(data, raw.size);
	if (ret)
		return tally_error_at(err, ret, "cannot read", raw.offset);
	*ret_raw = raw;
	return 1;
}

int tally_input_next(struct tally_perfdata *data, struct tally_raw *ret_raw,
		     struct tally_error *err)
{
	struct tally_input *input = &data->input;
	int ret = range_next(data, ret_raw, err);

	while (!ret && !data->info.is_stream && input->range + 1 < input->ranges.len) {
		input->range++;
		input->at = 0;
		ret = range_next(data, ret_raw, err);
	}
	return ret;
}
