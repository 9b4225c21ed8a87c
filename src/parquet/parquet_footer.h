/* SPDX-License-Identifier: BSD-2-Clause */
/* The metadata at the end of a Parquet file: its schema, and what the row groups contain. */
#ifndef TALLY_PARQUET_PARQUET_FOOTER_H
#define TALLY_PARQUET_PARQUET_FOOTER_H

#include "parquet/parquet_column.h"

/* An all-zero structure has no row groups. */
struct parquet_footer {
	struct tally_str groups; /* encoded */
	struct thrift thrift;    /* writes `groups` */
	const struct tally_parquet_table *table;
	uint64_t start;            /* file offset of the current row group */
	uint64_t packed, unpacked; /* sizes of its chunks so far */
	size_t nr_chunks;          /* their number */
	size_t nr_groups;
};

/* Add a row group: begin, add a chunk for each column of the table, and end. Failed allocations are
 * reported by parquet_footer_write(). */
void parquet_footer_begin_group(struct parquet_footer *footer,
				const struct tally_parquet_table *table);
void parquet_footer_add_chunk(struct parquet_footer *footer, const struct parquet_chunk *chunk);
void parquet_footer_end_group(struct parquet_footer *footer, uint64_t rows);

/* Append the metadata of a file with `rows` rows. Returns 0 or -ENOMEM. */
int parquet_footer_write(const struct parquet_footer *footer,
			 const struct tally_parquet_table *table, uint64_t rows,
			 struct tally_str *out);

void parquet_footer_free(struct parquet_footer *footer);

#endif
