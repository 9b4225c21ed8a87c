/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <zstd.h>

#include "base/arith.h"
#include "parquet/parquet.h"
#include "parquet/parquet_column.h"
#include "parquet/parquet_encode.h"
#include "parquet/parquet_footer.h"

/* A row group is written when it reaches one of these limits. */
enum { GROUP_ROWS = 1 << 17, GROUP_VALUES = 1 << 20, GROUP_BYTES = 16 << 20 };

/* The metadata of a row group takes some 100 bytes for each column, and is kept until the end. */
enum { GROUPS_MAX = 1 << 20 };

/* A page must fit in 31 bits, whatever a caller adds in one row. */
enum { PAGE_MAX = INT_MAX };

enum { LEVEL = 3 }; /* of zstd */

struct tally_parquet {
	struct tally_parquet_table table;
	struct parquet_column *columns;
	struct parquet_footer footer;
	ZSTD_CCtx *zstd;
	struct tally_str page, packed; /* buffers */
	uint64_t at;                   /* size of the file so far */
	uint64_t rows, group_rows;
	int error;
};

static void fail(struct tally_parquet *writer, int error)
{
	writer->error = writer->error ? writer->error : error;
}

static void write_bytes(struct tally_parquet *writer, const void *bytes, size_t len)
{
	if (!writer->error)
		writer->error = writer->table.write(writer->table.arg, bytes, len);
	writer->at += len;
}

int tally_parquet_open(const struct tally_parquet_table *table, struct tally_parquet **ret_writer)
{
	struct tally_parquet *writer = calloc(1, sizeof(*writer));
	int ret;

	if (!writer)
		return -ENOMEM;
	writer->table = *table;
	writer->columns = calloc(table->nr_columns, sizeof(*writer->columns));
	writer->zstd = ZSTD_createCCtx();
	if (!writer->columns || !writer->zstd) {
		(void)tally_parquet_close(writer, -ENOMEM);
		return -ENOMEM;
	}
	ZSTD_CCtx_setParameter(writer->zstd, ZSTD_c_compressionLevel, LEVEL);
	for (size_t i = 0; i < table->nr_columns; i++) {
		writer->columns[i].type = table->columns[i].type;
		writer->columns[i].shape = table->columns[i].shape;
	}
	write_bytes(writer, PARQUET_MAGIC, sizeof(PARQUET_MAGIC) - 1);
	ret = writer->error;
	if (ret)
		(void)tally_parquet_close(writer, ret);
	else
		*ret_writer = writer;
	return ret;
}

/* ---- rows ------------------------------------------------------------------------ */

void tally_parquet_add(struct tally_parquet *writer, size_t column, uint64_t value)
{
	if (!parquet_column_add_number(&writer->columns[column], value))
		fail(writer, -ENOMEM);
}

void tally_parquet_add_text(struct tally_parquet *writer, size_t column, const char *text,
			    size_t len)
{
	if (!parquet_column_add_text(&writer->columns[column], text, len))
		fail(writer, -ENOMEM);
}

void tally_parquet_add_null(struct tally_parquet *writer, size_t column)
{
	if (!parquet_column_add_null(&writer->columns[column]))
		fail(writer, -ENOMEM);
}

/* ---- pages ----------------------------------------------------------------------- */

static void add_page_header(struct tally_str *out, int type, size_t unpacked, size_t packed,
			    uint64_t nr_values, int encoding)
{
	struct thrift thrift = {.out = out};
	bool is_data = type == PARQUET_PAGE_DATA;

	thrift_begin_element(&thrift);
	thrift_i32(&thrift, PARQUET_PAGE_TYPE, type);
	thrift_i32(&thrift, PARQUET_PAGE_UNPACKED_SIZE, (int32_t)unpacked);
	thrift_i32(&thrift, PARQUET_PAGE_PACKED_SIZE, (int32_t)packed);
	thrift_begin(&thrift, is_data ? PARQUET_PAGE_DATA_HEADER : PARQUET_PAGE_DICTIONARY_HEADER);
	thrift_i32(&thrift, PARQUET_DATA_NR_VALUES, (int32_t)nr_values);
	thrift_i32(&thrift, PARQUET_DATA_ENCODING, encoding);
	if (is_data) {
		thrift_i32(&thrift, PARQUET_DATA_DEFINITION_ENCODING, PARQUET_RLE);
		thrift_i32(&thrift, PARQUET_DATA_REPETITION_ENCODING, PARQUET_RLE);
	}
	thrift_end(&thrift);
	thrift_end(&thrift);
}

/* Compress writer->page to writer->packed. Returns 0, -ENOMEM, -EOVERFLOW, or -EIO. */
static int pack_page(struct tally_parquet *writer)
{
	size_t bound = ZSTD_compressBound(writer->page.len), len;

	if (tally_str_error(&writer->page))
		return -ENOMEM;
	if (bound > PAGE_MAX)
		return -EOVERFLOW;
	tally_str_clear(&writer->packed);
	if (!tally_str_reserve(&writer->packed, bound))
		return -ENOMEM;
	len = ZSTD_compress2(writer->zstd, writer->packed.data, bound, writer->page.data,
			     writer->page.len);
	if (ZSTD_isError(len))
		return -EIO;
	writer->packed.len = len;
	return 0;
}

