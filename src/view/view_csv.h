/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows as comma-separated values, as specified by RFC 4180. */
#ifndef TALLY_VIEW_CSV_H
#define TALLY_VIEW_CSV_H

#include "view/shown_rows.h"
#include "view/view.h"

/* Append the line with the column names. */
void tally_view_csv_heading(const struct tally_show *show, struct tally_str *out);

/* Append the line for a row of an event. */
void tally_view_csv_row(const struct tally_view *view, const char *event,
			const struct tally_row *row, struct tally_str *out);

#endif
