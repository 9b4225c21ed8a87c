/* SPDX-License-Identifier: BSD-2-Clause */
/* The values of a column in the current row group, and their pages. */
#ifndef TALLY_PARQUET_PARQUET_COLUMN_H
#define TALLY_PARQUET_PARQUET_COLUMN_H

#include "base/intern.h"
#include "base/map.h"
#include "base/str.h"
#include "parquet/parquet.h"
#include "parquet/parquet_format.h"
#include "parquet/parquet_thrift.h"

struct parquet_column {
	enum tally_parquet_type type;
	enum tally_parquet_shape shape;
	size_t in_row;                   /* values in the current row */
	TALLY_VEC(uint32_t) values;      /* indexes in the dictionary, without nulls */
	TALLY_VEC(uint32_t) definitions; /* 1 for a value, 0 for a null or an empty list */
	TALLY_VEC(uint32_t) repetitions; /* of lists: 0 for the first value in a row, otherwise 1 */
	/* The dictionary: numbers or texts. */
	TALLY_VEC(uint64_t) numbers;
	struct tally_map number_at; /* index by number */
	struct tally_intern texts;
	uint64_t last; /* last number and its index, if there are any */
	size_t bytes;  /* approximate size of the dictionary */
};

/* The metadata of a column in a row group. */
struct parquet_chunk {
	uint64_t start, dictionary; /* file offsets of the first page and the dictionary, or 0 */
	uint64_t data;              /* file offset of the data page */
	uint64_t packed, unpacked;  /* sizes in bytes, with page headers */
	uint64_t nr_values;         /* including nulls and empty lists */
	uint64_t nr_nulls;
	int encoding;                 /* PARQUET_*, of the values */
	struct tally_str least, most; /* PLAIN without length; `data` is NULL if unknown */
};

static inline bool parquet_column_repeats(const struct parquet_column *column)
{
	return column->shape >= TALLY_PARQUET_LIST;
}

/* Add a value; false if out of memory. */
bool parquet_column_add_null(struct parquet_column *column);
bool parquet_column_add_number(struct parquet_column *column, uint64_t value);
bool parquet_column_add_text(struct parquet_column *column, const char *text, size_t len);

/* End a row: a list without values is an empty list. False if out of memory. */
bool parquet_column_end_row(struct parquet_column *column);

/* Append the body of the dictionary page, if the column has one (see parquet_column_encoding()). */
void parquet_column_add_dictionary(const struct parquet_column *column, struct tally_str *out);
uint32_t parquet_column_nr_distinct(const struct parquet_column *column);

/* Return the encoding of the values. */
int parquet_column_encoding(const struct parquet_column *column);

/* Append the body of the data page. Returns 0 or -ENOMEM. */
int parquet_column_add_page(const struct parquet_column *column, struct tally_str *out);

/* Find the least and the greatest value, for statistics. */
void parquet_column_extremes(const struct parquet_column *column, struct tally_str *least,
			     struct tally_str *most);

/* Forget all values. */
void parquet_column_clear(struct parquet_column *column);
void parquet_column_free(struct parquet_column *column);

#endif
