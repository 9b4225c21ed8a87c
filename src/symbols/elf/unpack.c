/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/elf/unpack.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>
#ifdef TALLY_HAVE_DEFLATE
#include <libdeflate.h>
#endif
#ifdef TALLY_HAVE_LZMA
#include <lzma.h>
#endif

#include "base/arith.h"
#include "base/vec.h"

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2 /* missing in glibc 2.36 */
#endif

/* Limit on the decompressed size, to protect against decompression bombs. Modules and symbol tables
 * are smaller. */
enum { UNPACKED_MAX = 256 << 20, STEP = 64 << 10 };

struct output {
	uint8_t *data;
	size_t len, cap;
};

/* Get the free space after the output, ensuring that at least one byte is free. */
static int output_room(struct output *out, uint8_t **ret_at, size_t *ret_room)
{
	uint8_t *grown;

	if (out->len >= UNPACKED_MAX)
		return -EFBIG;
	if (out->len == out->cap) {
		grown = tally_vec_grow(out->data, &out->cap, 1, out->cap + STEP);
		if (!grown)
			return -ENOMEM;
		out->data = grown;
	}
	*ret_at = out->data + out->len;
	*ret_room = out->cap - out->len;
	return 0;
}

/* Decompress gzip or zlib format. */
static int unpack_deflate(const uint8_t *data, size_t len, struct output *out)
{
	z_stream stream = {.next_in = (Bytef *)data, .avail_in = (uInt)len};
	size_t room;
	int ret = 0, code = Z_OK;

	if (inflateInit2(&stream, 15 + 32) != Z_OK)
		return -ENOMEM;
	while (code == Z_OK && !ret) {
		ret = output_room(out, &stream.next_out, &room);
		if (ret)
			break;
		stream.avail_out = (uInt)room;
		code = inflate(&stream, Z_NO_FLUSH);
		out->len += room - stream.avail_out;
	}
	inflateEnd(&stream);
	if (!ret && code != Z_STREAM_END)
		ret = code == Z_MEM_ERROR ? -ENOMEM : -EINVAL;
	return ret;
}

static int unpack_zstd(const uint8_t *data, size_t len, struct output *out)
{
	ZSTD_DStream *stream = ZSTD_createDStream();
	ZSTD_inBuffer in = {data, len, 0};
	size_t code = 1;
	int ret = stream ? 0 : -ENOMEM;

	while (!ret && code) {
		ZSTD_outBuffer to = {0};

		ret = output_room(out, (uint8_t **)&to.dst, &to.size);
		if (ret)
			break;
		code = ZSTD_decompressStream(stream, &to, &in);
		out->len += to.pos;
		if (ZSTD_isError(code) || (code && !to.pos && in.pos == in.size))
			ret = -EINVAL;
	}
	ZSTD_freeDStream(stream);
	return ret;
}

#ifdef TALLY_HAVE_LZMA
bool tally_unpack_has_xz(void)
{
	return true;
}

static int unpack_xz(const uint8_t *data, size_t len, struct output *out)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	lzma_ret code = LZMA_OK;
	size_t room;
	int ret = 0;

	if (lzma_stream_decoder(&stream, UNPACKED_MAX, 0) != LZMA_OK)
		return -ENOMEM;
	stream.next_in = data;
	stream.avail_in = len;
	while (code == LZMA_OK && !ret) {
		ret = output_room(out, &stream.next_out, &room);
		if (ret)
			break;
		stream.avail_out = room;
		code = lzma_code(&stream, LZMA_FINISH);
		out->len += room - stream.avail_out;
	}
	lzma_end(&stream);
	if (!ret && code != LZMA_STREAM_END)
		ret = code == LZMA_MEM_ERROR ? -ENOMEM : -EINVAL;
	return ret;
}
#else
bool tally_unpack_has_xz(void)
{
	return false;
}

static int unpack_xz(const uint8_t *data, size_t len, struct output *out)
{
	return -ENOSYS;
}
#endif

struct format {
	const char *magic;
	size_t len;
	int (*unpack)(const uint8_t *data, size_t len, struct output *out);
};

static const struct format formats[] = {
	{"\xfd"
	 "7zXZ",
	 6, unpack_xz},
	{"\x1f\x8b", 2, unpack_deflate},
	{"\x28\xb5\x2f\xfd", 4, unpack_zstd},
};

static const struct format *format_of(const uint8_t *data, size_t len)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(formats); i++) {
		if (len >= formats[i].len && !memcmp(data, formats[i].magic, formats[i].len))
			return &formats[i];
	}
	return NULL;
}

bool tally_is_packed(const uint8_t *data, size_t len)
{
	return format_of(data, len) != NULL;
}

static int unpack_by(int (*unpack)(const uint8_t *data, size_t len, struct output *out),
		     const uint8_t *data, size_t len, uint8_t **ret_data, size_t *ret_len)
{
	struct output out = {0};
	int ret;

	if (len > UNPACKED_MAX)
		return -EFBIG;
	ret = unpack(data, len, &out);
	if (ret) {
		free(out.data);
		return ret;
	}
	*ret_data = out.data;
	*ret_len = out.len;
	return 0;
}

int tally_unpack(const uint8_t *data, size_t len, uint8_t **ret_data, size_t *ret_len)
{
	const struct format *format = format_of(data, len);

	return format ? unpack_by(format->unpack, data, len, ret_data, ret_len) : -ENOSYS;
}

/* Decompress to a buffer of the exact size, because debug information sections are large. */
#ifdef TALLY_HAVE_DEFLATE
static int section_deflate(const uint8_t *data, size_t len, uint8_t *to, size_t size)
{
	struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
	enum libdeflate_result result;

	if (!decompressor)
		return -ENOMEM;
	result = libdeflate_zlib_decompress(decompressor, data, len, to, size, NULL);
	libdeflate_free_decompressor(decompressor);
	return result == LIBDEFLATE_SUCCESS ? 0 : -EINVAL;
}
#else
static int section_deflate(const uint8_t *data, size_t len, uint8_t *to, size_t size)
{
	z_stream stream = {.next_in = (Bytef *)data, .next_out = to};
	int code = Z_OK;

	if (inflateInit(&stream) != Z_OK)
		return -ENOMEM;
	while (code == Z_OK && (size_t)(stream.next_in - data) <= len) {
		size_t in = len - (size_t)(stream.next_in - data);
		size_t out = size - (size_t)(stream.next_out - to);

		stream.avail_in = (uInt)TALLY_MIN(in, (size_t)INT_MAX);
		stream.avail_out = (uInt)TALLY_MIN(out, (size_t)INT_MAX);
		code = inflate(&stream, Z_NO_FLUSH);
	}
	inflateEnd(&stream);
	return code == Z_STREAM_END && stream.next_out == to + size ? 0 : -EINVAL;
}
#endif

static int section_zstd(const uint8_t *data, size_t len, uint8_t *to, size_t size)
{
	return ZSTD_decompress(to, size, data, len) == size ? 0 : -EINVAL;
}

int tally_unpack_section(uint32_t type, const uint8_t *data, size_t len, size_t size,
			 uint8_t **ret_data)
{
	uint8_t *to;
	int ret;

	if (type != ELFCOMPRESS_ZLIB && type != ELFCOMPRESS_ZSTD)
		return -ENOSYS;
	to = malloc(size + !size);
	if (!to)
		return -ENOMEM;
	ret = type == ELFCOMPRESS_ZLIB ? section_deflate(data, len, to, size)
				       : section_zstd(data, len, to, size);
	if (ret)
		free(to);
	else
		*ret_data = to;
	return ret;
}