/* Write writer->page, and clear it. */
static void write_page(struct tally_parquet *writer, int type, uint64_t nr_values, int encoding,
		       struct parquet_chunk *chunk)
{
	size_t unpacked = writer->page.len;
	int ret = pack_page(writer);

	tally_str_clear(&writer->page);
	if (ret) {
		fail(writer, ret);
		return;
	}
	add_page_header(&writer->page, type, unpacked, writer->packed.len, nr_values, encoding);
	if (tally_str_error(&writer->page))
		fail(writer, -ENOMEM);
	chunk->packed += writer->page.len + writer->packed.len;
	chunk->unpacked += writer->page.len + unpacked;
	write_bytes(writer, tally_str_text(&writer->page), writer->page.len);
	write_bytes(writer, writer->packed.data, writer->packed.len);
	tally_str_clear(&writer->page);
}

/* ---- row groups ------------------------------------------------------------------ */

static void write_column(struct tally_parquet *writer, struct parquet_column *column)
{
	struct parquet_chunk chunk = {
		.start = writer->at,
		.nr_values = column->shape == TALLY_PARQUET_REQUIRED ? column->values.len
								     : column->definitions.len,
		.encoding = parquet_column_encoding(column),
	};

	chunk.nr_nulls = chunk.nr_values - column->values.len;
	if (chunk.encoding == PARQUET_RLE_DICTIONARY) {
		chunk.dictionary = writer->at;
		parquet_column_add_dictionary(column, &writer->page);
		write_page(writer, PARQUET_PAGE_DICTIONARY, parquet_column_nr_distinct(column),
			   PARQUET_PLAIN, &chunk);
	}
	chunk.data = writer->at;
	if (!writer->error)
		fail(writer, parquet_column_add_page(column, &writer->page));
	if (!writer->error)
		write_page(writer, PARQUET_PAGE_DATA, chunk.nr_values, chunk.encoding, &chunk);
	parquet_column_extremes(column, &chunk.least, &chunk.most);
	parquet_footer_add_chunk(&writer->footer, &chunk);
	tally_str_free(&chunk.least);
	tally_str_free(&chunk.most);
	parquet_column_clear(column);
}

static void write_group(struct tally_parquet *writer)
{
	if (!writer->group_rows)
		return;
	if (writer->footer.nr_groups == GROUPS_MAX)
		fail(writer, -EOVERFLOW);
	parquet_footer_begin_group(&writer->footer, &writer->table);
	for (size_t i = 0; i < writer->table.nr_columns; i++)
		write_column(writer, &writer->columns[i]);
	parquet_footer_end_group(&writer->footer, writer->group_rows);
	writer->group_rows = 0;
}

static bool is_full(const struct tally_parquet *writer)
{
	size_t bytes = 0;

	if (writer->group_rows >= GROUP_ROWS)
		return true;
	for (size_t i = 0; i < writer->table.nr_columns; i++) {
		bytes += writer->columns[i].bytes;
		if (writer->columns[i].values.len >= GROUP_VALUES)
			return true;
	}
	return bytes >= GROUP_BYTES;
}

int tally_parquet_end_row(struct tally_parquet *writer)
{
	for (size_t i = 0; i < writer->table.nr_columns; i++) {
		const struct parquet_column *column = &writer->columns[i];

		if (column->shape == TALLY_PARQUET_MAP_VALUE && column->in_row != column[-1].in_row)
			fail(writer, -EINVAL);
	}
	for (size_t i = 0; i < writer->table.nr_columns; i++) {
		if (!parquet_column_end_row(&writer->columns[i]))
			fail(writer, -ENOMEM);
	}
	writer->rows++;
	writer->group_rows++;
	if (!writer->error && is_full(writer))
		write_group(writer);
	return writer->error;
}

uint64_t tally_parquet_rows(const struct tally_parquet *writer)
{
	return writer->rows;
}

/* ---- end ------------------------------------------------------------------------- */

static void write_footer(struct tally_parquet *writer)
{
	struct tally_str *out = &writer->page;

	tally_str_clear(out);
	fail(writer, parquet_footer_write(&writer->footer, &writer->table, writer->rows, out));
	if (!writer->error && out->len > PAGE_MAX)
		fail(writer, -EOVERFLOW);
	parquet_add_bytes(out, out->len, sizeof(uint32_t));
	tally_str_add(out, PARQUET_MAGIC);
	if (tally_str_error(out))
		fail(writer, -ENOMEM);
	write_bytes(writer, tally_str_text(out), out->len);
}

int tally_parquet_close(struct tally_parquet *writer, int ret)
{
	if (!writer)
		return ret;
	fail(writer, ret);
	if (!writer->error)
		write_group(writer);
	if (!writer->error)
		write_footer(writer);
	ret = writer->error;
	for (size_t i = 0; writer->columns && i < writer->table.nr_columns; i++)
		parquet_column_free(&writer->columns[i]);
	free(writer->columns);
	parquet_footer_free(&writer->footer);
	ZSTD_freeCCtx(writer->zstd);
	tally_str_free(&writer->page);
	tally_str_free(&writer->packed);
	free(writer);
	return ret;
}
