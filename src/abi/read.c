/* SPDX-License-Identifier: BSD-2-Clause */
/* The read formats: perf_event_open(2), "Reading results". */
#include "tally/errno.h"

#include "abi/sample.h"
#include "base/arith.h"

/* Words of one member in a group: its value, and its id and lost count if asked for. */
static size_t read_stride(uint64_t format)
{
	return 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);
}

static size_t read_times(uint64_t format)
{
	return !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
	       !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
}

size_t tally_read_size(uint64_t format, uint64_t nr)
{
	if (!(format & PERF_FORMAT_GROUP))
		nr = 1;
	return 8 * (!!(format & PERF_FORMAT_GROUP) + read_times(format) + nr * read_stride(format));
}

static const uint8_t *word_read(const uint8_t *at, bool there, uint64_t *ret_value)
{
	*ret_value = there ? tally_get_u64(at) : 0;
	return there ? at + 8 : at;
}

static const uint8_t *times_read(const uint8_t *at, struct tally_read *read)
{
	at = word_read(at, read->format & PERF_FORMAT_TOTAL_TIME_ENABLED, &read->time_enabled);
	return word_read(at, read->format & PERF_FORMAT_TOTAL_TIME_RUNNING, &read->time_running);
}

int tally_read_decode(const void *bytes, size_t len, uint64_t read_format,
		      struct tally_read *ret_read, size_t *ret_used, struct tally_error *err)
{
	struct tally_read read = {.format = read_format, .nr = 1};
	const uint8_t *at = bytes;
	size_t fixed = tally_read_size(read_format, 0);

	if (len < fixed)
		return tally_error_at(err, -EINVAL, "counts cut short", 0);
	if (read_format & PERF_FORMAT_GROUP) {
		at = word_read(at, true, &read.nr);
		if (read.nr > tally_div(len - fixed, 8 * read_stride(read_format)))
			return tally_error_at(err, -EINVAL, "group has more members than fit", 0);
		read.group.data = times_read(at, &read);
		read.group.nr = read.nr * read_stride(read_format);
	} else {
		at = word_read(at, true, &read.single.value);
		at = times_read(at, &read);
		at = word_read(at, read_format & PERF_FORMAT_ID, &read.single.id);
		word_read(at, read_format & PERF_FORMAT_LOST, &read.single.lost);
	}
	if (ret_used)
		*ret_used = tally_read_size(read_format, read.nr);
	*ret_read = read;
	return 0;
}

struct tally_read_value tally_read_get(const struct tally_read *read, uint64_t i)
{
	struct tally_read_value value;
	const uint8_t *at;

	if (!(read->format & PERF_FORMAT_GROUP))
		return read->single;
	at = read->group.data + 8 * i * read_stride(read->format);
	at = word_read(at, true, &value.value);
	at = word_read(at, read->format & PERF_FORMAT_ID, &value.id);
	word_read(at, read->format & PERF_FORMAT_LOST, &value.lost);
	return value;
}

static uint8_t *give(uint8_t *at, bool there, uint64_t value)
{
	if (!there)
		return at;
	tally_put_u64(at, value);
	return at + 8;
}

void tally_read_encode(const struct tally_read *read, void *out)
{
	uint64_t format = read->format;
	bool group = format & PERF_FORMAT_GROUP;
	uint8_t *at = out;

	at = give(at, true, group ? read->nr : read->single.value);
	at = give(at, format & PERF_FORMAT_TOTAL_TIME_ENABLED, read->time_enabled);
	at = give(at, format & PERF_FORMAT_TOTAL_TIME_RUNNING, read->time_running);
	if (group) {
		__builtin_memcpy(at, read->group.data, 8 * read->group.nr);
	} else {
		at = give(at, format & PERF_FORMAT_ID, read->single.id);
		give(at, format & PERF_FORMAT_LOST, read->single.lost);
	}
}
