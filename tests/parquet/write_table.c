/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * write_table FILE ROWS SEED: write a Parquet file with all types and shapes of columns, and print
 * its rows, each as one line of JSON with the values in the order of the columns. The values of
 * `kinds` depend on the row, so that row groups get all encodings.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arith.h"
#include "parquet/parquet.h"
#include "random.h"

static const struct tally_parquet_column columns[] = {
	{"flag", TALLY_PARQUET_BOOL, TALLY_PARQUET_REQUIRED},
	{"small", TALLY_PARQUET_INT32, TALLY_PARQUET_REQUIRED},
	{"maybe_small", TALLY_PARQUET_INT32, TALLY_PARQUET_OPTIONAL},
	{"large", TALLY_PARQUET_INT64, TALLY_PARQUET_REQUIRED},
	{"maybe_large", TALLY_PARQUET_INT64, TALLY_PARQUET_OPTIONAL},
	{"natural", TALLY_PARQUET_UINT64, TALLY_PARQUET_OPTIONAL},
	{"rising", TALLY_PARQUET_INT64, TALLY_PARQUET_REQUIRED},
	{"constant", TALLY_PARQUET_INT64, TALLY_PARQUET_REQUIRED},
	{"never", TALLY_PARQUET_INT32, TALLY_PARQUET_OPTIONAL},
	{"text", TALLY_PARQUET_TEXT, TALLY_PARQUET_REQUIRED},
	{"maybe_text", TALLY_PARQUET_TEXT, TALLY_PARQUET_OPTIONAL},
	{"list", TALLY_PARQUET_INT64, TALLY_PARQUET_LIST},
	{"texts", TALLY_PARQUET_TEXT, TALLY_PARQUET_LIST},
	{"map", TALLY_PARQUET_TEXT, TALLY_PARQUET_MAP_KEY},
	{"map", TALLY_PARQUET_TEXT, TALLY_PARQUET_MAP_VALUE},
};

struct table {
	struct tally_parquet *writer;
	struct random random;
	size_t column;
	uint64_t row;
};

static uint64_t number(struct table *table)
{
	return random_u64(&table->random);
}

static void column_begin(struct table *table)
{
	printf("%s", table->column ? "," : "[");
}

/* Return true, and add null, if the next value of an optional column is null. */
static bool is_null(struct table *table)
{
	if (columns[table->column].shape != TALLY_PARQUET_OPTIONAL || number(table) % 4)
		return false;
	column_begin(table);
	printf("null");
	tally_parquet_add_null(table->writer, table->column++);
	return true;
}

static void add_number(struct table *table, uint64_t value)
{
	if (is_null(table))
		return;
	column_begin(table);
	if (columns[table->column].type == TALLY_PARQUET_UINT64)
		printf("%" PRIu64, value);
	else
		printf("%" PRId64, (int64_t)value);
	tally_parquet_add(table->writer, table->column++, value);
}

/* Texts repeat, or are different and sometimes long. */
static size_t make_text(struct table *table, bool repeats, char text[128])
{
	int width = repeats || number(table) % 8 ? 1 : 100;

	return (size_t)snprintf(text, 128, "\u00e9%0*" PRIu64, width,
				repeats ? number(table) % 5 : number(table));
}

static void add_text(struct table *table, bool repeats)
{
	char text[128];
	size_t len = make_text(table, repeats, text);

	if (is_null(table))
		return;
	column_begin(table);
	printf("\"%s\"", text);
	tally_parquet_add_text(table->writer, table->column++, text, len);
}

static void add_lists(struct table *table)
{
	char text[128];
	uint64_t nr = number(table) % 3 ? number(table) % 5 : 0;

	column_begin(table);
	printf("[");
	for (uint64_t i = 0; i < nr; i++) {
		uint64_t value = number(table) % 1000;

		printf("%s%" PRIu64, i ? "," : "", value);
		tally_parquet_add(table->writer, table->column, value);
	}
	table->column++;
	printf("],[");
	for (uint64_t i = 0; i < nr % 3; i++) {
		size_t len = make_text(table, i > 0, text);

		printf("%s\"%s\"", i ? "," : "", text);
		tally_parquet_add_text(table->writer, table->column, text, len);
	}
	table->column++;
	printf("]");
}

static void add_map(struct table *table)
{
	uint64_t nr = number(table) % 3;
	char key[32], value[128];

	printf(",{");
	for (uint64_t i = 0; i < nr; i++) {
		int key_len = snprintf(key, sizeof(key), "key%" PRIu64, i);
		size_t len = make_text(table, true, value);

		printf("%s\"%s\":\"%s\"", i ? "," : "", key, value);
		tally_parquet_add_text(table->writer, table->column, key, (size_t)key_len);
		tally_parquet_add_text(table->writer, table->column + 1, value, len);
	}
	printf("}]\n");
}

static int add_row(struct table *table)
{
	/* The second half has few different values. */
	uint64_t few = table->row % 200000 < 100000 ? UINT64_MAX : 7;

	table->column = 0;
	column_begin(table);
	printf("%s", table->row % 3 ? "true" : "false");
	tally_parquet_add(table->writer, table->column++, table->row % 3 > 0);
	add_number(table, (uint64_t)(int64_t)(int32_t)(number(table) & few));
	add_number(table, (uint64_t)(int64_t)(int32_t)(number(table) & few));
	add_number(table, number(table) & few);
	add_number(table, number(table) & few);
	add_number(table, number(table) & few);
	add_number(table, table->row * 1000 + number(table) % 500);
	add_number(table, (uint64_t)-42);
	column_begin(table);
	printf("null");
	tally_parquet_add_null(table->writer, table->column++);
	add_text(table, true);
	add_text(table, few == 7);
	add_lists(table);
	add_map(table);
	return tally_parquet_end_row(table->writer);
}

static int write_file(void *file, const void *bytes, size_t len)
{
	return fwrite(bytes, 1, len, file) == len ? 0 : -1;
}

int main(int argc, char **argv)
{
	FILE *file = argc == 4 ? fopen(argv[1], "w") : NULL;
	const struct tally_parquet_table parquet = {columns, TALLY_ARRAY_SIZE(columns),
						    "write_table version 1", write_file, file};
	struct table table = {0};
	uint64_t rows;
	int ret;

	if (!file)
		return 2;
	rows = strtoull(argv[2], NULL, 10);
	table.random.state = strtoull(argv[3], NULL, 10) * 2 + 1;
	ret = tally_parquet_open(&parquet, &table.writer);
	for (; table.row < rows && !ret; table.row++)
		ret = add_row(&table);
	ret = tally_parquet_close(table.writer, ret);
	return fclose(file) || ret;
}
