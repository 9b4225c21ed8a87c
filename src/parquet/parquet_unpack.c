/* SPDX-License-Identifier: BSD-2-Clause */
#include "parquet/parquet_unpack.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "parquet/parquet_format.h"

/* ---- Snappy ---------------------------------------------------------------------- */

/* The size of the output, and then literals, and copies of earlier output. The lowest two bits of
 * each tag byte select one of these. */
struct snappy {
	const uint8_t *at, *end;
	uint8_t *out;
	size_t done, size;
};

static bool snappy_number(struct snappy *snappy, unsigned bytes, size_t *ret_value)
{
	size_t value = 0;

	if ((size_t)(snappy->end - snappy->at) < bytes)
		return false;
	for (unsigned i = 0; i < bytes; i++)
		value |= (size_t)*snappy->at++ << 8 * i;
	*ret_value = value;
	return true;
}

static bool snappy_literal(struct snappy *snappy, uint8_t tag)
{
	enum { SHORT_MAX = 60 };
	size_t len = tag >> 2;

	if (len >= SHORT_MAX && !snappy_number(snappy, (unsigned)(len - SHORT_MAX + 1), &len))
		return false;
	if (len >= (size_t)(snappy->end - snappy->at) || len >= snappy->size - snappy->done)
		return false;
	len++;
	memcpy(snappy->out + snappy->done, snappy->at, len);
	snappy->at += len;
	snappy->done += len;
	return true;
}

static bool snappy_copy(struct snappy *snappy, uint8_t tag)
{
	enum { COPY_NEAR = 1, COPY_FAR = 2 };
	size_t distance, len = (size_t)(tag >> 2) + 1;

	if ((tag & 3) == COPY_NEAR) {
		if (!snappy_number(snappy, 1, &distance))
			return false;
		distance |= (size_t)(tag >> 5) << 8;
		len = (size_t)(tag >> 2 & 7) + 4;
	} else if (!snappy_number(snappy, (tag & 3) == COPY_FAR ? 2 : 4, &distance)) {
		return false;
	}
	if (!distance || distance > snappy->done || len > snappy->size - snappy->done)
		return false;
	/* Source and destination may overlap. */
	for (; len; len--, snappy->done++)
		snappy->out[snappy->done] = snappy->out[snappy->done - distance];
	return true;
}

static bool snappy_size(struct snappy *snappy)
{
	size_t value = 0;

	for (unsigned shift = 0; shift < 35 && snappy->at < snappy->end; shift += 7) {
		uint8_t byte = *snappy->at++;

		value |= (size_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return value == snappy->size;
	}
	return false;
}

static bool unpack_snappy(const uint8_t *bytes, size_t len, uint8_t *out, size_t size)
{
	struct snappy snappy = {bytes, bytes + len, out, 0, size};
	bool is_valid = snappy_size(&snappy);

	while (is_valid && snappy.at < snappy.end) {
		uint8_t tag = *snappy.at++;

		is_valid = tag & 3 ? snappy_copy(&snappy, tag) : snappy_literal(&snappy, tag);
	}
	return is_valid && snappy.done == size;
}

/* ---- other codecs ---------------------------------------------------------------- */

static bool unpack_gzip(const uint8_t *bytes, size_t len, uint8_t *out, size_t size)
{
	enum { GZIP_OR_ZLIB = 15 + 32 };
	z_stream stream = {
		.next_in = (uint8_t *)bytes,
		.avail_in = (uInt)len,
		.next_out = out,
		.avail_out = (uInt)size,
	};
	bool is_valid;

	if (inflateInit2(&stream, GZIP_OR_ZLIB) != Z_OK)
		return false;
	is_valid = inflate(&stream, Z_FINISH) == Z_STREAM_END && !stream.avail_out;
	inflateEnd(&stream);
	return is_valid;
}

int parquet_unpack(int codec, const uint8_t *bytes, size_t len, uint8_t *out, size_t size)
{
	bool is_valid;

	switch (codec) {
	case PARQUET_UNCOMPRESSED:
		is_valid = len == size;
		if (is_valid && size)
			memcpy(out, bytes, size);
		break;
	case PARQUET_SNAPPY: is_valid = unpack_snappy(bytes, len, out, size); break;
	case PARQUET_GZIP: is_valid = unpack_gzip(bytes, len, out, size); break;
	case PARQUET_ZSTD: is_valid = ZSTD_decompress(out, size, bytes, len) == size; break;
	default: return -EOPNOTSUPP;
	}
	return is_valid ? 0 : -EINVAL;
}
