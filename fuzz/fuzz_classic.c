/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The translator of records to the design document's. The first 56 bytes are the classic attr, the
 * rest is the record, whose header is made to fit now and then. Whatever comes out must be whole
 * records that are not longer than what went in, up to their padding.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "abi/classic.h"
#include "base/endian.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Most inputs are to be attrs: what is reserved is 0. */
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
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
	tally_classic_read(&attr, record, len, 1, out, cap);
	free(record);
	free(out);
	return 0;
}
