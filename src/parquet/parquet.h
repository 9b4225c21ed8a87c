/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Write tables as Parquet files (https://parquet.apache.org/docs/file-format/), which query engines
 * read. Rows are collected until a row group is full; memory use does not grow with the number of
 * rows. All pages are compressed with zstd. Each column of a row group has a dictionary, unless
 * most of its values are different, and statistics: minimum, maximum, and number of nulls.
 *
 * Not supported: floating-point numbers, nested lists, page indexes, bloom filters, and reading.
 */
#ifndef TALLY_PARQUET_PARQUET_H
#define TALLY_PARQUET_PARQUET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tally_parquet_type {
	TALLY_PARQUET_BOOL,
	TALLY_PARQUET_INT32,
	TALLY_PARQUET_INT64,
	TALLY_PARQUET_UINT64,
	TALLY_PARQUET_TEXT, /* UTF-8 */
};

enum tally_parquet_shape {
	TALLY_PARQUET_REQUIRED,  /* one value in each row */
	TALLY_PARQUET_OPTIONAL,  /* a value or null */
	TALLY_PARQUET_LIST,      /* any number of values */
	TALLY_PARQUET_MAP_KEY,   /* keys of a map; the next column is the map's MAP_VALUE */
	TALLY_PARQUET_MAP_VALUE, /* values of a map; the column's name is not used */
};

struct tally_parquet_column {
	const char *name;
	enum tally_parquet_type type;
	enum tally_parquet_shape shape;
};

/* The table to write. Pointers are borrowed until the writer is closed. */
struct tally_parquet_table {
	const struct tally_parquet_column *columns;
	size_t nr_columns;
	const char *created_by; /* "NAME version X.Y.Z (build HASH)", or just a name */
	/* Write bytes. Returns 0, or -errno, which stops the writer. */
	int (*write)(void *arg, const void *bytes, size_t len);
	void *arg;
};

struct tally_parquet;

/* Start a file. Returns 0, -ENOMEM, or an error of write(). On success, close the writer with
 * tally_parquet_close(). */
int tally_parquet_open(const struct tally_parquet_table *table, struct tally_parquet **ret_writer);

/* Add a value to the current row. `column` is an index in the table's columns. Call exactly one
 * of these functions for each REQUIRED or OPTIONAL column, and any number of times for lists and
 * maps. Errors are returned by the next tally_parquet_end_row(). BOOL, INT32 and INT64 values are
 * passed as the 64 bits of a signed number. Texts are copied; they must be valid UTF-8. */
void tally_parquet_add(struct tally_parquet *writer, size_t column, uint64_t value);
void tally_parquet_add_text(struct tally_parquet *writer, size_t column, const char *text,
			    size_t len);
void tally_parquet_add_null(struct tally_parquet *writer, size_t column); /* for OPTIONAL */

/* End the current row, and write a row group if it is full. Returns 0; -ENOMEM; -EINVAL if the
 * numbers of keys and values of a map differ; -EOVERFLOW if there are too many row groups; or an
 * error of write(). After an error, the file is unusable. */
int tally_parquet_end_row(struct tally_parquet *writer);

/* Return the number of rows so far. */
uint64_t tally_parquet_rows(const struct tally_parquet *writer);

/* Write the last row group and the footer, unless `ret` is an error, and free the writer, which may
 * be NULL. Returns `ret` if it is not 0, otherwise the first error, or 0. */
int tally_parquet_close(struct tally_parquet *writer, int ret);

#endif
