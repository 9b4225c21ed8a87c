/* SPDX-License-Identifier: BSD-2-Clause */
/* Read all columns of a Parquet file, and check that rows refer to values that exist. */
#include <stdlib.h>

#include "parquet/parquet_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { GROUPS_MAX = 8 };

static void check(const struct tally_parquet_leaf *leaf, const struct tally_parquet_cells *cells)
{
	size_t nr = leaf->kind == TALLY_PARQUET_TEXTS ? cells->texts.len : cells->numbers.len;
	size_t bytes = 0;

	if (cells->starts.len != cells->rows + 1 || cells->starts.data[cells->rows] != nr)
		abort();
	for (size_t i = 0; i < cells->rows; i++) {
		uint32_t len = cells->starts.data[i + 1] - cells->starts.data[i];

		if (cells->starts.data[i + 1] < cells->starts.data[i] ||
		    (!leaf->is_list && len > 1))
			abort();
	}
	tally_vec_for_each (text, &cells->texts)
		for (size_t i = 0; i < text->len && bytes < 1 << 20; i++, bytes++)
			(void)*(const volatile char *)&text->bytes[i];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tally_parquet_cells cells = {0};
	struct tally_parquet_reader *reader;
	struct tally_error err = {0};

	if (tally_parquet_reader_open(data, size, &err, &reader))
		return 0;
	for (size_t group = 0; group < tally_parquet_nr_groups(reader) && group < GROUPS_MAX;
	     group++) {
		for (size_t leaf = 0; leaf < tally_parquet_nr_leaves(reader); leaf++) {
			if (!tally_parquet_read(reader, group, leaf, &cells, &err))
				check(tally_parquet_leaf(reader, leaf), &cells);
		}
	}
	tally_parquet_cells_free(&cells);
	tally_parquet_reader_close(reader);
	return 0;
}
