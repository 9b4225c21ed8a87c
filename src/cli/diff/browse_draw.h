/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of a diff in the browser: their state, and how they are drawn. */
#ifndef TALLY_CLI_DIFF_BROWSE_DRAW_H
#define TALLY_CLI_DIFF_BROWSE_DRAW_H

#include "cli/browser/browser_view.h"
#include "cli/diff/diff_browse.h"

struct diff_browse {
	const struct diff_config *config;
	struct comparison *comparison;
	struct tally_diff_view view; /* the current event's view */
	bool is_made;
	uint32_t event; /* the view's event */
	bool total, changed;
	size_t cursor, first;
	char *part; /* show only rows with this string in the name; NULL shows all */
	TALLY_VEC(const struct tally_diff_row *) rows;
	struct tally_str name;
};

/* Append a row's names: its function or callchain to `head`, and its file and command to `tail` if
 * they distinguish rows. Without a function, the file is the head. The names are escaped. */
void diff_browse_name(const struct diff_browse *browse, const struct tally_diff_row *row,
		      struct tally_str *head, struct tally_str *tail);

/* Append a value in the format used for rows. */
void diff_browse_value(const struct diff_browse *browse, double value, bool has_sign,
		       struct tally_str *out);

/* Draw the rows from the first visible one up to `last`, below a heading. */
void diff_browse_draw(struct browser *browser, const struct diff_browse *browse, size_t last);

#endif
