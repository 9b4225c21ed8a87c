/* SPDX-License-Identifier: BSD-2-Clause */
/* Decode the values in the pages of Parquet files. */
#ifndef TALLY_PARQUET_PARQUET_DECODE_H
#define TALLY_PARQUET_PARQUET_DECODE_H

#include <stdbool.h>

#include "parquet/parquet_meta.h"

/* Maximum size of the pages and texts of a column in a row group. A page can be much larger than
 * its compressed form in the file. */
enum { PARQUET_MEMORY_MAX = 1 << 28 };

/* Bytes that have not been decoded yet. */
struct parquet_in {
	const uint8_t *at, *end;
};

/* Values, in memory that lives as long as the cells. */
struct parquet_values {
	TALLY_VEC(uint64_t) numbers;
	TALLY_VEC(struct tally_parquet_text) texts;
};

/* Append `nr` numbers of `bits` bits (at most 32) that are encoded as RLE. Returns 0, -EINVAL or
 * -ENOMEM. */
typedef TALLY_VEC(uint32_t) parquet_words;
int parquet_runs_read(struct parquet_in *in, unsigned bits, size_t nr, parquet_words *out);

/* Append `nr` values of a leaf to `values`. Returns 0; -EINVAL; -EOPNOTSUPP for an encoding that is
 * not supported for this type; or -ENOMEM. `memory` receives texts that are not part of the
 * page. */
int parquet_values_read(struct parquet_in *in, const struct parquet_leaf *leaf, int encoding,
			size_t nr, struct parquet_values *values, struct tally_arena *memory);

#endif
