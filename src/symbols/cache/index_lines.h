/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Source lines in an object's index, for addresses that were looked up. A debug file has the
 * object's build-id, so its lines stay valid after the file is removed.
 *
 * Only the spans that are needed are copied from the index: those of all earlier recordings can be
 * a hundred times as many.
 */
#ifndef TALLY_SYMBOLS_CACHE_INDEX_LINES_H
#define TALLY_SYMBOLS_CACHE_INDEX_LINES_H

#include "dwarf/lines.h"
#include "symbols/cache/index.h"

/* Sections TALLY_INDEX_LINES and TALLY_INDEX_INLINED: this header, spans sorted by start without
 * overlap, and lines. */
struct tally_index_lines_head {
	uint32_t nr_spans, nr_lines;
};
struct tally_index_span {
	uint64_t start, end;
	uint32_t first, nr;
};
struct tally_index_line {
	uint32_t function, file; /* offsets in the section of texts, + 1; 0 if unknown */
	uint32_t line, zero;
};

struct tally_dso;

/* The lines in a mapped index. An all-zero struct has none. */
struct tally_index_lines {
	struct tally_index index;
	const struct tally_index_span *spans;
	const struct tally_index_line *lines;
	const char *texts; /* the last byte is a NUL */
	struct tally_index_lines_head head;
	size_t texts_len;
};

/* Open the lines in a DSO's index. They are in the section `id`, TALLY_INDEX_LINES or
 * TALLY_INDEX_INLINED, and their texts in the next section. Returns 0; -ENOENT if there are none;
 * or -EBADMSG if they are damaged. */
int tally_index_lines_open(struct tally_dso *dso, enum tally_index_id id,
			   struct tally_index_lines *ret_lines);

/* Copy the span that contains `addr`, or the span with index `number`, which must be less than
 * head.nr_spans, to `known`. Return 0, -ENOENT if no span contains the address, -EBADMSG if the
 * span is damaged, or -ENOMEM. */
int tally_index_lines_copy(const struct tally_index_lines *lines, uint64_t addr,
			   struct tally_lines *known);
int tally_index_lines_copy_span(const struct tally_index_lines *lines, uint32_t number,
				struct tally_lines *known);

/* Return true if one span in the index contains the whole of `span`. */
bool tally_index_lines_contain(const struct tally_index_lines *lines,
			       const struct tally_line_span *span);

void tally_index_lines_free(struct tally_index_lines *lines);

#endif
