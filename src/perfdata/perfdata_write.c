/* SPDX-License-Identifier: BSD-2-Clause */
/* Starts a perf.data file, writes its records, and finishes it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abi/abi_record.h"
#include "base/arith.h"
#include "base/endian.h"
#include "perfdata/swap.h"
#include "perfdata/writer.h"

int tally_perfdata_writer_new(int fd, const struct tally_perfdata_writer_options *options,
			      struct tally_perfdata_writer **ret_writer)
{
	struct tally_perfdata_writer *writer;
	int ret = 0;

	if (!(options && options->pipe) && lseek(fd, 0, SEEK_SET) < 0)
		return -errno;
	writer = calloc(1, sizeof(*writer));
	if (!writer)
		return -ENOMEM;
	writer->fd = fd;
	if (options)
		writer->options = *options;
	if (writer->options.compress_level)
		ret = tally_deflater_new(writer->options.compress_level, &writer->deflater);
	if (ret)
		tally_perfdata_writer_free(writer);
	else
		*ret_writer = writer;
	return ret;
}

void tally_perfdata_writer_free(struct tally_perfdata_writer *writer)
{
	if (!writer)
		return;
	tally_deflater_free(writer->deflater);
	tally_vec_for_each (feature, &writer->features)
		free(feature->bytes);
	tally_vec_free(&writer->features);
	tally_str_free(&writer->build_ids);
	tally_str_free(&writer->copy);
	tally_perfdata_events_free(&writer->events);
	free(writer);
}

int tally_perfdata_writer_add_event(struct tally_perfdata_writer *writer,
				    const struct perf_event_attr *attr, const char *name,
				    const uint64_t *ids, size_t nr_ids)
{
	struct tally_event *event;
	const char *copy;
	int ret;

	if (writer->started)
		return -EBUSY;
	ret = tally_perfdata_events_append(&writer->events, attr, (const uint8_t *)ids, nr_ids,
					   false, &event);
	if (ret || !name)
		return ret;
	copy = tally_arena_strndup(&writer->events.texts, name, strlen(name));
	if (!copy)
		return -ENOMEM;
	tally_perfdata_events_name(event, TALLY_NAME_EVENT_DESC, copy);
	return 0;
}

/* ---- records ------------------------------------------------------------- */

static size_t iov_size(const struct iovec *iov, int nr)
{
	size_t size = 0;

	for (int i = 0; i < nr; i++)
		size += iov[i].iov_len;
	return size;
}

/* Byte-swap one record in the copy. The header is swapped last because it is needed to find the
 * fields in the body. */
static int swap_one(struct tally_perfdata_writer *writer, uint8_t *record, size_t left,
		    size_t *ret_size)
{
	struct perf_event_header header;
	struct tally_event *event;
	int ret;

	if (left < sizeof(header))
		return -EINVAL;
	header = tally_record_header(record);
	if (header.size < sizeof(header) || header.size > left)
		return -EINVAL;
	event = tally_perfdata_events_find(&writer->events, header.type, record, header.size,
					   false);
	ret = tally_perfdata_swap_body(event ? &event->layout : NULL, record, header.size, true,
				       NULL);
	if (ret)
		return ret;
	tally_swap_u32(record);
	tally_swap_u16(record + 4);
	tally_swap_u16(record + 6);
	*ret_size = header.size;
	return 0;
}

static int swap_all(struct tally_perfdata_writer *writer, const struct iovec *iov, int nr)
{
	struct tally_str *copy = &writer->copy;
	size_t at, size;
	int ret;

	tally_str_clear(copy);
	for (int i = 0; i < nr; i++)
		tally_str_add_bytes(copy, iov[i].iov_base, iov[i].iov_len);
	ret = tally_str_error(copy);
	for (at = 0; !ret && at < copy->len; at += size)
		ret = swap_one(writer, (uint8_t *)copy->data + at, copy->len - at, &size);
	return ret;
}

/* Return the byte at offset `at` in the concatenated pieces. */
static uint8_t iov_byte(const struct iovec *iov, int nr, size_t at)
{
	for (; nr && at >= iov->iov_len; iov++, nr--)
		at -= iov->iov_len;
	return nr ? ((const uint8_t *)iov->iov_base)[at] : 0;
}

/* Return how many of the first `len` bytes belong to whole records. The pieces are in the file's
 * byte order. */
static size_t whole_records(const struct tally_perfdata_writer *writer, const struct iovec *iov,
			    int nr, size_t len)
{
	size_t at = 0;

	while (at + sizeof(struct perf_event_header) <= len) {
		uint8_t bytes[2] = {iov_byte(iov, nr, at + 6), iov_byte(iov, nr, at + 7)};
		uint16_t size = tally_load_u16(bytes, writer->options.foreign);

		if (size < sizeof(struct perf_event_header) || size > len - at)
			break;
		at += size;
	}
	return at;
}

