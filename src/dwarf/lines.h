/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Source lines by address: the line of an address, and the inlined functions that contain it.
 * Results are cached by spans, ranges of addresses with the same result.
 *
 *	struct tally_lines lines = {0};
 *	tally_lines_add(&lines, &span);
 *	span = tally_lines_find(&lines, addr);
 */
#ifndef TALLY_DWARF_LINES_H
#define TALLY_DWARF_LINES_H

#include <stdint.h>

#include "base/intern.h"
#include "base/map.h"
#include "base/path.h"
#include "base/vec.h"
#include "dwarf/runs.h"

/* A location in the source. */
struct tally_line {
	/* Linkage name of an inlined function ("_ZN1a1bEv"). NULL: the function that contains the
	 * address, which is named by its symbol. */
	const char *function;
	const char *file; /* path as passed to the compiler; NULL: unknown */
	uint32_t line;    /* 0: unknown */
};

/* Addresses [start, end). The first line is that of the instructions, in the innermost function.
 * Each further line is the call site of the inlined function before it. A span without lines means:
 * known to have none. */
struct tally_line_span {
	uint64_t start, end;
	const struct tally_line *lines;
	uint32_t nr;
};

/* A zeroed structure is an empty cache. */
struct tally_lines {
	TALLY_VEC(struct tally_line_span) spans; /* in order of addition, without overlap */
	struct tally_line_runs runs;
	struct tally_map by_address; /* index + 1 of the span, for addresses looked up before */
	struct tally_intern texts;
	struct tally_arena arena; /* memory for lines */
};

/* Intern a text: equal texts get the same pointer, valid until tally_lines_free(). Returns 0,
 * -ENOMEM, or -E2BIG for a text longer than 4 GB. */
int tally_lines_text(struct tally_lines *lines, const char *text, size_t len,
		     const char **ret_text);

/* Add a copy of a span, which must use texts from tally_lines_text(). An empty span is ignored.
 * Only those parts of the span are added that no earlier span covers. Returns 0 or -ENOMEM. */
int tally_lines_add(struct tally_lines *lines, const struct tally_line_span *span);

/* Return the span that contains `addr`, or NULL. It is valid until the next span is added; its
 * lines and their texts until tally_lines_free(). */
const struct tally_line_span *tally_lines_find(struct tally_lines *lines, uint64_t addr);

void tally_lines_free(struct tally_lines *lines);

/* Return the name of a line's file without its directories, or NULL if unknown. */
static inline const char *tally_line_file_name(const struct tally_line *line)
{
	return line && line->file ? tally_path_name(line->file) : NULL;
}

#endif
