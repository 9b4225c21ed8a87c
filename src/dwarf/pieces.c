/* SPDX-License-Identifier: BSD-2-Clause */
#include "dwarf/pieces.h"

#include <stdlib.h>

#include "base/arith.h"

static const struct dwarf_piece *piece_at(const void *pieces, size_t size, size_t i)
{
	return (const void *)((const char *)pieces + i * size);
}

static int by_start(const void *a, const void *b, void *arg)
{
	const struct dwarf_piece *x = a, *y = b;
	int (*const *then)(const void *, const void *) = arg;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end > y->end ? -1 : 1;
	return (*then)(a, b);
}

/* Search the first `nr` pieces backwards for one that ends after `end`. Return its index + 1, or
 * 0. */
static size_t piece_beyond(const void *pieces, size_t size, size_t nr, uint64_t end)
{
	while (nr && piece_at(pieces, size, nr - 1)->end <= end)
		nr = piece_at(pieces, size, nr - 1)->beyond;
	return nr;
}

void dwarf_pieces_sort(void *pieces, size_t size, size_t nr,
		       int (*then)(const void *a, const void *b))
{
	if (nr)
		qsort_r(pieces, nr, size, by_start, &then);
	for (size_t i = 0; i < nr; i++) {
		struct dwarf_piece *piece = (void *)((char *)pieces + i * size);

		piece->beyond = piece_beyond(pieces, size, i, piece->end);
	}
}

/* Return the number of pieces that begin at or before an address. */
static size_t pieces_before(const void *pieces, size_t size, size_t nr, uint64_t addr)
{
	size_t low = 0, high = nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (piece_at(pieces, size, middle)->start <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const void *dwarf_pieces_find(const void *pieces, size_t size, size_t nr, uint64_t addr,
			      struct dwarf_part *part)
{
	/* Limit the search: each step moves to a longer piece, and pieces in valid files are not
	 * nested this deeply. */
	enum { STEPS_MAX = 1024 };
	size_t at = pieces_before(pieces, size, nr, addr);
	const struct dwarf_piece *piece;

	if (at < nr)
		part->end = TALLY_MIN(part->end, piece_at(pieces, size, at)->start);
	for (int looks = 0; at && looks < STEPS_MAX; looks++, at = piece->beyond) {
		piece = piece_at(pieces, size, at - 1);
		part->start = TALLY_MAX(part->start, piece->end > addr ? piece->start : piece->end);
		if (piece->end > addr) {
			part->end = TALLY_MIN(part->end, piece->end);
			return piece;
		}
	}
	if (at)
		part->start = addr;
	return NULL;
}
