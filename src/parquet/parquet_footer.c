/* SPDX-License-Identifier: BSD-2-Clause */
#include "parquet/parquet_footer.h"

#include "parquet/parquet_format.h"

enum { NO_REPETITION = -1, NO_CONVERTED = -1 };

/* The groups that contain a list or map, from the outside. */
static const char *const list_path[] = {"list", "element"};
static const char *const map_key_path[] = {"key_value", "key"};
static const char *const map_value_path[] = {"key_value", "value"};

static const char *const *inner_path(enum tally_parquet_shape shape)
{
	if (shape == TALLY_PARQUET_LIST)
		return list_path;
	return shape == TALLY_PARQUET_MAP_KEY ? map_key_path : map_value_path;
}

static int physical_type(enum tally_parquet_type type)
{
	static const int types[] = {
		[TALLY_PARQUET_BOOL] = PARQUET_BOOLEAN,    [TALLY_PARQUET_INT32] = PARQUET_INT32,
		[TALLY_PARQUET_INT64] = PARQUET_INT64,     [TALLY_PARQUET_UINT64] = PARQUET_INT64,
		[TALLY_PARQUET_TEXT] = PARQUET_BYTE_ARRAY,
	};

	return types[type];
}

/* ---- schema ---------------------------------------------------------------------- */

static void logical_add(struct thrift *thrift, int kind)
{
	thrift_begin(thrift, PARQUET_ELEMENT_LOGICAL);
	thrift_begin(thrift, kind);
	if (kind == PARQUET_LOGICAL_INTEGER) {
		thrift_byte(thrift, 1, 64);
		thrift_bool(thrift, 2, false);
	}
	thrift_end(thrift);
	thrift_end(thrift);
}

/* Add an element with children. */
static void group_add(struct thrift *thrift, const char *name, int repetition, size_t nr_children,
		      int converted, int logical)
{
	thrift_begin_element(thrift);
	if (repetition != NO_REPETITION)
		thrift_i32(thrift, PARQUET_ELEMENT_REPETITION, repetition);
	thrift_text(thrift, PARQUET_ELEMENT_NAME, name);
	thrift_i32(thrift, PARQUET_ELEMENT_NR_CHILDREN, (int32_t)nr_children);
	if (converted != NO_CONVERTED) {
		thrift_i32(thrift, PARQUET_ELEMENT_CONVERTED, converted);
		logical_add(thrift, logical);
	}
	thrift_end(thrift);
}

/* Add an element with values. */
static void leaf_add(struct thrift *thrift, const char *name, int repetition,
		     enum tally_parquet_type type)
{
	thrift_begin_element(thrift);
	thrift_i32(thrift, PARQUET_ELEMENT_TYPE, physical_type(type));
	thrift_i32(thrift, PARQUET_ELEMENT_REPETITION, repetition);
	thrift_text(thrift, PARQUET_ELEMENT_NAME, name);
	if (type == TALLY_PARQUET_TEXT) {
		thrift_i32(thrift, PARQUET_ELEMENT_CONVERTED, PARQUET_CONVERTED_UTF8);
		logical_add(thrift, PARQUET_LOGICAL_STRING);
	} else if (type == TALLY_PARQUET_UINT64) {
		thrift_i32(thrift, PARQUET_ELEMENT_CONVERTED, PARQUET_CONVERTED_UINT_64);
		logical_add(thrift, PARQUET_LOGICAL_INTEGER);
	}
	thrift_end(thrift);
}

