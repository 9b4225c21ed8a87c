/* SPDX-License-Identifier: BSD-2-Clause */
/* Timelines on a canvas: one row for each track, one column for each bin, as high as its share. */
#ifndef TALLY_VIEW_TRACKS_H
#define TALLY_VIEW_TRACKS_H

#include <stdint.h>

#include "view/canvas.h"

/* Draw `nr` bins in a row, starting at a column; `highest` is the value of a full bin. */
void tally_tracks_draw(const uint64_t *bins, uint32_t nr, uint64_t highest, int row, int column,
		       struct tally_canvas *canvas);

/* Draw a bar of `columns` columns, of which the fraction `part` / `whole` is filled. */
void tally_bar_draw(uint64_t part, uint64_t whole, int row, int column, int columns,
		    struct tally_canvas *canvas);

#endif
