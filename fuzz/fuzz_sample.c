/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sample decoder, trailer, swapper and record walker. The first bytes select the attr, and the
 * remaining bytes are the record. A sample that can be decoded must yield the same values after
 * being encoded and decoded again.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "abi/attr.h"
#include "abi/abi_record.h"
#include "abi/abi_sample.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ATTR_BYTES = 8 + 4 + 4 + 8 + 8 };

static struct perf_event_attr attr_from(const uint8_t *data)
{
	struct perf_event_attr attr = {0};

	attr.sample_type = tally_get_u64(data) & (PERF_SAMPLE_MAX - 1);
	attr.read_format = tally_get_u32(data + 8) & (PERF_FORMAT_MAX - 1);
	attr.branch_sample_type = tally_get_u32(data + 12);
	attr.sample_regs_user = tally_get_u64(data + 16);
	attr.sample_regs_intr = tally_get_u64(data + 24);
	attr.sample_id_all = data[8] >> 7;
	return attr;
}

static void encode_again(const struct tally_sample_layout *layout,
			 const struct tally_sample *sample)
{
	static uint8_t bytes[65536];
	struct tally_sample back;
	size_t len;

	if (tally_sample_encode(layout, sample, 0, bytes, sizeof(bytes), &len))
		return;
	if (tally_sample_decode(layout, bytes, len, &back, NULL) || back.ip != sample->ip ||
	    back.callchain.nr != sample->callchain.nr || back.raw.len < sample->raw.len)
		abort();
}

static void walk(const uint8_t *record, size_t len, const struct perf_event_attr *attr,
		 const struct tally_sample_layout *layout)
{
	const struct tally_record_desc *desc;
	struct tally_record_cursor cursor;
	struct tally_record_value value;
	struct tally_mmap mmap;
	struct tally_comm comm;
	struct tally_task task;

	desc = len >= 8 ? tally_record_describe(tally_record_header(record).type) : NULL;
	if (!desc)
		return;
	tally_record_walk(&cursor, desc, record, len, tally_trailer_size(layout),
			  attr->read_format);
	while (tally_record_next(&cursor, &value, NULL) > 0)
		;
	tally_record_mmap(record, len, &mmap);
	tally_record_comm(record, len, &comm);
	tally_record_task(record, len, &task);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tally_sample_layout layout;
	struct perf_event_attr attr;
	struct tally_sample sample;
	uint8_t *record;
	size_t len;

	if (size < ATTR_BYTES)
		return 0;
	attr = attr_from(data);
	len = size - ATTR_BYTES;
	record = malloc(len + 1);
	if (!record || tally_sample_layout_init(&layout, &attr))
		abort();
	memcpy(record, data + ATTR_BYTES, len);
	if (!tally_sample_decode(&layout, record, len, &sample, NULL))
		encode_again(&layout, &sample);
	tally_trailer_decode(&layout, record, len, &sample, NULL);
	walk(record, len, &attr, &layout);
	if (!tally_sample_swap(&layout, record, len, false, NULL) &&
	    tally_sample_swap(&layout, record, len, true, NULL))
		abort();
	if (len >= 8 && tally_record_describe(tally_record_header(record).type))
		tally_record_swap(tally_record_describe(tally_record_header(record).type), record,
				  len, 0, attr.read_format, false, NULL);
	free(record);
	return 0;
}
