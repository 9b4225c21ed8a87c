/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of a diff on a terminal: what the browser keeps, and how it is drawn. */
#ifndef TALLY_CLI_DIFF_BROWSE_DRAW_H
#define TALLY_CLI_DIFF_BROWSE_DRAW_H

#include "cli/browser/view.h"
#include "cli/diff/browse.h"

struct diff_browse {
	const struct diff_config *config;
	struct comparison *comparison;
	struct tally_diff_view view; /* of the event that is shown */
	bool is_made;
	uint32_t event; /* that it was made of */
	bool total, changed;
	size_t cursor, first;
	char *part; /* only rows with this in their name; NULL: all */
	TALLY_VEC(const struct tally_diff_row *) rows;
	struct tally_str name;
};

/* What a row is of: its function or callchain, in `head`; its file and command, in `tail`, as far
 * as rows are told apart by them. Without a function its file is the head. Escaped. */
void diff_browse_name(const struct diff_browse *browse, const struct tally_diff_row *row,
		      struct tally_str *head, struct tally_str *tail);

/* Append a value as rows show it. */
void diff_browse_value(const struct diff_browse *browse, double value, bool has_sign,
		       struct tally_str *out);

/* Draw the rows from the first one in sight up to `last`, with a heading above. */
void diff_browse_draw(struct browser *browser, const struct diff_browse *browse, size_t last);

#endif
