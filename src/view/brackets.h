/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pairs of brackets in the name of a function, as C++, Rust, Go and others write them. Those of
 * an operator's own name, arrows, comparisons and brackets that have no other half are text like
 * any other.
 */
#ifndef TALLY_VIEW_BRACKETS_H
#define TALLY_VIEW_BRACKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

enum { TALLY_BRACKETS_MAX = 1 << 18 }; /* bytes of a name that is looked at */

/* A pair, in the order in which they open. The first one is the name as a whole. */
struct tally_bracket {
	uint32_t open, close; /* where the two characters are; a close of 0: there is none */
	uint32_t next;   /* number of the first pair that opens behind all that is in this one */
	uint32_t own;    /* columns in it, without what is in the pairs that it holds */
	uint32_t nr;     /* pairs that it holds, without those in them and those that are text */
	uint32_t cut;    /* where a mark takes the place of the rest of it; 0: it is shown whole */
	uint32_t queued; /* number of the next one to look at; 0: none */
	bool is_text; /* unpaired, or no wider than the mark: what is in it is in the outer one */
};

struct tally_brackets {
	TALLY_VEC(struct tally_bracket) all;
};

/* Find them in `len` bytes, at most TALLY_BRACKETS_MAX; each pair is cut right behind its first
 * character by a mark of so many columns. 0 or -ENOMEM, then there is nothing to be freed. */
int tally_brackets_find(const char *text, size_t len, size_t mark,
			struct tally_brackets *ret_brackets);
void tally_brackets_free(struct tally_brackets *brackets);

/* The bytes of the operator's name that is at `at`, with the word "operator"; 0: none is there. */
size_t tally_brackets_operator(const char *text, size_t len, size_t at);

#endif
