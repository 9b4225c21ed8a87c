/* SPDX-License-Identifier: BSD-2-Clause */
#include "export/stream.h"

#include "pack/packer.h"

enum { SPILL_AT = 1 << 16 };

int tally_export_stream_start(struct tally_export_stream *stream, const struct tally_export *export,
			      bool packs)
{
	const struct tally_packer_options options = {
		.format = TALLY_PACK_GZIP,
		.threads = export->threads,
		.write = export->sink.write,
		.arg = export->sink.arg,
	};
	struct tally_packer *packer = NULL;
	int ret = packs ? tally_packer_new(&options, &packer) : 0;

	if (!ret)
		*stream = (struct tally_export_stream){.sink = &export->sink, .packer = packer};
	return ret;
}

/* Write all bytes except the last `left`. */
static int write_text(struct tally_export_stream *stream, size_t left)
{
	struct tally_str *text = &stream->text;
	size_t len = text->len - left;
	int ret = stream->error ? stream->error : tally_str_error(text);

	if (!ret)
		ret = stream->packer
			      ? tally_packer_add(stream->packer, tally_str_text(text), len)
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
	return write_text(stream, stream->text.len != 0);
}

int tally_export_stream_end(struct tally_export_stream *stream, int ret)
{
	if (!ret)
		ret = write_text(stream, 0);
	if (!ret && stream->packer)
		ret = tally_packer_end(stream->packer);
	tally_packer_free(stream->packer);
	tally_str_free(&stream->text);
	return ret;
}
