/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Expands COMPRESSED and COMPRESSED2 records: pieces of a single zstd stream for the whole file. A
 * zstd frame need not end at the end of a piece, and records may span pieces, so the decoder and
 * its output window live as long as the reader.
 */
#include <errno.h>
#include <stdlib.h>
#include <zstd.h>

#include "base/arith.h"
#include "base/endian.h"
#include "perfdata/input.h"
#include "perfdata/reader.h"

enum { HEADER = sizeof(struct perf_event_header) };

struct tally_inflater {
	ZSTD_DStream *zstd;
	ZSTD_inBuffer in;
	struct tally_window window;
	uint64_t offset; /* offset of the current piece */
	/* Totals so far: compressed bytes, expanded bytes, and expanded records. */
	uint64_t fed, given, records;
	bool broken;
	bool pending; /* the decoder may have more output */
};

static int64_t inflate_fill(void *context, uint8_t *to, size_t cap)
{
	struct tally_inflater *inflater = context;
	ZSTD_outBuffer out = {to, cap, 0};

	while (!inflater->broken && !out.pos &&
	       (inflater->pending || inflater->in.pos < inflater->in.size)) {
		size_t ret = ZSTD_decompressStream(inflater->zstd, &out, &inflater->in);

		if (ZSTD_isError(ret))
			inflater->broken = true;
		inflater->pending = out.pos == out.size;
	}
	inflater->given += out.pos;
	return (int64_t)out.pos;
}

static int inflater_new(struct tally_perfdata *data)
{
	struct tally_inflater *inflater = calloc(1, sizeof(*inflater));

	if (!inflater)
		return -ENOMEM;
	inflater->zstd = ZSTD_createDStream();
	if (!inflater->zstd) {
		free(inflater);
		return -ENOMEM;
	}
	inflater->window = (struct tally_window){
		.fill = inflate_fill, .context = inflater, .pool = &data->pool};
	data->inflater = inflater;
	return 0;
}

static void note_broken(struct tally_perfdata *data, uint64_t offset, uint64_t bytes,
			const char *text)
{
	tally_reader_add_note(data, (struct tally_perfdata_note){.kind = TALLY_NOTE_BAD_COMPRESSED,
								 .offset = offset,
								 .bytes = bytes,
								 .text = text});
}

int tally_inflater_feed(struct tally_perfdata *data, const struct tally_raw *container)
{
	size_t at = HEADER, len = container->size - HEADER;
	int ret = data->inflater ? 0 : inflater_new(data);

	if (ret)
		return ret;
	if (container->type == TALLY_PERFDATA_COMPRESSED2) {
		uint64_t size =
			len >= 8 ? tally_load_u64(container->data + at, data->info.is_foreign)
				 : UINT64_MAX;

		if (len < 8 || size > len - 8) {
			note_broken(data, container->offset, 0,
				    "COMPRESSED2 data longer than the record");
			size = len < 8 ? 0 : len - 8;
		}
		at = len < 8 ? at : at + 8;
		len = size;
	}
	data->inflater->fed += len;
	data->inflater->in = (ZSTD_inBuffer){container->data + at, len, 0};
	data->inflater->offset = container->offset;
	return 0;
}

/* Reject a compression ratio far beyond what any recorder produces. `err` names the limit. */
static int check_expansion(const struct tally_inflater *inflater, struct tally_error *err)
{
	const char *text = NULL;

	if (inflater->given > TALLY_EXPANDED_MIN + TALLY_EXPANDED_RATIO * inflater->fed)
		text = "compressed records expand beyond the limit of 64 MiB plus 256 times "
		       "their size";
	else if (inflater->records > TALLY_EXPANDED_RECORDS_MIN + inflater->fed / 2)
		text = "more compressed records than the limit of 1048576 plus one per two "
		       "compressed bytes";
	return text ? tally_error_at(err, -EINVAL, text, inflater->offset) : 0;
}

int tally_inflater_next(struct tally_perfdata *data, struct tally_raw *ret_raw,
			struct tally_error *err)
{
	struct tally_inflater *inflater = data->inflater;
	bool was_broken, swap = data->info.is_foreign;
	struct tally_raw raw = {.flags = TALLY_PERFDATA_EXPANDED, .offset = UINT64_MAX};
	size_t have;
	int ret;

	if (!inflater)
		return 0;
	was_broken = inflater->broken;
	ret = tally_window_peek(&inflater->window, HEADER, &raw.data, &have);
	if (!ret && have >= HEADER) {
		raw.size = tally_load_u16(raw.data + 6, swap);
		if (raw.size < HEADER)
			return tally_error_at(err, -EINVAL,
					      "compressed record shorter than its "
					      "header",
					      inflater->offset);
		ret = tally_window_peek(&inflater->window, raw.size, &raw.data, &have);
	}
	if (ret)
		return tally_error_at(err, ret, "out of memory", inflater->offset);
	if (inflater->broken && !was_broken)
		note_broken(data, inflater->offset, 0, "the compressed stream is corrupt");
	if (have < HEADER || have < raw.size)
		return 0;
	raw.type = tally_load_u32(raw.data, swap);
	raw.misc = tally_load_u16(raw.data + 4, swap);
	raw.chunk = inflater->window.chunk;
	tally_window_skip(&inflater->window, raw.size);
	inflater->records++;
	ret = check_expansion(inflater, err);
	if (ret)
		return ret;
	*ret_raw = raw;
	return 1;
}

void tally_inflater_finish(struct tally_perfdata *data)
{
	struct tally_inflater *inflater = data->inflater;
	size_t left = inflater ? inflater->window.end - inflater->window.at : 0;

	if (left && !inflater->broken)
		note_broken(data, inflater->offset, left,
			    "the compressed stream ends inside a "
			    "record");
	if (inflater)
		inflater->window.at = inflater->window.end;
}

void tally_inflater_free(struct tally_inflater *inflater)
{
	if (!inflater)
		return;
	ZSTD_freeDStream(inflater->zstd);
	tally_window_free(&inflater->window);
	free(inflater);
}
