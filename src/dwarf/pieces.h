/* SPDX-License-Identifier: BSD-2-Clause */
/* Pieces of code that may lie in each other, and the innermost one that has an address. */
#ifndef TALLY_DWARF_PIECES_H
#define TALLY_DWARF_PIECES_H

#include <stddef.h>
#include <stdint.h>

/* What a structure begins with that is found by address. */
struct dwarf_piece {
	uint64_t start, end;
	uint64_t beyond; /* number + 1 of the last piece before it that ends after it; 0: none */
};

/* A part of the code. */
struct dwarf_part {
	uint64_t start, end;
};

/* Sort `nr` structures of `size` bytes by where they begin, the longer one first: of two that begin
 * together the inner one is met first from behind. The same pieces are sorted by `then`. */
void dwarf_pieces_sort(void *pieces, size_t size, size_t nr,
		       int (*then)(const void *a, const void *b));

/* The innermost of sorted structures that has `addr`; NULL: none has it. Cuts `part`, which has
 * `addr`, to where the answer is the same. */
const void *dwarf_pieces_find(const void *pieces, size_t size, size_t nr, uint64_t addr,
			      struct dwarf_part *part);

#define DWARF_PIECES_SORT(vec, then) \
	dwarf_pieces_sort((vec)->data, sizeof(*(vec)->data), (vec)->len, (then))
#define DWARF_PIECES_FIND(vec, addr, part) \
	dwarf_pieces_find((vec)->data, sizeof(*(vec)->data), (vec)->len, (addr), (part))

#endif
