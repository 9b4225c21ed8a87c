/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "abi/attr.h"
#include "base/arith.h"
#include "base/endian.h"
#include "perfdata/encode.h"

enum { STRING_ALIGN = 64 };

static void put16(struct tally_str *out, bool swap, uint16_t value)
{
	value = tally_load_u16(&value, swap);
	tally_str_add_bytes(out, &value, sizeof(value));
}

void tally_put32(struct tally_str *out, bool swap, uint32_t value)
{
	value = tally_load_u32(&value, swap);
	tally_str_add_bytes(out, &value, sizeof(value));
}

void tally_put64(struct tally_str *out, bool swap, uint64_t value)
{
	value = tally_load_u64(&value, swap);
	tally_str_add_bytes(out, &value, sizeof(value));
}

void tally_write_zeros(struct tally_str *out, size_t nr)
{
	char *at = nr ? tally_str_reserve(out, nr) : NULL;

	if (at) {
		memset(at, 0, nr);
		out->len += nr;
	}
}

void tally_write_string(struct tally_str *out, bool swap, const char *text)
{
	size_t len = strlen(text), room = tally_round_up(len + 1, STRING_ALIGN);

	tally_put32(out, swap, (uint32_t)room);
	tally_str_add_bytes(out, text, len);
	tally_write_zeros(out, room - len);
}

void tally_write_record(struct tally_str *out, bool swap, uint32_t type, uint16_t misc, size_t size)
{
	tally_put32(out, swap, type);
	put16(out, swap, misc);
	put16(out, swap, (uint16_t)size);
}

void tally_write_attr(struct tally_str *out, bool swap, const struct perf_event_attr *attr,
		      uint32_t size)
{
	uint8_t bytes[sizeof(*attr)];

	tally_attr_encode(attr, size, swap, bytes);
	tally_str_add_bytes(out, bytes, size);
}

const char *tally_unlisted_magic(uint32_t id)
{
	switch (id) {
	case TALLY_FEATURE_EMBEDDED_SYMBOLS: return "tally:unlisted:1";
	case TALLY_FEATURE_REGIONS: return "tally:unlisted:2";
	default: return NULL;
	}
}

void tally_write_feature_entry(struct tally_str *out, bool swap, uint32_t id, uint64_t offset,
			       uint64_t len)
{
	const char *magic = tally_unlisted_magic(id);

	if (magic)
		tally_str_add_bytes(out, magic, TALLY_UNLISTED_MAGIC_SIZE);
	tally_put64(out, swap, offset);
	tally_put64(out, swap, len);
}
