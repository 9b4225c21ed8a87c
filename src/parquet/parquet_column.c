/* SPDX-License-Identifier: BSD-2-Clause */
#include "parquet/parquet_column.h"

#include <errno.h>

#include "base/arith.h"
#include "parquet/parquet_encode.h"

/* ---- adding values --------------------------------------------------------------- */

/* Add the levels of a value (`definition` 1), or of a null or an empty list (0). */
static bool levels_add(struct parquet_column *column, uint32_t definition)
{
	if (column->shape == TALLY_PARQUET_REQUIRED)
		return true;
	if (tally_vec_push(&column->definitions, definition))
		return false;
	return !parquet_column_repeats(column) ||
	       !tally_vec_push(&column->repetitions, column->in_row > 0);
}

bool parquet_column_add_null(struct parquet_column *column)
{
	return levels_add(column, 0);
}

static bool index_add(struct parquet_column *column, uint32_t index)
{
	if (!levels_add(column, 1) || tally_vec_push(&column->values, index))
		return false;
	column->in_row++;
	return true;
}

static bool number_is_new(struct parquet_column *column, uint64_t value)
{
	if (tally_vec_push(&column->numbers, value) ||
	    tally_map_set(&column->number_at, value, column->numbers.len - 1))
		return false;
	column->bytes += sizeof(value);
	return true;
}

bool parquet_column_add_number(struct parquet_column *column, uint64_t value)
{
	size_t nr = column->values.len;
	uint64_t index;

	if (nr && column->last == value)
		return index_add(column, column->values.data[nr - 1]);
	index = tally_map_get(&column->number_at, value);
	if (index == TALLY_MAP_NONE) {
		if (!number_is_new(column, value))
			return false;
		index = column->numbers.len - 1;
	}
	column->last = value;
	return index_add(column, (uint32_t)index);
}

bool parquet_column_add_text(struct parquet_column *column, const char *text, size_t len)
{
	size_t before = column->texts.strings.len;
	uint32_t index;

	if (tally_intern(&column->texts, text, len, &index))
		return false;
	if (column->texts.strings.len > before)
		column->bytes += len + sizeof(uint32_t);
	return index_add(column, index);
}

bool parquet_column_end_row(struct parquet_column *column)
{
	bool is_empty = parquet_column_repeats(column) && !column->in_row;

	if (is_empty && !levels_add(column, 0))
		return false;
	column->in_row = 0;
	return true;
}

/* ---- pages ----------------------------------------------------------------------- */

/* Return the number of bytes in a number of this type, except for BOOL. */
static size_t width_of(const struct parquet_column *column)
{
	return column->type == TALLY_PARQUET_INT32 ? 4 : 8;
}

uint32_t parquet_column_nr_distinct(const struct parquet_column *column)
{
	return (uint32_t)(column->type == TALLY_PARQUET_TEXT ? column->texts.strings.len
							     : column->numbers.len);
}

/* A dictionary is worth while unless most values are different. */
int parquet_column_encoding(const struct parquet_column *column)
{
	bool is_diverse = parquet_column_nr_distinct(column) > column->values.len / 2;

	switch (column->type) {
	case TALLY_PARQUET_BOOL: return PARQUET_PLAIN;
	case TALLY_PARQUET_TEXT: return is_diverse ? PARQUET_PLAIN : PARQUET_RLE_DICTIONARY;
	default: return is_diverse ? PARQUET_DELTA_BINARY_PACKED : PARQUET_RLE_DICTIONARY;
	}
}

static void text_add(const struct parquet_column *column, uint32_t index, struct tally_str *out)
{
	const struct tally_interned *text = &column->texts.strings.data[index];

	parquet_add_bytes(out, text->len, sizeof(uint32_t));
	tally_str_add_bytes(out, text->text, text->len);
}

void parquet_column_add_dictionary(const struct parquet_column *column, struct tally_str *out)
{
	uint32_t nr = parquet_column_nr_distinct(column);

	for (uint32_t i = 0; i < nr; i++) {
		if (column->type == TALLY_PARQUET_TEXT)
			text_add(column, i, out);
		else
			parquet_add_bytes(out, column->numbers.data[i], width_of(column));
	}
}

/* Append levels, which are 0 or 1, with their size before them. */
static void add_levels(const uint32_t *levels, size_t nr, struct tally_str *out)
{
	size_t at = out->len, size;

	parquet_add_bytes(out, 0, sizeof(uint32_t));
	parquet_add_runs(out, levels, nr, 1);
	if (out->failed)
		return;
	size = out->len - at - sizeof(uint32_t);
	for (size_t i = 0; i < sizeof(uint32_t); i++)
		out->data[at + i] = (char)(size >> 8 * i);
}

