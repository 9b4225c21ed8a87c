/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows with callchains that open: what the table view keeps. */
#ifndef TALLY_CLI_BROWSER_TABLE_H
#define TALLY_CLI_BROWSER_TABLE_H

#include "cli/recording/chosen.h"
#include "view/screen.h"

struct browser;

struct browser_table {
	struct tally_screen screen;
	struct tally_chosen rows;
	bool is_made;
	uint64_t generation;    /* of the browser's selection */
	uint64_t way;           /* how rows are made: counts up when that is another one */
	size_t order;           /* 0: what was asked for, else one of those that `o` goes through */
	const char *first_sort; /* NULL: the usual order */
	bool by_callers;        /* callchains go to callers */
	struct tally_str search; /* what is gone to */
};

/* Make the rows, if the selection or anything else is another one. 0 or -ENOMEM. */
int browser_table_make(struct browser_table *table, struct browser *browser);

/* The callchains below rows are to be grown anew. */
void browser_table_turn(struct browser_table *table);

/* Rows are to be made anew, in another way. */
void browser_table_drop(struct browser_table *table);

/* Rows that were taken out of a table. */
struct browser_rows {
	struct tally_chosen rows;
	bool is_made;
	uint64_t way;
};

/* Take out the rows of a selection, if they are made; put them in again, if they would be made the
 * same way: else they are freed. */
struct browser_rows browser_table_lift(struct browser_table *table, uint64_t generation);
void browser_table_put(struct browser_table *table, struct browser_rows *rows, uint64_t generation);
void browser_table_free(struct browser_table *table);

/* The function of the line selected; TALLY_FRAME_NONE: there is none. */
uint32_t browser_table_function(const struct browser_table *table, const struct browser *browser);

#endif
