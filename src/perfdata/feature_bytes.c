/* SPDX-License-Identifier: BSD-2-Clause */
#include "perfdata/feature_bytes.h"

#include <string.h>

#include "base/endian.h"

const uint8_t *tally_feature_read(struct tally_feature_bytes *in, uint64_t size)
{
	const uint8_t *at = in->data + in->at;

	if (in->failed || size > tally_feature_left(in)) {
		in->failed = true;
		return NULL;
	}
	in->at += size;
	return at;
}

uint32_t tally_feature_u32(struct tally_feature_bytes *in)
{
	const uint8_t *at = tally_feature_read(in, 4);

	return at ? tally_load_u32(at, in->swap) : 0;
}

uint64_t tally_feature_u64(struct tally_feature_bytes *in)
{
	const uint8_t *at = tally_feature_read(in, 8);

	return at ? tally_load_u64(at, in->swap) : 0;
}

struct tally_perfdata_slice tally_feature_text(struct tally_feature_bytes *in)
{
	uint32_t room = tally_feature_u32(in);
	const uint8_t *at = tally_feature_read(in, room);

	return (struct tally_perfdata_slice){at, at ? strnlen((const char *)at, room) : 0};
}

const char *tally_feature_string(struct tally_feature_bytes *in)
{
	struct tally_perfdata_slice text = tally_feature_text(in);
	const char *copy;

	if (!text.len)
		return "";
	copy = tally_arena_strndup(in->arena, (const char *)text.data, text.len);
	in->no_memory |= !copy;
	return copy ? copy : "";
}

void *tally_feature_alloc(struct tally_feature_bytes *in, size_t size)
{
	void *bytes = tally_arena_alloc(in->arena, size);

	if (bytes)
		memset(bytes, 0, size);
	else
		in->no_memory = in->failed = true;
	return bytes;
}

void *tally_feature_array(struct tally_feature_bytes *in, uint64_t nr, size_t size, size_t least)
{
	if (in->failed || nr > tally_feature_left(in) / least) {
		in->failed = true;
		return NULL;
	}
	return nr ? tally_feature_alloc(in, nr * size) : NULL;
}
