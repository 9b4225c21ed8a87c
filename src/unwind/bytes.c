/* SPDX-License-Identifier: BSD-2-Clause */
#include "unwind/bytes.h"

/* Return the bits of a LEB128 number. Also get the number of bits and the last byte. */
static uint64_t leb_bits(struct tally_bytes_reader *bytes, unsigned *ret_nr, uint8_t *ret_last)
{
	uint64_t value = 0;
	unsigned nr = 0;
	uint8_t byte;

	do {
		byte = tally_bytes_u8(bytes);
		if (nr < 64)
			value |= (uint64_t)(byte & 0x7f) << nr;
		nr += nr < 64 ? 7 : 0;
	} while (byte & 0x80);
	*ret_nr = nr;
	*ret_last = byte;
	return value;
}

uint64_t tally_bytes_uleb(struct tally_bytes_reader *bytes)
{
	unsigned nr;
	uint8_t last;

	return leb_bits(bytes, &nr, &last);
}

int64_t tally_bytes_sleb(struct tally_bytes_reader *bytes)
{
	unsigned nr;
	uint8_t last;
	uint64_t value = leb_bits(bytes, &nr, &last);

	if (nr < 64 && last & 0x40)
		value |= UINT64_MAX << nr;
	return (int64_t)value;
}
