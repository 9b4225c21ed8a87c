/* SPDX-License-Identifier: BSD-2-Clause */
/* State of the rows view: rows with expandable callchains. */
#ifndef TALLY_CLI_BROWSER_TABLE_H
#define TALLY_CLI_BROWSER_TABLE_H

#include "view/shown_rows.h"
#include "view/screen.h"

struct browser;

struct browser_table {
	bool chooses; /* choose the function at the cursor when the rows are drawn next */
	struct tally_screen screen;
	struct tally_shown_rows rows;
	bool is_made;
	uint64_t generation;     /* generation of the browser's selection */
	uint64_t way;            /* incremented when rows must be built differently */
	size_t order;            /* 0 for the initial order; otherwise 1 + index into `orders` */
	const char *first_sort;  /* NULL for the default order */
	bool by_callers;         /* true if callchains show callers */
	struct tally_str search; /* text to search for */
};

/* Build the rows if the selection or an option changed. Return 0 or -ENOMEM. */
int browser_table_build(struct browser_table *table, struct browser *browser);

/* Discard the callchains of all rows. */
void browser_table_drop_chains(struct browser_table *table);

/* Discard the rows, because they must be built differently. */
void browser_table_drop(struct browser_table *table);

/* Rows detached from a table. */
struct browser_rows {
	struct tally_shown_rows rows;
	bool is_made;
	uint64_t way;
};

/* browser_table_detach() detaches a selection's rows if they have been built.
 * browser_table_attach() attaches them again if they would still be built the same way, and
 * otherwise frees them. */
struct browser_rows browser_table_detach(struct browser_table *table, uint64_t generation);
void browser_table_attach(struct browser_table *table, struct browser_rows *rows,
			  uint64_t generation);
void browser_table_free(struct browser_table *table);

/* Return the selected line's function, or TALLY_FRAME_NONE. */
uint32_t browser_table_function(const struct browser_table *table, const struct browser *browser);

#endif
