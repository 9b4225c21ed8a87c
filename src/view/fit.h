/* SPDX-License-Identifier: BSD-2-Clause */
/* Distributing the available width among columns of names. */
#ifndef TALLY_VIEW_FIT_H
#define TALLY_VIEW_FIT_H

#include "view/view.h"

/* Narrow the columns of names so that a line has at most `columns` columns of the terminal. Each
 * name gets eight columns if it needs them, even if the line is too long then; then up to twenty,
 * then more, as far as there is space. Names of functions get double shares. Metrics keep their
 * widths. Each column is preceded by two blanks. */
void tally_view_fit(const struct tally_view *view, int columns, int widths[]);

/* The same for a screen, which truncates long lines. If functions (or without them, the last names)
 * would have less than `least` columns and need more, other columns are dropped: first names, from
 * the left, then metrics, from the right. The first metric and columns with a requested width are
 * kept. The width of dropped columns is set to 0. */
void tally_view_fit_columns(const struct tally_view *view, int columns, int least, int widths[]);

/* Return the width of a row's cell if it is not shortened, at most a million columns. `text` is a
 * buffer for this function. */
int tally_view_cell_width(const struct tally_view *view, const struct tally_view_column *column,
			  const struct tally_row *row, struct tally_str *text);

#endif
