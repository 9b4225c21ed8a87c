/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * read_table FILE: print the rows of a Parquet file, each as one line of JSON with the values in
 * the order of the leaves. Columns that are not supported have the value "?". Status 1 with the
 * reason if the file is damaged.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "parquet/parquet_read.h"

static void print_value(const struct tally_parquet_leaf *leaf,
			const struct tally_parquet_cells *cells, size_t i, struct tally_str *out)
{
	double real;

	switch (leaf->kind) {
	case TALLY_PARQUET_TEXTS:
		tally_json_quote(out, cells->texts.data[i].bytes, cells->texts.data[i].len);
		break;
	case TALLY_PARQUET_REALS:
		memcpy(&real, &cells->numbers.data[i], sizeof(real));
		tally_str_addf(out, "%.17g", real);
		break;
	default:
		tally_str_addf(out, leaf->is_unsigned ? "%" PRIu64 : "%" PRId64,
			       cells->numbers.data[i]);
	}
}

static void print_cell(const struct tally_parquet_leaf *leaf,
		       const struct tally_parquet_cells *cells, size_t row, struct tally_str *out)
{
	uint32_t first = cells->starts.data[row], end = cells->starts.data[row + 1];

	if (leaf->is_list)
		tally_str_add_char(out, '[');
	else if (first == end)
		tally_str_add(out, "null");
	for (uint32_t i = first; i < end; i++) {
		if (i > first)
			tally_str_add_char(out, ',');
		print_value(leaf, cells, i, out);
	}
	if (leaf->is_list)
		tally_str_add_char(out, ']');
}

static int print_group(const struct tally_parquet_reader *reader, size_t group,
		       struct tally_parquet_cells *cells, struct tally_error *err)
{
	size_t nr = tally_parquet_nr_leaves(reader), rows = SIZE_MAX;
	struct tally_str out = {0};

	for (size_t i = 0; i < nr; i++) {
		int ret = tally_parquet_read(reader, group, i, &cells[i], err);

		if (ret && ret != -EOPNOTSUPP)
			return ret;
		rows = ret ? rows : cells[i].rows;
	}
	for (size_t row = 0; row < rows && rows != SIZE_MAX; row++) {
		tally_str_clear(&out);
		for (size_t i = 0; i < nr; i++) {
			tally_str_add_char(&out, i ? ',' : '[');
			if (cells[i].starts.len)
				print_cell(tally_parquet_leaf(reader, i), &cells[i], row, &out);
			else
				tally_str_add(&out, "\"?\"");
		}
		tally_str_add_char(&out, ']');
		puts(tally_str_text(&out));
	}
	tally_str_free(&out);
	return 0;
}

static int print_file(const uint8_t *bytes, size_t len, struct tally_error *err)
{
	struct tally_parquet_reader *reader;
	struct tally_parquet_cells *cells;
	int ret = tally_parquet_reader_open(bytes, len, err, &reader);

	if (ret)
		return ret;
	cells = calloc(tally_parquet_nr_leaves(reader), sizeof(*cells));
	for (size_t i = 0; i < tally_parquet_nr_groups(reader) && !ret; i++)
		ret = print_group(reader, i, cells, err);
	for (size_t i = 0; i < tally_parquet_nr_leaves(reader); i++)
		tally_parquet_cells_free(&cells[i]);
	free(cells);
	tally_parquet_reader_close(reader);
	return ret;
}

int main(int argc, char **argv)
{
	struct tally_error err = {0};
	FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
	uint8_t *bytes;
	long len;
	int ret;

	if (!file || fseek(file, 0, SEEK_END) || (len = ftell(file)) < 0)
		return 2;
	rewind(file);
	bytes = malloc((size_t)len + 1);
	if (!bytes || fread(bytes, 1, (size_t)len, file) != (size_t)len)
		return 2;
	ret = print_file(bytes, (size_t)len, &err);
	if (ret)
		fprintf(stderr, "%s (offset %" PRIu64 ")\n", err.text, err.offset);
	free(bytes);
	fclose(file);
	return ret ? 1 : 0;
}
