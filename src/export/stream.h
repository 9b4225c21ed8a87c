/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes on their way to a sink, in large pieces, packed if wanted. */
#ifndef TALLY_EXPORT_STREAM_H
#define TALLY_EXPORT_STREAM_H

#include "base/str.h"
#include "export/export.h"

struct tally_export_gzip;

/* Append to `text`, and spill now and then. */
struct tally_export_stream {
	struct tally_str text;
	const struct tally_export_sink *sink;
	struct tally_export_gzip *gzip; /* NULL: not packed */
	int error;                      /* the first one; nothing is written after it */
};

/* `sink` must outlive it. 0 or -ENOMEM; end it with tally_export_stream_end(). */
int tally_export_stream_start(struct tally_export_stream *stream,
			      const struct tally_export_sink *sink, bool packs);

/* Write what was appended if it is much, but for its last byte, by which JSON knows whether a comma
 * is due. 0 or the first error. */
int tally_export_spill(struct tally_export_stream *stream);

/* Write the rest, unless `ret` is an error, and free all: `ret`, else the first error. */
int tally_export_stream_end(struct tally_export_stream *stream, int ret);

#endif
