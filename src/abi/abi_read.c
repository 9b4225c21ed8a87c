/* SPDX-License-Identifier: BSD-2-Clause */
/* The read formats; see perf_event_open(2), "Reading results". */
#include "tally/errno.h"

#include "abi/abi_sample.h"
#include "base/arith.h"

static size_t read_times(uint64_t format)
{
	return !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
	       !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
}

size_t tally_read_size(uint64_t format, uint64_t nr)
{
	if (!(format & PERF_FORMAT_GROUP))
		nr = 1;
	return 8 * (!!(format & PERF_FORMAT_GROUP) + read_times(format) +
		    nr * tally_read_stride(format));
}

static uint8_t *put_word_if(uint8_t *at, bool there, uint64_t value)
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

	at = put_word_if(at, true, group ? read->nr : read->single.value);
	at = put_word_if(at, format & PERF_FORMAT_TOTAL_TIME_ENABLED, read->time_enabled);
	at = put_word_if(at, format & PERF_FORMAT_TOTAL_TIME_RUNNING, read->time_running);
	if (group) {
		__builtin_memcpy(at, read->group.data, 8 * read->group.nr);
	} else {
		at = put_word_if(at, format & PERF_FORMAT_ID, read->single.id);
		put_word_if(at, format & PERF_FORMAT_LOST, read->single.lost);
	}
}
