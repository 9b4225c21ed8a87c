/* SPDX-License-Identifier: BSD-2-Clause */
/* Strips over time on a canvas: one row each, a column each bin, as high as its share. */
#ifndef TALLY_VIEW_STRIPS_H
#define TALLY_VIEW_STRIPS_H

#include <stdint.h>

#include "view/canvas.h"

/* Draw `nr` bins in a row from a column on; `highest` is what a full bin is. */
void tally_strips_draw(const uint64_t *bins, uint32_t nr, uint64_t highest, int row, int column,
		       struct tally_canvas *canvas);

/* A bar of so many columns, of which `part` of `whole` is filled. */
void tally_strips_bar(uint64_t part, uint64_t whole, int row, int column, int columns,
		      struct tally_canvas *canvas);

#endif
