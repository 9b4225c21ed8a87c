/* SPDX-License-Identifier: BSD-2-Clause */
/* The metadata of a file that is read. */
#ifndef TALLY_PARQUET_PARQUET_META_H
#define TALLY_PARQUET_PARQUET_META_H

#include "parquet/parquet_read.h"

/* A column with values. */
struct parquet_leaf {
	struct tally_parquet_leaf shown;
	int physical; /* enum parquet_physical */
	int32_t type_length;
	unsigned definition, repetition; /* highest levels */
	unsigned in_list; /* definition level of an element of a list, even if it is null */
};

/* A column of a row group. */
struct parquet_chunk_meta {
	uint64_t start, size; /* of its pages, in the file */
	uint64_t nr_values;   /* including nulls */
	int codec;
};

struct tally_parquet_reader {
	const uint8_t *bytes;
	size_t len;
	struct tally_arena memory; /* for names */
	TALLY_VEC(struct parquet_leaf) leaves;
	uint64_t nr_values, nr_bytes;                /* of all chunks */
	TALLY_VEC(uint64_t) rows;                    /* by row group */
	TALLY_VEC(struct parquet_chunk_meta) chunks; /* of all row groups, by leaf */
};

/* Parse the metadata of `len` bytes at `bytes`. Returns 0; -EINVAL or -EFBIG with the reason in
 * `err`; or -ENOMEM. */
int parquet_meta_parse(struct tally_parquet_reader *reader, const uint8_t *bytes, size_t len,
		       struct tally_error *err);

#endif
