/* SPDX-License-Identifier: BSD-2-Clause */
/* Code ranges that may be nested, and lookup of the innermost range that contains an address. */
#ifndef TALLY_DWARF_PIECES_H
#define TALLY_DWARF_PIECES_H

#include <stddef.h>
#include <stdint.h>

/* Common first member of structures that are looked up by address. */
struct dwarf_piece {
	uint64_t start, end;
	uint64_t beyond; /* index + 1 of the last earlier piece that ends after this one, or 0 */
};

/* A range of code addresses. */
struct dwarf_part {
	uint64_t start, end;
};

/* Sort `nr` structures of `size` bytes by start address. If two pieces have the same start address,
 * the longer one comes first, so a backward search finds the inner piece first. Equal pieces are
 * sorted by `then`. */
void dwarf_pieces_sort(void *pieces, size_t size, size_t nr,
		       int (*then)(const void *a, const void *b));

/* Find the innermost of the sorted structures that contains `addr`, or return NULL. `part` must
 * contain `addr`; it is reduced to the addresses for which the result is the same. */
const void *dwarf_pieces_find(const void *pieces, size_t size, size_t nr, uint64_t addr,
			      struct dwarf_part *part);

#define DWARF_PIECES_SORT(vec, then) \
	dwarf_pieces_sort((vec)->data, sizeof(*(vec)->data), (vec)->len, (then))
#define DWARF_PIECES_FIND(vec, addr, part) \
	dwarf_pieces_find((vec)->data, sizeof(*(vec)->data), (vec)->len, (addr), (part))

#endif
