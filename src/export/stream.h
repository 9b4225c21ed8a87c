/* SPDX-License-Identifier: BSD-2-Clause */
/* Buffered output to a sink, optionally compressed. */
#ifndef TALLY_EXPORT_STREAM_H
#define TALLY_EXPORT_STREAM_H

#include "base/str.h"
#include "export/export.h"

struct tally_packer;

/* An output stream. Append to `text`, and call tally_export_flush_some() regularly. */
struct tally_export_stream {
	struct tally_str text;
	const struct tally_export_sink *sink;
	struct tally_packer *packer; /* NULL if not compressed */
	int error;                   /* first error; nothing is written after an error */
};

/* Start a stream to export->sink, which must outlive it, compressed if `packs` is set. Returns 0 or
 * -ENOMEM. Call tally_export_stream_end() to end the stream. */
int tally_export_stream_start(struct tally_export_stream *stream, const struct tally_export *export,
			      bool packs);

/* Write the buffer if it is large, except for its last byte, from which the JSON writer determines
 * whether a comma is needed. Returns 0 or the first error. */
int tally_export_flush_some(struct tally_export_stream *stream);

/* Write the remaining bytes, unless `ret` is an error, and free the stream. Returns `ret`, or the
 * first error if `ret` is 0. */
int tally_export_stream_end(struct tally_export_stream *stream, int ret);

#endif
