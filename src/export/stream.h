/* SPDX-License-Identifier: BSD-2-Clause */
/* Buffered output to a sink, optionally compressed. */
#ifndef TALLY_EXPORT_STREAM_H
#define TALLY_EXPORT_STREAM_H

#include "base/str.h"
#include "export/export.h"

struct tally_export_gzip;

/* Append to `text`, and call tally_export_flush_some() regularly. */
struct tally_export_stream {
	struct tally_str text;
	const struct tally_export_sink *sink;
	struct tally_export_gzip *gzip; /* NULL: not compressed */
	int error;                      /* first error; nothing is written after it */
};

/* Start a stream. `sink` must outlive it. Returns 0 or -ENOMEM; end it with
 * tally_export_stream_end(). */
int tally_export_stream_start(struct tally_export_stream *stream,
			      const struct tally_export_sink *sink, bool packs);

/* Write the buffer if it is large, except its last byte, which the JSON writer needs to decide
 * about a comma. Returns 0 or the first error. */
int tally_export_flush_some(struct tally_export_stream *stream);

/* Write the rest, unless `ret` is an error, and free the stream. Returns `ret`, or the first error
 * if `ret` is 0. */
int tally_export_stream_end(struct tally_export_stream *stream, int ret);

#endif
