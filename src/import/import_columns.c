/* SPDX-License-Identifier: BSD-2-Clause */
#include "import/import_columns.h"

#include <errno.h>
#include <string.h>

/* Find a column by its names, and check its type. */
static int column_find(struct import_columns *opened, size_t column)
{
	const struct import_column *wanted = &opened->columns[column];
	const struct tally_parquet_leaf *leaf;
	size_t found = SIZE_MAX;
	bool is_text;

	for (size_t i = 0; i < IMPORT_NAMES_MAX && wanted->names[i] && found == SIZE_MAX; i++)
		found = tally_parquet_find(opened->reader, wanted->names[i]);
	opened->leaf[column] = found;
	if (found == SIZE_MAX)
		return 0;
	leaf = tally_parquet_leaf(opened->reader, found);
	is_text = leaf->kind == TALLY_PARQUET_TEXTS;
	if (leaf->kind != TALLY_PARQUET_OTHERS && is_text == (wanted->type == IMPORT_TEXT))
		return 0;
	tally_message_error(opened->input->messages, "%s: column '%s' does not contain %s",
			    opened->input->path, leaf->name,
			    wanted->type == IMPORT_TEXT ? "text" : "numbers");
	if (wanted->type == IMPORT_NUMBER)
		tally_message_hint(opened->input->messages,
				   "convert it to BIGINT or DOUBLE in the query");
	return -EINVAL;
}

int import_columns_open(struct import_columns *opened, const struct import_column *columns,
			size_t nr, const struct import_input *input)
{
	struct tally_error err = {0};
	int ret;

	*opened = (struct import_columns){.columns = columns, .nr = nr, .input = input};
	ret = tally_parquet_reader_open(input->bytes, input->len, &err, &opened->reader);
	if (ret == -EFBIG)
		tally_message_error(input->messages, "%s: %s", input->path, err.text);
	else if (ret)
		tally_message_parse_error(input->messages, input->path, ret, &err);
	if (ret == -EFBIG)
		tally_message_hint(input->messages, "add up rows with the same stack in the query");
	for (size_t i = 0; i < nr && !ret; i++)
		ret = column_find(opened, i);
	if (ret)
		import_columns_close(opened);
	return ret;
}

void import_columns_close(struct import_columns *opened)
{
	for (size_t i = 0; i < opened->nr; i++)
		tally_parquet_cells_free(&opened->cells[i]);
	tally_parquet_reader_close(opened->reader);
	opened->reader = NULL;
}

size_t import_nr_groups(const struct import_columns *opened)
{
	return tally_parquet_nr_groups(opened->reader);
}

const struct tally_parquet_leaf *import_leaf(const struct import_columns *opened, size_t column)
{
	return tally_parquet_leaf(opened->reader, opened->leaf[column]);
}

static void print_unsupported(const struct import_columns *opened, size_t column)
{
	const struct tally_messages *to = opened->input->messages;

	tally_message_error(to, "%s: the encoding or compression of column '%s' is not supported",
			    opened->input->path, import_leaf(opened, column)->name);
	tally_message_hint(to, "write the file with COMPRESSION zstd, snappy or gzip");
}

int import_group_read(struct import_columns *opened, size_t group)
{
	struct tally_error err = {0};
	int ret = 0;

	for (size_t i = 0; i < opened->nr && !ret; i++) {
		if (opened->leaf[i] == SIZE_MAX)
			continue;
		ret = tally_parquet_read(opened->reader, group, opened->leaf[i], &opened->cells[i],
					 &err);
		opened->rows = opened->cells[i].rows;
		if (ret == -EOPNOTSUPP)
			print_unsupported(opened, i);
	}
	if (ret && ret != -EOPNOTSUPP)
		tally_message_parse_error(opened->input->messages, opened->input->path, ret, &err);
	return ret;
}

/* Return the index of the value of a row, or SIZE_MAX. */
static size_t cell_of(const struct import_columns *opened, size_t column, size_t row)
{
	const struct tally_parquet_cells *cells = &opened->cells[column];

	if (opened->leaf[column] == SIZE_MAX ||
	    cells->starts.data[row] == cells->starts.data[row + 1])
		return SIZE_MAX;
	return cells->starts.data[row];
}

static uint64_t rounded(uint64_t bits)
{
	const double end = 18446744073709551616.0; /* 2^64 */
	double value;

	memcpy(&value, &bits, sizeof(value));
	if (!(value > 0))
		return 0;
	return value + 0.5 >= end ? UINT64_MAX : (uint64_t)(value + 0.5);
}

bool import_cell_number(const struct import_columns *opened, size_t column, size_t row,
			uint64_t *ret_number)
{
	size_t at = cell_of(opened, column, row);
	uint64_t value;

	if (at == SIZE_MAX)
		return false;
	value = opened->cells[column].numbers.data[at];
	if (import_leaf(opened, column)->kind == TALLY_PARQUET_REALS)
		value = rounded(value);
	*ret_number = value;
	return true;
}

uint64_t import_cell_weight(const struct import_columns *opened, size_t column, size_t row)
{
	const struct tally_parquet_leaf *leaf;
	uint64_t weight = 0;

	if (!import_cell_number(opened, column, row, &weight))
		return 0;
	leaf = import_leaf(opened, column);
	if (leaf->kind == TALLY_PARQUET_NUMBERS && !leaf->is_unsigned && (int64_t)weight < 0)
		return 0;
	return weight;
}

bool import_cell_text(const struct import_columns *opened, size_t column, size_t row,
		      struct tally_parquet_text *ret_text)
{
	size_t at = cell_of(opened, column, row);

	if (at == SIZE_MAX)
		return false;
	*ret_text = opened->cells[column].texts.data[at];
	return true;
}
