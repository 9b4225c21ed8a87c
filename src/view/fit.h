/* SPDX-License-Identifier: BSD-2-Clause */
/* Distributes the available width among name columns. */
#ifndef TALLY_VIEW_FIT_H
#define TALLY_VIEW_FIT_H

#include "view/view.h"

/* Narrow the name columns to fit a line into `columns` terminal columns. Each name column first
 * gets up to eight terminal columns, even if the line then becomes too long. The remaining space is
 * then distributed, first until each name column has up to twenty terminal columns, then without a
 * limit. Function names get twice the share of other names. Metrics keep their widths. Each column
 * is preceded by two blanks. */
void tally_view_fit(const struct tally_view *view, int columns, int widths[]);

/* Narrow columns for a screen, which truncates long lines. Columns are dropped as long as the
 * function column (or else the last name column) is narrower than its contents and would get fewer
 * than `least` terminal columns. Names are dropped first, from the left, then metrics, from the
 * right. The first metric and columns with a requested width are kept. The width of dropped columns
 * is set to 0. */
void tally_view_fit_columns(const struct tally_view *view, int columns, int least, int widths[]);

/* Return the width of a row's cell before shortening, at most a million columns. `text` is a
 * scratch buffer. */
int tally_view_cell_width(const struct tally_view *view, const struct tally_view_column *column,
			  const struct tally_row *row, struct tally_str *text);

#endif
