/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Source lines by address: the line for an address, and the inlined functions that contain it.
 * Results are cached as spans: address ranges in which all addresses have the same lines.
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
	/* Linkage name of an inlined function ("_ZN1a1bEv"), or its name with its scope if it has
	 * none ("a::b"). NULL for the function that contains the address, which is named by its
	 * symbol. */
	const char *function;
	const char *file; /* path as passed to the compiler, or NULL if unknown */
	uint32_t line;    /* 0 if unknown */
};

/* Lines for the addresses [start, end). The first line is the source line of the instructions
 * themselves, in the innermost function. Each further line is the call site of the inlined function
 * before it. A span without lines records that no lines are known for these addresses. */
struct tally_line_span {
	uint64_t start, end;
	const struct tally_line *lines;
	uint32_t nr;
};

/* A zeroed structure is an empty cache. */
struct tally_lines {
	TALLY_VEC(struct tally_line_span) spans; /* in order of addition, without overlap */
	struct tally_line_runs runs;
	struct tally_map by_address; /* address already looked up -> index + 1 of its span */
	struct tally_intern texts;
	struct tally_arena arena; /* memory for lines */
};

/* Intern a string: equal strings get the same pointer, valid until tally_lines_free(). Returns 0,
 * -ENOMEM, or -E2BIG for a string longer than 4 GB. */
int tally_lines_text(struct tally_lines *lines, const char *text, size_t len,
		     const char **ret_text);

/* Add a copy of a span, which must use strings from tally_lines_text(). An empty span is ignored.
 * Only the parts that no earlier span covers are added. Returns 0 or -ENOMEM. */
int tally_lines_add(struct tally_lines *lines, const struct tally_line_span *span);

/* Return the span that contains `addr`, or NULL. The span is valid until the next one is added; its
 * lines and their strings are valid until tally_lines_free(). */
const struct tally_line_span *tally_lines_find(struct tally_lines *lines, uint64_t addr);

/* Return the index of the span that contains `addr`, plus 1, or 0. Unlike tally_lines_find(), do
 * not record that the address was looked up. */
uint32_t tally_lines_search(const struct tally_lines *lines, uint64_t addr);

void tally_lines_free(struct tally_lines *lines);

/* Return the line's file name without directories, or NULL if unknown. */
static inline const char *tally_line_file_name(const struct tally_line *line)
{
	return line && line->file ? tally_path_name(line->file) : NULL;
}

#endif
