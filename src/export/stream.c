/* SPDX-License-Identifier: BSD-2-Clause */
#include "export/stream.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

enum { SPILL_AT = 1 << 16, PACKED_SIZE = 1 << 15 };
enum { GZIP_BITS = 15 + 16, GZIP_MEMORY = 8 }; /* see deflateInit2() */

struct tally_export_gzip {
	z_stream z;
	unsigned char packed[PACKED_SIZE];
};

int tally_export_stream_start(struct tally_export_stream *stream,
			      const struct tally_export_sink *sink, bool packs)
{
	struct tally_export_gzip *gzip = packs ? calloc(1, sizeof(*gzip)) : NULL;

	if (packs && (!gzip || deflateInit2(&gzip->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_BITS,
					    GZIP_MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)) {
		free(gzip);
		return -ENOMEM;
	}
	*stream = (struct tally_export_stream){.sink = sink, .gzip = gzip};
	return 0;
}

static int pack(struct tally_export_stream *stream, size_t len, int flush)
{
	struct tally_export_gzip *gzip = stream->gzip;
	int ret = 0;

	gzip->z.next_in = (unsigned char *)stream->text.data;
	gzip->z.avail_in = (unsigned)len;
	do {
		gzip->z.next_out = gzip->packed;
		gzip->z.avail_out = sizeof(gzip->packed);
		if (deflate(&gzip->z, flush) == Z_STREAM_ERROR)
			return -EIO;
		ret = stream->sink->write(stream->sink->arg, gzip->packed,
					  sizeof(gzip->packed) - gzip->z.avail_out);
	} while (!ret && !gzip->z.avail_out);
	return ret;
}

/* Write all bytes except the last `left`. */
static int write_text(struct tally_export_stream *stream, size_t left, int flush)
{
	struct tally_str *text = &stream->text;
	size_t len = text->len - left;
	int ret = stream->error ? stream->error : tally_str_error(text);

	/* zlib uses 32-bit lengths. */
	if (!ret && len > UINT32_MAX)
		ret = -E2BIG;
	if (!ret)
		ret = stream->gzip
			      ? pack(stream, len, flush)
			      : stream->sink->write(stream->sink->arg, tally_str_text(text), len);
	stream->error = ret;
	if (left && !ret)
		text->data[0] = text->data[len];
	text->len = ret ? 0 : left;
	return ret;
}

int tally_export_flush_some(struct tally_export_stream *stream)
{
	if (stream->text.len < SPILL_AT && !stream->error)
		return tally_str_error(&stream->text);
	return write_text(stream, stream->text.len != 0, Z_NO_FLUSH);
}

int tally_export_stream_end(struct tally_export_stream *stream, int ret)
{
	if (!ret)
		ret = write_text(stream, 0, Z_FINISH);
	if (stream->gzip)
		deflateEnd(&stream->gzip->z);
	free(stream->gzip);
	tally_str_free(&stream->text);
	return ret;
}
