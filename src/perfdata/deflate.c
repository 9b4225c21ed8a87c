/* SPDX-License-Identifier: BSD-2-Clause */
/* Compresses records into COMPRESSED records. The whole file is one zstd stream. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/arith.h"
#include "base/endian.h"
#include "perfdata/encode.h"
#include "perfdata/writer.h"

enum { HEADER = sizeof(struct perf_event_header), BODY_MAX = 65520 };

struct tally_deflater {
	ZSTD_CCtx *zstd;
	ZSTD_outBuffer out;
	size_t slice; /* input bytes since the last flush */
	uint8_t record[HEADER + BODY_MAX];
};

int tally_deflater_new(int level, struct tally_deflater **ret_deflater)
{
	struct tally_deflater *deflater = calloc(1, sizeof(*deflater));

	if (!deflater)
		return -ENOMEM;
	deflater->zstd = ZSTD_createCCtx();
	if (!deflater->zstd) {
		free(deflater);
		return -ENOMEM;
	}
	/* zstd clamps the level to its supported range. */
	ZSTD_CCtx_setParameter(deflater->zstd, ZSTD_c_compressionLevel, level);
	deflater->out = (ZSTD_outBuffer){deflater->record + HEADER, BODY_MAX, 0};
	*ret_deflater = deflater;
	return 0;
}

void tally_deflater_free(struct tally_deflater *deflater)
{
	if (!deflater)
		return;
	ZSTD_freeCCtx(deflater->zstd);
	free(deflater);
}

/* Write the pending compressed bytes as one record. */
static int deflater_emit(struct tally_perfdata_writer *writer)
{
	struct tally_deflater *deflater = writer->deflater;
	size_t size = HEADER + deflater->out.pos;
	struct tally_str header = {0};
	int ret;

	if (!deflater->out.pos)
		return 0;
	tally_write_record(&header, writer->options.foreign, TALLY_PERFDATA_COMPRESSED, 0, size);
	ret = tally_str_error(&header);
	if (!ret) {
		memcpy(deflater->record, header.data, HEADER);
		ret = tally_writer_write(writer, deflater->record, size);
	}
	tally_str_free(&header);
	if (!ret)
		writer->data_bytes += size;
	deflater->out.pos = 0;
	return ret;
}

/* Run the encoder until `in` is consumed. With `flush`, also run it until all output has been
 * produced. */
static int deflater_run(struct tally_perfdata_writer *writer, ZSTD_inBuffer *in, bool flush)
{
	struct tally_deflater *deflater = writer->deflater;
	ZSTD_EndDirective what = flush ? ZSTD_e_flush : ZSTD_e_continue;
	size_t left;
	int ret = 0;

	do {
		left = ZSTD_compressStream2(deflater->zstd, &deflater->out, in, what);
		if (ZSTD_isError(left))
			return -EIO;
		if (deflater->out.pos == deflater->out.size)
			ret = deflater_emit(writer);
	} while (!ret && (in->pos < in->size || (flush && left)));
	return ret;
}

static int deflater_flush(struct tally_perfdata_writer *writer)
{
	ZSTD_inBuffer none = {NULL, 0, 0};
	int ret = deflater_run(writer, &none, true);

	writer->deflater->slice = 0;
	return ret ? ret : deflater_emit(writer);
}

int tally_deflate(struct tally_perfdata_writer *writer, const struct iovec *iov, int nr)
{
	struct tally_deflater *deflater = writer->deflater;
	int ret = 0;

	for (int i = 0; !ret && i < nr; i++) {
		const uint8_t *at = iov[i].iov_base;
		size_t left = iov[i].iov_len;

		while (!ret && left) {
			size_t size = TALLY_MIN(left, TALLY_DEFLATE_SLICE - deflater->slice);
			ZSTD_inBuffer in = {at, size, 0};

			ret = deflater_run(writer, &in, false);
			deflater->slice += size;
			at += size;
			left -= size;
			if (!ret && deflater->slice == TALLY_DEFLATE_SLICE)
				ret = deflater_flush(writer);
		}
	}
	return ret ? ret : deflater_flush(writer);
}
