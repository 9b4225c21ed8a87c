/* SPDX-License-Identifier: BSD-2-Clause */
/* The columns of a Parquet file that are imported. */
#ifndef TALLY_IMPORT_IMPORT_COLUMNS_H
#define TALLY_IMPORT_IMPORT_COLUMNS_H

#include "import/imported.h"
#include "parquet/parquet_read.h"

enum { IMPORT_NAMES_MAX = 5, IMPORT_COLUMNS_MAX = 16 };

enum import_type { IMPORT_NUMBER, IMPORT_TEXT };

struct import_column {
	const char *names[IMPORT_NAMES_MAX]; /* the first that exists is used */
	enum import_type type;
};

struct import_columns {
	const struct import_column *columns;
	size_t nr;
	const struct import_input *input;
	struct tally_parquet_reader *reader;
	size_t leaf[IMPORT_COLUMNS_MAX]; /* SIZE_MAX if the file does not have the column */
	struct tally_parquet_cells cells[IMPORT_COLUMNS_MAX]; /* of the current row group */
	size_t rows;
};

/* Open a Parquet file. Columns of a type other than expected are errors. Returns 0, or -errno after
 * emitting an error message. */
int import_columns_open(struct import_columns *opened, const struct import_column *columns,
			size_t nr, const struct import_input *input);
void import_columns_close(struct import_columns *opened);

size_t import_nr_groups(const struct import_columns *opened);

/* Return the leaf of a column that exists. */
const struct tally_parquet_leaf *import_leaf(const struct import_columns *opened, size_t column);

/* Read the columns of a row group. Returns 0, or -errno after emitting an error message. */
int import_group_read(struct import_columns *opened, size_t group);

/* Get a value of the current row group. Real numbers are rounded; negative ones become 0. Return
 * false, with the value unchanged, if it is null or the column does not exist. */
bool import_cell_number(const struct import_columns *opened, size_t column, size_t row,
			uint64_t *ret_number);
/* Get a weight: like a number, but negative numbers become 0, and so does null. */
uint64_t import_cell_weight(const struct import_columns *opened, size_t column, size_t row);
bool import_cell_text(const struct import_columns *opened, size_t column, size_t row,
		      struct tally_parquet_text *ret_text);

#endif