static int add_deltas(const struct parquet_column *column, struct tally_str *out)
{
	TALLY_VEC(uint64_t) numbers = {0};
	size_t nr = column->values.len;

	if (tally_vec_reserve(&numbers, nr))
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		numbers.data[i] = column->numbers.data[column->values.data[i]];
	parquet_add_deltas(out, numbers.data, nr, (unsigned)width_of(column) * 8);
	tally_vec_free(&numbers);
	return 0;
}

static void add_bools(const struct parquet_column *column, struct tally_str *out)
{
	uint8_t byte = 0;

	for (size_t i = 0; i < column->values.len; i++) {
		bool value = column->numbers.data[column->values.data[i]] != 0;

		byte |= (uint8_t)(value << i % 8);
		if (i % 8 < 7 && i + 1 < column->values.len)
			continue;
		tally_str_add_char(out, (char)byte);
		byte = 0;
	}
}

static void add_indexes(const struct parquet_column *column, struct tally_str *out)
{
	uint32_t nr = parquet_column_nr_distinct(column);
	unsigned bits = parquet_bits(nr - 1);

	tally_str_add_char(out, (char)bits);
	parquet_add_runs(out, column->values.data, column->values.len, bits);
}

int parquet_column_add_page(const struct parquet_column *column, struct tally_str *out)
{
	int encoding = parquet_column_encoding(column), ret = 0;

	if (parquet_column_repeats(column))
		add_levels(column->repetitions.data, column->repetitions.len, out);
	if (column->shape != TALLY_PARQUET_REQUIRED)
		add_levels(column->definitions.data, column->definitions.len, out);
	if (encoding == PARQUET_RLE_DICTIONARY)
		add_indexes(column, out);
	else if (encoding == PARQUET_DELTA_BINARY_PACKED)
		ret = add_deltas(column, out);
	else if (column->type == TALLY_PARQUET_BOOL)
		add_bools(column, out);
	else
		tally_vec_for_each (index, &column->values)
			text_add(column, *index, out);
	return ret ? ret : tally_str_error(out);
}

/* ---- statistics ------------------------------------------------------------------ */

/* Longer texts are not worth their space in the footer. */
enum { EXTREME_TEXT_MAX = 64 };

static bool is_less(const struct parquet_column *column, uint64_t a, uint64_t b)
{
	return column->type == TALLY_PARQUET_UINT64 ? a < b : (int64_t)a < (int64_t)b;
}

static void number_extremes(const struct parquet_column *column, struct tally_str *least,
			    struct tally_str *most)
{
	size_t width = column->type == TALLY_PARQUET_BOOL ? 1 : width_of(column);
	uint64_t low = column->numbers.data[0], high = low;

	tally_vec_for_each (number, &column->numbers) {
		low = is_less(column, *number, low) ? *number : low;
		high = is_less(column, high, *number) ? *number : high;
	}
	parquet_add_bytes(least, low, width);
	parquet_add_bytes(most, high, width);
}

static int compare(const struct tally_interned *a, const struct tally_interned *b)
{
	int order = memcmp(a->text, b->text, TALLY_MIN(a->len, b->len));

	return order ? order : (a->len > b->len) - (a->len < b->len);
}

static void text_extremes(const struct parquet_column *column, struct tally_str *least,
			  struct tally_str *most)
{
	const struct tally_interned *low = column->texts.strings.data, *high = low;

	tally_vec_for_each (text, &column->texts.strings) {
		low = compare(text, low) < 0 ? text : low;
		high = compare(high, text) < 0 ? text : high;
	}
	if (low->len > EXTREME_TEXT_MAX || high->len > EXTREME_TEXT_MAX)
		return;
	tally_str_add_bytes(least, low->text, low->len);
	tally_str_add_bytes(most, high->text, high->len);
}

void parquet_column_extremes(const struct parquet_column *column, struct tally_str *least,
			     struct tally_str *most)
{
	if (!column->values.len)
		return;
	if (column->type == TALLY_PARQUET_TEXT)
		text_extremes(column, least, most);
	else
		number_extremes(column, least, most);
}

/* ---- lifetime -------------------------------------------------------------------- */

void parquet_column_clear(struct parquet_column *column)
{
	column->values.len = 0;
	column->definitions.len = 0;
	column->repetitions.len = 0;
	column->numbers.len = 0;
	tally_map_free(&column->number_at);
	tally_intern_free(&column->texts);
	column->bytes = 0;
}

void parquet_column_free(struct parquet_column *column)
{
	parquet_column_clear(column);
	tally_vec_free(&column->values);
	tally_vec_free(&column->definitions);
	tally_vec_free(&column->repetitions);
	tally_vec_free(&column->numbers);
}
