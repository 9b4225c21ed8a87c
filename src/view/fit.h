/* SPDX-License-Identifier: BSD-2-Clause */
/* Columns of names share what room there is. */
#ifndef TALLY_VIEW_FIT_H
#define TALLY_VIEW_FIT_H

#include "view/view.h"

/* Make columns of names narrower so that a line has at most so many columns of the terminal: each
 * has eight, if it needs them, even if the line is longer then; then each has up to twenty, then
 * more, as far as there is room, of which names of functions get double shares. Measures stay as
 * they are. Each column is preceded by two blanks. */
void tally_view_fit(const struct tally_view *view, int columns, int widths[]);

/* The same for a screen, which cuts what is too wide: where functions (without them, the last
 * names) would have less than `least` columns and need more, other names go, the first ones first,
 * and then measures, the last ones first, but for the first one and those with a width that was
 * asked for. The width of what goes is 0. */
void tally_view_fit_screen(const struct tally_view *view, int columns, int least, int widths[]);

/* The columns that a row's cell takes when it is whole, a million at most; `text` is for this
 * function to write to. */
int tally_view_cell_width(const struct tally_view *view, const struct tally_view_column *column,
			  const struct tally_row *row, struct tally_str *text);

#endif
