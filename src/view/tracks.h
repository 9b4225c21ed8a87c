/* SPDX-License-Identifier: BSD-2-Clause */
/* Timelines on a canvas: one row for each track, one column for each bin. The height of a bin shows
 * its share. */
#ifndef TALLY_VIEW_TRACKS_H
#define TALLY_VIEW_TRACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "view/canvas.h"

/* Draw `nr` bins on row `row` of the canvas, starting at `column`. A bin with the value `highest`
 * has the full height. */
void tally_tracks_draw(const uint64_t *bins, uint32_t nr, uint64_t highest, int row, int column,
		       struct tally_canvas *canvas);

/* Draw a bar that is `columns` columns wide; the fraction `part` / `whole` of it is filled. */
void tally_bar_draw(uint64_t part, uint64_t whole, int row, int column, int columns,
		    struct tally_canvas *canvas);

/* Draw a bar that begins in the middle of `columns` columns: to the right for growth, to the left
 * otherwise. `part` / `whole` of the half is filled. */
void tally_change_draw(uint64_t part, uint64_t whole, bool is_growth, int row, int column,
		       int columns, struct tally_canvas *canvas);

#endif
