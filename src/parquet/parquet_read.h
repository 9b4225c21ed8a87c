/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Read Parquet files that query engines wrote. Files are not trusted. The columns of a row group
 * have at most 2^24 values each, and 256 MB of pages; those of a file have at most 2^25 values and
 * 128 for each byte of the file.
 *
 * Supported: flat columns, and lists of at most one level; integers, floating-point numbers, texts
 * and booleans; pages of version 1 and 2; the encodings PLAIN, RLE, BYTE_STREAM_SPLIT,
 * dictionaries, and all DELTA encodings; zstd, gzip, Snappy and no compression. Other columns are
 * listed, but cannot be read.
 */
#ifndef TALLY_PARQUET_PARQUET_READ_H
#define TALLY_PARQUET_PARQUET_READ_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/vec.h"

enum tally_parquet_kind {
	TALLY_PARQUET_NUMBERS, /* integers or booleans, sign-extended to 64 bits */
	TALLY_PARQUET_REALS,   /* the 64 bits of a double */
	TALLY_PARQUET_TEXTS,   /* bytes, not necessarily UTF-8 */
	TALLY_PARQUET_OTHERS,  /* not supported: decimal numbers, nested lists, ... */
};

struct tally_parquet_leaf {
	const char *name; /* of the outermost group, which is the column's name in a table */
	enum tally_parquet_kind kind;
	bool is_list;
	bool is_unsigned;
};

struct tally_parquet_text {
	const char *bytes; /* not NUL-terminated; NULL for a null in a list */
	uint32_t len;
};

/* A column of a row group. Row R has the values from starts[R] up to starts[R + 1]. For a flat
 * column, this is one value, or none for null; for a list, all elements. Elements that are null are
 * texts without bytes, and numbers of 0. */
struct tally_parquet_cells {
	size_t rows;
	TALLY_VEC(uint32_t) starts;
	TALLY_VEC(uint64_t) numbers;                /* of NUMBERS and REALS */
	TALLY_VEC(struct tally_parquet_text) texts; /* of TEXTS */
	struct tally_arena memory;                  /* for the texts */
};

struct tally_parquet_reader;

/* Open a file of `len` bytes, which are borrowed. Returns 0; -EINVAL for a damaged file; -EFBIG for
 * one that exceeds the limits, both with the reason in `err`; or -ENOMEM. */
int tally_parquet_reader_open(const void *bytes, size_t len, struct tally_error *err,
			      struct tally_parquet_reader **ret_reader);
void tally_parquet_reader_close(struct tally_parquet_reader *reader);

/* Return true if the bytes begin like a Parquet file. */
bool tally_parquet_is(const void *bytes, size_t len);

size_t tally_parquet_nr_leaves(const struct tally_parquet_reader *reader);
const struct tally_parquet_leaf *tally_parquet_leaf(const struct tally_parquet_reader *reader,
						    size_t leaf);

/* Return the first leaf with this name, or SIZE_MAX. */
size_t tally_parquet_find(const struct tally_parquet_reader *reader, const char *name);

size_t tally_parquet_nr_groups(const struct tally_parquet_reader *reader);

/* Read a column of a row group. `cells` is all zero, or from the call before; free it with
 * tally_parquet_cells_free(). Returns 0; -EINVAL for a damaged column; -EOPNOTSUPP for one that is
 * not supported, both with the reason in `err`; or -ENOMEM. */
int tally_parquet_read(const struct tally_parquet_reader *reader, size_t group, size_t leaf,
		       struct tally_parquet_cells *cells, struct tally_error *err);
void tally_parquet_cells_free(struct tally_parquet_cells *cells);

#endif
