/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds pairs of brackets in function names from C++, Rust, Go and other languages. Unpaired
 * brackets, and those in operator names, arrows and comparisons, are treated as ordinary text.
 */
#ifndef TALLY_VIEW_BRACKETS_H
#define TALLY_VIEW_BRACKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

enum { TALLY_BRACKETS_MAX = 1 << 18 }; /* maximum length of a name */

/* A pair of brackets. Pairs are sorted by their opening bracket. The first pair represents the
 * whole name. */
struct tally_bracket {
	uint32_t open, close; /* offsets of both brackets; close is 0 if it is missing */
	uint32_t next;        /* index of the first pair that opens after this pair has closed */
	uint32_t own;         /* width of the contents, without nested pairs */
	uint32_t nr;          /* number of directly nested pairs, excluding those with is_text */
	uint32_t cut;         /* offset where a mark replaces the contents; 0 if shown in full */
	uint32_t queued;      /* index of the next pair in a queue, or 0 */
	bool is_hidden;       /* in a part of the name that is not shown */
	bool is_text; /* unpaired, no wider than the mark, or a name; treated as text of the outer pair */
};

struct tally_brackets {
	TALLY_VEC(struct tally_bracket) all;
};

/* Find the pairs of brackets in `len` bytes of text; `len` must not exceed TALLY_BRACKETS_MAX.
 * Initially each pair is cut right after its opening bracket; the mark is `mark` columns wide.
 * Returns 0, or -ENOMEM with nothing to free. */
int tally_brackets_find(const char *text, size_t len, size_t mark,
			struct tally_brackets *ret_brackets);
void tally_brackets_free(struct tally_brackets *brackets);

#endif
