/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzz the translation of records to the classic format. The first 56 bytes are the classic attr,
 * and the remaining bytes are the record. For some inputs, the record's header is fixed up. Each
 * translated record must be complete, not longer than the original plus padding, and accepted by
 * tally_classic_sample_decode(). Decoding the input as a packet must not read beyond its end.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/endian.h"
#include "tally/abi.h"
#include "tally/classic.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Clear reserved fields, so that most inputs are valid attrs. */
static struct tally_classic_attr attr_from(const uint8_t *data)
{
	struct tally_classic_attr attr;

	memcpy(&attr, data, sizeof(attr));
	attr.record_type &= 63;
	attr.read_format &= 3;
	attr.__reserved_1 = 0;
	attr.extra_config_len = 0;
	attr.__reserved_2 = attr.__reserved_3 = 0;
	return attr;
}

/* A translated overflow packet must decode. */
static void check_packet(const uint8_t *out, int64_t len)
{
	const struct tally_classic_header *record = (const void *)out;
	struct tally_classic_sample sample;

	if (len > 0 && record->misc & TALLY_CLASSIC_MISC_OVERFLOW &&
	    tally_classic_sample_decode(record, &sample))
		abort();
}

/* Translate a ring buffer with contents that another process may have corrupted. */
static void check_ring(const struct tally_classic_attr *attr, const uint8_t *data, size_t len)
{
	enum { PAGE = 2048, SIZE = 256 };
	static _Alignas(8) uint8_t from[PAGE + SIZE], to[PAGE + SIZE],
		scratch[TALLY_CLASSIC_SCRATCH];
	struct tally_classic_ring ring = {.attr = *attr,
					  .from = (void *)from,
					  .to = (void *)to,
					  .page_size = PAGE,
					  .from_size = SIZE,
					  .size = SIZE / 2,
					  .scratch = scratch};

	memset(from, 0, sizeof(from));
	if (tally_classic_ring_init(&ring))
		abort();
	for (size_t at = 0; at + 8 <= len; at += SIZE) {
		size_t part = len - at < SIZE ? len - at : SIZE;

		memcpy(from + PAGE, data + at, part);
		ring.from->data_head += tally_get_u16(data + at) % (SIZE + 9);
		tally_classic_ring_update(&ring);
		if (ring.head - ring.oldest > ring.size || ring.overwritten > ring.records)
			abort();
		to[PAGE + data[at + 4] % (SIZE / 2)] = data[at + 5];
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tally_classic_sample sample;
	struct tally_classic_attr attr;
	uint8_t *record, *out;
	size_t len, cap;
	int64_t wrote;

	if (size < sizeof(attr))
		return 0;
	attr = attr_from(data);
	len = size - sizeof(attr);
	cap = len + 8;
	record = malloc(len + 1);
	out = malloc(cap);
	if (!record || !out)
		abort();
	memcpy(record, data + sizeof(attr), len);
	if (len >= 8 && len <= UINT16_MAX && data[55] & 1)
		tally_put_u16(record + 6, (uint16_t)len);
	wrote = tally_classic_record(&attr, record, len, NULL, NULL, out, cap);
	if (wrote > 0 && (wrote % 8 || (size_t)wrote > cap || tally_get_u16(out + 6) != wrote))
		abort();
	check_packet(out, wrote);
	if (len >= sizeof(struct tally_classic_header) && tally_get_u16(record + 6) <= len)
		tally_classic_sample_decode((const void *)record, &sample);
	check_ring(&attr, record, len);
	tally_classic_counts(&attr, record, len, 1, out, cap);
	free(record);
	free(out);
	return 0;
}
