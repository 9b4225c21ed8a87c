/* SPDX-License-Identifier: BSD-2-Clause */
/* The columns of the tables of tally c2c report. */
#ifndef TALLY_CLI_C2C_COLUMNS_H
#define TALLY_CLI_C2C_COLUMNS_H

#include "cli/c2c/c2c.h"

enum { C2C_COLUMNS_MAX = 32 };

/* A row: a line and, in the second table, one of its sites. */
struct c2c_row {
	const struct c2c_report *report;
	const struct tally_sharing_line *line;
	const struct tally_sharing_site *site; /* NULL for a line */
	size_t index;                          /* of the line in the table */
};

/* A column with two lines of heading. `top` extends over `span` columns. */
struct c2c_column {
	const char *top;
	int span;
	const char *bottom;
	int width;
	void (*add)(const struct c2c_row *row, int argument, struct tally_str *out);
	int argument;
	bool is_left; /* text; numbers are aligned to the right */
};

struct c2c_table {
	struct c2c_column columns[C2C_COLUMNS_MAX];
	int nr;
	bool is_peer;
};

/* Add the columns of the table of lines, and of the table of sites. Columns of text have no width
 * yet. */
void c2c_line_columns(const struct c2c_config *config, struct c2c_table *table);
void c2c_site_columns(const struct c2c_config *config, struct c2c_table *table);

/* Return the number of the last column of a line's own row in the table of sites. */
int c2c_offset_column(const struct c2c_table *table);

#endif
