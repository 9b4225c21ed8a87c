/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines of source by address: which line an address is of, and through which inlined functions it
 * came there. What was found once is kept, by spans: addresses with the same answer.
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

/* A place in the source. */
struct tally_line {
	const char *function; /* an inlined one, as the linker would know it ("_ZN1a1bEv"); NULL:
			       * the function that has the address, whose name is the symbol's */
	const char *file;     /* path as the compiler was told it; NULL: not known */
	uint32_t line;        /* 0: not known */
};

/* Addresses [start, end). The first line is that of the instructions, in the innermost function;
 * each one after it is where the one before was inlined. No lines: it is known that none are. */
struct tally_line_span {
	uint64_t start, end;
	const struct tally_line *lines;
	uint32_t nr;
};

/* All zero is empty. */
struct tally_lines {
	TALLY_VEC(struct tally_line_span) spans; /* in order of addition; none overlap */
	struct tally_line_runs runs;
	struct tally_map by_address; /* of those that were found: the span + 1 */
	struct tally_intern texts;
	struct tally_arena arena; /* of lines */
};

/* A copy of a text that stays until tally_lines_free(), the same one for the same text. 0, -ENOMEM,
 * or -E2BIG for a text beyond 4 GB. */
int tally_lines_text(struct tally_lines *lines, const char *text, size_t len,
		     const char **ret_text);

/* Add a copy of a span, whose texts are of tally_lines_text(); an empty one is none. What is known
 * already stays: only the parts of the span that no earlier one has are added. 0 or -ENOMEM. */
int tally_lines_add(struct tally_lines *lines, const struct tally_line_span *span);

/* The span that `addr` is in, or NULL. Valid until the next one is added; its lines and their texts
 * until tally_lines_free(). */
const struct tally_line_span *tally_lines_find(struct tally_lines *lines, uint64_t addr);

void tally_lines_free(struct tally_lines *lines);

/* The name of a line's file without its directories; NULL: not known. */
static inline const char *tally_line_file_name(const struct tally_line *line)
{
	return line && line->file ? tally_path_name(line->file) : NULL;
}

#endif
