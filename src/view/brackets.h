/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds pairs of brackets in the name of a function, as in C++, Rust, Go and other languages.
 * Brackets in the name of an operator, arrows, comparisons and unpaired brackets are ordinary text.
 */
#ifndef TALLY_VIEW_BRACKETS_H
#define TALLY_VIEW_BRACKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

enum { TALLY_BRACKETS_MAX = 1 << 18 }; /* maximum bytes of a name */

/* A pair of brackets. Pairs are in the order in which they open. The first one is the whole
 * name. */
struct tally_bracket {
	uint32_t open, close; /* offsets of both characters; close is 0 if it is missing */
	uint32_t next;        /* number of the first pair that opens after this one has closed */
	uint32_t own;         /* columns in it, excluding nested pairs */
	uint32_t nr;          /* number of pairs directly in it, excluding those that are text */
	uint32_t cut;         /* offset where a mark replaces the rest; 0: it is shown whole */
	uint32_t queued;      /* number of the next pair in a queue; 0: none */
	bool is_text; /* unpaired, or not wider than the mark: its contents count for the outer
	               * pair */
};

struct tally_brackets {
	TALLY_VEC(struct tally_bracket) all;
};

/* Find the pairs in `len` bytes, at most TALLY_BRACKETS_MAX. Each is cut right after its first
 * character, by a mark of `mark` columns. Returns 0, or -ENOMEM with nothing to free. */
int tally_brackets_find(const char *text, size_t len, size_t mark,
			struct tally_brackets *ret_brackets);
void tally_brackets_free(struct tally_brackets *brackets);

/* Return the length in bytes of the operator's name at offset `at`, including the word "operator";
 * 0 if there is no such name. */
size_t tally_brackets_operator(const char *text, size_t len, size_t at);

#endif