static void column_add(struct thrift *thrift, const struct tally_parquet_column *column)
{
	switch (column->shape) {
	case TALLY_PARQUET_REQUIRED:
		leaf_add(thrift, column->name, PARQUET_REQUIRED, column->type);
		break;
	case TALLY_PARQUET_OPTIONAL:
		leaf_add(thrift, column->name, PARQUET_OPTIONAL, column->type);
		break;
	case TALLY_PARQUET_LIST:
		group_add(thrift, column->name, PARQUET_REQUIRED, 1, PARQUET_CONVERTED_LIST,
			  PARQUET_LOGICAL_LIST);
		group_add(thrift, list_path[0], PARQUET_REPEATED, 1, NO_CONVERTED, 0);
		leaf_add(thrift, list_path[1], PARQUET_REQUIRED, column->type);
		break;
	case TALLY_PARQUET_MAP_KEY:
		group_add(thrift, column->name, PARQUET_REQUIRED, 1, PARQUET_CONVERTED_MAP,
			  PARQUET_LOGICAL_MAP);
		group_add(thrift, map_key_path[0], PARQUET_REPEATED, 2, NO_CONVERTED, 0);
		leaf_add(thrift, map_key_path[1], PARQUET_REQUIRED, column->type);
		break;
	case TALLY_PARQUET_MAP_VALUE:
		leaf_add(thrift, map_value_path[1], PARQUET_REQUIRED, column->type);
		break;
	}
}

/* Return the number of elements in the schema, or only of those that are the root's children. */
static size_t nr_elements(const struct tally_parquet_table *table, bool is_top)
{
	static const unsigned char all[] = {
		[TALLY_PARQUET_REQUIRED] = 1,  [TALLY_PARQUET_OPTIONAL] = 1,
		[TALLY_PARQUET_LIST] = 3,      [TALLY_PARQUET_MAP_KEY] = 3,
		[TALLY_PARQUET_MAP_VALUE] = 1,
	};
	size_t nr = 0;

	for (size_t i = 0; i < table->nr_columns; i++) {
		enum tally_parquet_shape shape = table->columns[i].shape;

		nr += is_top ? shape != TALLY_PARQUET_MAP_VALUE : all[shape];
	}
	return nr;
}

static void schema_add(struct thrift *thrift, const struct tally_parquet_table *table)
{
	thrift_list(thrift, PARQUET_FILE_SCHEMA, THRIFT_STRUCT, 1 + nr_elements(table, false));
	group_add(thrift, "schema", NO_REPETITION, nr_elements(table, true), NO_CONVERTED, 0);
	for (size_t i = 0; i < table->nr_columns; i++)
		column_add(thrift, &table->columns[i]);
}

/* ---- row groups ------------------------------------------------------------------ */

void parquet_footer_begin_group(struct parquet_footer *footer,
				const struct tally_parquet_table *table)
{
	footer->thrift.out = &footer->groups;
	footer->table = table;
	footer->packed = 0;
	footer->unpacked = 0;
	footer->nr_chunks = 0;
	footer->nr_groups++;
	thrift_begin_element(&footer->thrift);
	thrift_list(&footer->thrift, PARQUET_GROUP_COLUMNS, THRIFT_STRUCT, table->nr_columns);
}

static void path_add(struct thrift *thrift, const struct tally_parquet_column *column)
{
	const char *const *inner = inner_path(column->shape);
	const char *name = column->name;

	if (column->shape == TALLY_PARQUET_MAP_VALUE)
		name = column[-1].name;
	thrift_list(thrift, PARQUET_META_PATH, THRIFT_BINARY,
		    column->shape < TALLY_PARQUET_LIST ? 1 : 3);
	thrift_element_text(thrift, name);
	for (size_t i = 0; i < 2 && column->shape >= TALLY_PARQUET_LIST; i++)
		thrift_element_text(thrift, inner[i]);
}

static void encodings_add(struct thrift *thrift, const struct parquet_chunk *chunk)
{
	thrift_list(thrift, PARQUET_META_ENCODINGS, THRIFT_I32, chunk->dictionary ? 3 : 2);
	if (chunk->dictionary)
		thrift_element_i32(thrift, PARQUET_PLAIN);
	thrift_element_i32(thrift, PARQUET_RLE);
	thrift_element_i32(thrift, chunk->encoding);
}

static void statistics_add(struct thrift *thrift, const struct parquet_chunk *chunk)
{
	thrift_begin(thrift, PARQUET_META_STATISTICS);
	thrift_i64(thrift, PARQUET_STATISTICS_NR_NULLS, (int64_t)chunk->nr_nulls);
	if (chunk->least.data && chunk->most.data) {
		thrift_binary(thrift, PARQUET_STATISTICS_MOST, chunk->most.data, chunk->most.len);
		thrift_binary(thrift, PARQUET_STATISTICS_LEAST, chunk->least.data,
			      chunk->least.len);
	}
	thrift_end(thrift);
}