/* Truncate the file to `keep` bytes after a failed call, so that it ends with a whole record. */
static void truncate_to(struct tally_perfdata_writer *writer, uint64_t keep)
{
	if (!writer->options.pipe && !ftruncate(writer->fd, (off_t)keep) &&
	    lseek(writer->fd, (off_t)keep, SEEK_SET) >= 0)
		writer->position = keep;
}

/* Undo a failed call that began to write at offset `start`. Without compression, whole records are
 * kept. With compression, no record can be kept and no further records can be written. */
static int undo(struct tally_perfdata_writer *writer, const struct iovec *iov, int nr,
		uint64_t start, uint64_t data_bytes, int why)
{
	off_t end = writer->options.pipe ? -1 : lseek(writer->fd, 0, SEEK_CUR);
	size_t kept = 0;

	writer->data_bytes = data_bytes;
	if (writer->deflater)
		writer->broken = why;
	else if (end > (off_t)start)
		kept = whole_records(writer, iov, nr, (size_t)((uint64_t)end - start));
	truncate_to(writer, start + kept);
	writer->data_bytes += kept;
	writer->raw_bytes += kept;
	return why;
}

int tally_perfdata_writer_writev(struct tally_perfdata_writer *writer, const struct iovec *iov,
				 int nr)
{
	uint64_t position = writer->position, data_bytes = writer->data_bytes;
	size_t size = iov_size(iov, nr);
	struct iovec copy;
	int ret = 0;

	if (!writer->started || writer->finished)
		return -EINVAL;
	if (writer->broken)
		return writer->broken;
	if (!size)
		return 0;
	if (writer->options.foreign) {
		ret = swap_all(writer, iov, nr);
		if (ret)
			return ret;
		copy = (struct iovec){writer->copy.data, writer->copy.len};
		iov = &copy;
		nr = 1;
	}
	if (writer->deflater)
		ret = tally_deflate(writer, iov, nr);
	else
		ret = tally_writer_writev(writer, iov, nr);
	if (ret)
		return undo(writer, iov, nr, position, data_bytes, ret);
	writer->raw_bytes += size;
	if (!writer->deflater)
		writer->data_bytes += size;
	return 0;
}

int tally_perfdata_writer_write(struct tally_perfdata_writer *writer, const void *records,
				size_t len)
{
	struct iovec iov = {(void *)records, len};

	return tally_perfdata_writer_writev(writer, &iov, 1);
}

int tally_perfdata_writer_payload(struct tally_perfdata_writer *writer, const void *record,
				  const void *payload, size_t payload_len)
{
	static const uint8_t zeros[8];
	struct perf_event_header header = tally_record_header(record);
	struct iovec iov[3] = {
		{(void *)record, header.size}, {(void *)payload, payload_len}, {(void *)zeros, 0}};
	uint64_t position = writer->position;
	int ret = 0;

	if (!writer->started || writer->finished || header.size < sizeof(header))
		return -EINVAL;
	if (header.type == TALLY_PERFDATA_TRACING_DATA)
		iov[2].iov_len = tally_round_up(payload_len, 8) - payload_len;
	if (writer->options.foreign) {
		ret = swap_all(writer, iov, 1);
		iov[0].iov_base = writer->copy.data;
	}
	if (!ret)
		ret = tally_writer_writev(writer, iov, 3);
	if (ret) {
		truncate_to(writer, position);
		return ret;
	}
	writer->data_bytes += iov_size(iov, 3);
	writer->raw_bytes += iov_size(iov, 3);
	return 0;
}

int tally_perfdata_writer_finish_round(struct tally_perfdata_writer *writer)
{
	struct perf_event_header round = {TALLY_PERFDATA_FINISHED_ROUND, 0, sizeof(round)};

	return tally_perfdata_writer_write(writer, &round, sizeof(round));
}

/* ---- start and end ------------------------------------------------------- */

int tally_perfdata_writer_start(struct tally_perfdata_writer *writer)
{
	int ret;

	if (writer->started)
		return -EBUSY;
	ret = writer->options.pipe ? tally_writer_start_pipe(writer)
				   : tally_writer_start_file(writer);
	if (!ret)
		writer->started = true;
	return ret;
}

int tally_perfdata_writer_finish(struct tally_perfdata_writer *writer)
{
	int ret = 0;

	if (writer->finished)
		return 0;
	if (!writer->started)
		return -EINVAL;
	/* A data size of 0 would mark the file as unfinished. */
	if (!writer->options.pipe && !writer->data_bytes)
		ret = tally_perfdata_writer_finish_round(writer);
	if (!ret)
		ret = writer->options.pipe ? tally_writer_finish_pipe(writer)
					   : tally_writer_finish_file(writer);
	if (!ret)
		writer->finished = true;
	return ret;
}

bool tally_perfdata_writer_is_finished(const struct tally_perfdata_writer *writer)
{
	return writer->finished;
}

uint64_t tally_perfdata_writer_bytes(const struct tally_perfdata_writer *writer)
{
	return writer->data_bytes;
}

uint64_t tally_perfdata_writer_raw_bytes(const struct tally_perfdata_writer *writer)
{
	return writer->raw_bytes;
}