void parquet_footer_add_chunk(struct parquet_footer *footer, const struct parquet_chunk *chunk)
{
	const struct tally_parquet_column *column = &footer->table->columns[footer->nr_chunks];
	struct thrift *thrift = &footer->thrift;

	if (!footer->nr_chunks++)
		footer->start = chunk->start;
	footer->packed += chunk->packed;
	footer->unpacked += chunk->unpacked;
	footer->groups.failed |= chunk->least.failed || chunk->most.failed;
	thrift_begin_element(thrift);
	thrift_i64(thrift, PARQUET_CHUNK_OFFSET, (int64_t)chunk->start);
	thrift_begin(thrift, PARQUET_CHUNK_META);
	thrift_i32(thrift, PARQUET_META_TYPE, physical_type(column->type));
	encodings_add(thrift, chunk);
	path_add(thrift, column);
	thrift_i32(thrift, PARQUET_META_CODEC, PARQUET_ZSTD);
	thrift_i64(thrift, PARQUET_META_NR_VALUES, (int64_t)chunk->nr_values);
	thrift_i64(thrift, PARQUET_META_UNPACKED_SIZE, (int64_t)chunk->unpacked);
	thrift_i64(thrift, PARQUET_META_PACKED_SIZE, (int64_t)chunk->packed);
	thrift_i64(thrift, PARQUET_META_DATA_OFFSET, (int64_t)chunk->data);
	if (chunk->dictionary)
		thrift_i64(thrift, PARQUET_META_DICTIONARY_OFFSET, (int64_t)chunk->dictionary);
	statistics_add(thrift, chunk);
	thrift_end(thrift);
	thrift_end(thrift);
}

void parquet_footer_end_group(struct parquet_footer *footer, uint64_t rows)
{
	thrift_i64(&footer->thrift, PARQUET_GROUP_SIZE, (int64_t)footer->unpacked);
	thrift_i64(&footer->thrift, PARQUET_GROUP_NR_ROWS, (int64_t)rows);
	thrift_i64(&footer->thrift, PARQUET_GROUP_OFFSET, (int64_t)footer->start);
	thrift_i64(&footer->thrift, PARQUET_GROUP_PACKED_SIZE, (int64_t)footer->packed);
	thrift_end(&footer->thrift);
}

/* ---- file ------------------------------------------------------------------------ */

/* Declare that statistics are in the order of the types. Otherwise, readers ignore them. */
static void orders_add(struct thrift *thrift, size_t nr)
{
	enum { BY_TYPE = 1 };

	thrift_list(thrift, PARQUET_FILE_ORDERS, THRIFT_STRUCT, nr);
	for (size_t i = 0; i < nr; i++) {
		thrift_begin_element(thrift);
		thrift_begin(thrift, BY_TYPE);
		thrift_end(thrift);
		thrift_end(thrift);
	}
}

int parquet_footer_write(const struct parquet_footer *footer,
			 const struct tally_parquet_table *table, uint64_t rows,
			 struct tally_str *out)
{
	enum { VERSION = 2 };
	struct thrift thrift = {.out = out};

	out->failed |= footer->groups.failed;
	thrift_begin_element(&thrift);
	thrift_i32(&thrift, PARQUET_FILE_VERSION, VERSION);
	schema_add(&thrift, table);
	thrift_i64(&thrift, PARQUET_FILE_NR_ROWS, (int64_t)rows);
	thrift_list(&thrift, PARQUET_FILE_GROUPS, THRIFT_STRUCT, footer->nr_groups);
	tally_str_add_bytes(out, tally_str_text(&footer->groups), footer->groups.len);
	thrift_text(&thrift, PARQUET_FILE_CREATOR, table->created_by);
	orders_add(&thrift, table->nr_columns);
	thrift_end(&thrift);
	return tally_str_error(out);
}

void parquet_footer_free(struct parquet_footer *footer)
{
	tally_str_free(&footer->groups);
}
