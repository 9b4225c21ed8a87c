/* SPDX-License-Identifier: BSD-2-Clause */
#include "parquet/parquet_read.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/arith.h"
#include "base/endian.h"
#include "parquet/parquet_decode.h"
#include "parquet/parquet_format.h"
#include "parquet/parquet_unpack.h"
#include "parquet/thrift_read.h"

enum { MAGIC = sizeof(PARQUET_MAGIC) - 1, TAIL = MAGIC + sizeof(uint32_t) };

/* Values of a column in a row group: as runs, they take hardly any space in the file. */
enum { VALUES_MAX = 1 << 24 };

/* ---- open ------------------------------------------------------------------------ */

bool tally_parquet_is(const void *bytes, size_t len)
{
	return len >= MAGIC && !memcmp(bytes, PARQUET_MAGIC, MAGIC);
}

static uint32_t little_u32(const uint8_t *at)
{
	return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

int tally_parquet_reader_open(const void *bytes, size_t len, struct tally_error *err,
			      struct tally_parquet_reader **ret_reader)
{
	const uint8_t *at = bytes;
	struct tally_parquet_reader *reader;
	uint32_t size;
	int ret;

	if (len < MAGIC + TAIL || !tally_parquet_is(bytes, len) ||
	    memcmp(at + len - MAGIC, PARQUET_MAGIC, MAGIC))
		return tally_error_at(err, -EINVAL, "this is not a complete Parquet file", 0);
	size = little_u32(at + len - TAIL);
	if (size > len - MAGIC - TAIL)
		return tally_error_at(err, -EINVAL, "the file's metadata are damaged", len - TAIL);
	reader = calloc(1, sizeof(*reader));
	if (!reader)
		return -ENOMEM;
	reader->bytes = bytes;
	reader->len = len;
	ret = parquet_meta_parse(reader, at + len - TAIL - size, size, err);
	if (ret)
		tally_parquet_reader_close(reader);
	else
		*ret_reader = reader;
	return ret;
}

void tally_parquet_reader_close(struct tally_parquet_reader *reader)
{
	if (!reader)
		return;
	tally_vec_free(&reader->leaves);
	tally_vec_free(&reader->rows);
	tally_vec_free(&reader->chunks);
	tally_arena_free(&reader->memory);
	free(reader);
}

size_t tally_parquet_nr_leaves(const struct tally_parquet_reader *reader)
{
	return reader->leaves.len;
}

const struct tally_parquet_leaf *tally_parquet_leaf(const struct tally_parquet_reader *reader,
						    size_t leaf)
{
	return &reader->leaves.data[leaf].shown;
}

size_t tally_parquet_find(const struct tally_parquet_reader *reader, const char *name)
{
	for (size_t i = 0; i < reader->leaves.len; i++) {
		if (!strcmp(reader->leaves.data[i].shown.name, name))
			return i;
	}
	return SIZE_MAX;
}

size_t tally_parquet_nr_groups(const struct tally_parquet_reader *reader)
{
	return reader->rows.len;
}

/* ---- pages ----------------------------------------------------------------------- */

/* The header of a page, with the members of all types of pages. */
struct page_header {
	int64_t type, unpacked, packed;
	int64_t nr_values, encoding;
	int64_t definition_encoding, repetition_encoding; /* of version 1 */
	int64_t definition_size, repetition_size;         /* of version 2 */
	bool is_plain;                                    /* of version 2: not compressed */
};

/* A column that is being read. */
struct column_reading {
	const struct parquet_leaf *leaf;
	const struct parquet_chunk_meta *chunk;
	struct thrift_in in; /* the pages that follow */
	struct tally_parquet_cells *cells;
	struct parquet_values values, dictionary;
	parquet_words definitions, repetitions;
	bool has_dictionary;
};

static void data_header_read(struct thrift_in *in, bool is_2, struct page_header *header)
{
	/* Members by field, of version 1 and 2. */
	int64_t *const members[2][8] = {
		{NULL, &header->nr_values, &header->encoding, &header->definition_encoding,
		 &header->repetition_encoding},
		{NULL, &header->nr_values, NULL, NULL, &header->encoding, &header->definition_size,
		 &header->repetition_size},
	};
	struct thrift_field field = {0};

	while (thrift_in_next(in, &field)) {
		bool is_known = field.id > 0 && field.id < 8 && members[is_2][field.id];

		if (is_2 && field.id == PARQUET_DATA_2_IS_PACKED)
			header->is_plain = field.type == THRIFT_FALSE;
		if (is_known)
			*members[is_2][field.id] = thrift_in_number(in);
		else
			thrift_in_skip(in, &field);
	}
}

static void page_header_read(struct thrift_in *in, struct page_header *header)
{
	struct thrift_field field = {0};

	*header = (struct page_header){.definition_encoding = PARQUET_RLE,
				       .repetition_encoding = PARQUET_RLE};
	while (thrift_in_next(in, &field)) {
		switch (field.id) {
		case PARQUET_PAGE_TYPE: header->type = thrift_in_number(in); break;
		case PARQUET_PAGE_UNPACKED_SIZE: header->unpacked = thrift_in_number(in); break;
		case PARQUET_PAGE_PACKED_SIZE: header->packed = thrift_in_number(in); break;
		case PARQUET_PAGE_DATA_HEADER:
		case PARQUET_PAGE_DICTIONARY_HEADER: data_header_read(in, false, header); break;
		case PARQUET_PAGE_DATA_2_HEADER: data_header_read(in, true, header); break;
		default: thrift_in_skip(in, &field);
		}
	}
}

/* Return true if a number can be a size in a header. */
static bool is_size(int64_t value)
{
	return value >= 0 && value <= INT32_MAX;
}

/* Decompress the page that follows its header. The levels of pages of version 2 are not
 * compressed. Returns 0, -EINVAL, -EOPNOTSUPP or -ENOMEM. */
static int page_unpack(struct column_reading *reading, const struct page_header *header,
		       struct parquet_in *ret_page)
{
	int codec = header->is_plain ? PARQUET_UNCOMPRESSED : reading->chunk->codec, ret = 0;
	size_t packed, unpacked, levels;
	const uint8_t *at = reading->in.at;
	uint8_t *page;

	if (reading->in.failed || !is_size(header->packed) || !is_size(header->unpacked) ||
	    !is_size(header->definition_size) || !is_size(header->repetition_size))
		return -EINVAL;
	packed = (size_t)header->packed;
	unpacked = (size_t)header->unpacked;
	levels = (size_t)(header->definition_size + header->repetition_size);
	if (packed > (size_t)(reading->in.end - at) || unpacked > PARQUET_MEMORY_MAX ||
	    levels > packed || levels > unpacked ||
	    reading->cells->memory.total > PARQUET_MEMORY_MAX)
		return -EINVAL;
	page = tally_arena_bytes(&reading->cells->memory, unpacked + 1);
	if (!page)
		return -ENOMEM;
	if (levels)
		memcpy(page, at, levels);
	if (unpacked > levels || packed > levels)
		ret = parquet_unpack(codec, at + levels, packed - levels, page + levels,
				     unpacked - levels);
	reading->in.at += packed;
	*ret_page = (struct parquet_in){page, page + unpacked};
	return ret;
}

/* Read levels that begin with their size (version 1) or take `size` bytes (version 2). */
static int levels_read(struct parquet_in *page, bool has_size, int64_t size, unsigned highest,
		       size_t nr, parquet_words *out)
{
	struct parquet_in levels;
	int ret;

	if (!highest && has_size)
		return 0;
	if (has_size && page->end - page->at >= 4) {
		size = little_u32(page->at);
		page->at += 4;
	}
	if (size < 0 || size > page->end - page->at)
		return -EINVAL;
	levels = (struct parquet_in){page->at, page->at + size};
	page->at += size;
	ret = highest ? parquet_runs_read(&levels, 32 - (unsigned)__builtin_clz(highest), nr, out)
		      : 0;
	for (size_t i = out->len - (highest ? nr : 0); i < out->len && !ret; i++)
		ret = out->data[i] > highest ? -EINVAL : 0;
	return ret;
}

static int page_levels_read(struct column_reading *reading, const struct page_header *header,
			    struct parquet_in *page)
{
	bool has_size = header->type == PARQUET_PAGE_DATA;
	size_t nr = (size_t)header->nr_values;
	int ret;

	if (has_size && (header->definition_encoding != PARQUET_RLE ||
			 header->repetition_encoding != PARQUET_RLE))
		return -EOPNOTSUPP;
	ret = levels_read(page, has_size, header->repetition_size, reading->leaf->repetition, nr,
			  &reading->repetitions);
	return ret ? ret
		   : levels_read(page, has_size, header->definition_size, reading->leaf->definition,
				 nr, &reading->definitions);
}

/* ---- values ---------------------------------------------------------------------- */

/* Append `nr` values that are indexes in the dictionary. */
static int indexes_read(struct column_reading *reading, struct parquet_in *page, size_t nr)
{
	const struct parquet_values *dictionary = &reading->dictionary;
	size_t entries = TALLY_MAX(dictionary->numbers.len, dictionary->texts.len);
	bool is_text = reading->leaf->physical == PARQUET_BYTE_ARRAY;
	struct parquet_values *values = &reading->values;
	parquet_words words = {0};
	int ret = reading->has_dictionary && page->at < page->end ? 0 : -EINVAL;
	unsigned bits = ret ? 0 : *page->at++;

	if (!ret && nr)
		ret = parquet_runs_read(page, bits, nr, &words);
	if (!ret && (is_text ? tally_vec_reserve(&values->texts, values->texts.len + nr)
			     : tally_vec_reserve(&values->numbers, values->numbers.len + nr)))
		ret = -ENOMEM;
	for (size_t i = 0; i < nr && !ret; i++) {
		if (words.data[i] >= entries)
			ret = -EINVAL;
		else if (is_text)
			values->texts.data[values->texts.len++] =
				dictionary->texts.data[words.data[i]];
		else
			values->numbers.data[values->numbers.len++] =
				dictionary->numbers.data[words.data[i]];
	}
	tally_vec_free(&words);
	return ret;
}

static int data_read(struct column_reading *reading, const struct page_header *header,
		     struct parquet_in *page)
{
	size_t before = reading->definitions.len, nr = (size_t)header->nr_values;
	int ret = page_levels_read(reading, header, page), encoding = (int)header->encoding;

	for (size_t i = before; i < reading->definitions.len && !ret; i++)
		nr -= reading->definitions.data[i] < reading->leaf->definition;
	if (ret)
		return ret;
	if (encoding == PARQUET_RLE_DICTIONARY || encoding == PARQUET_PLAIN_DICTIONARY)
		return indexes_read(reading, page, nr);
	return parquet_values_read(page, reading->leaf, encoding, nr, &reading->values,
				   &reading->cells->memory);
}

static int dictionary_read(struct column_reading *reading, const struct page_header *header,
			   struct parquet_in *page)
{
	if (reading->has_dictionary)
		return -EINVAL;
	reading->has_dictionary = true;
	return parquet_values_read(page, reading->leaf, PARQUET_PLAIN, (size_t)header->nr_values,
				   &reading->dictionary, &reading->cells->memory);
}

/* Read a page. `*left` values are expected. */
static int page_read(struct column_reading *reading, uint64_t *left)
{
	struct page_header header;
	struct parquet_in page;
	int ret;

	page_header_read(&reading->in, &header);
	ret = page_unpack(reading, &header, &page);
	if (ret || header.type == PARQUET_PAGE_INDEX)
		return ret;
	if (header.nr_values < 0 || header.nr_values > VALUES_MAX)
		return -EINVAL;
	if (header.type == PARQUET_PAGE_DICTIONARY)
		return dictionary_read(reading, &header, &page);
	if ((header.type != PARQUET_PAGE_DATA && header.type != PARQUET_PAGE_DATA_2) ||
	    (uint64_t)header.nr_values > *left)
		return -EINVAL;
	*left -= (uint64_t)header.nr_values;
	return data_read(reading, &header, &page);
}

/* ---- rows ------------------------------------------------------------------------ */

/* Insert placeholders for the elements of lists that are null. Returns 0 or -ENOMEM. */
static int nulls_insert(struct column_reading *reading)
{
	const struct parquet_leaf *leaf = reading->leaf;
	bool is_text = leaf->physical == PARQUET_BYTE_ARRAY;
	struct parquet_values made = {0};
	size_t at = 0, nr = reading->definitions.len;

	if (is_text ? tally_vec_reserve(&made.texts, nr) : tally_vec_reserve(&made.numbers, nr))
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		bool has = reading->definitions.data[i] == leaf->definition;

		if (reading->definitions.data[i] < leaf->in_list)
			continue;
		if (is_text)
			made.texts.data[made.texts.len++] =
				has ? reading->values.texts.data[at]
				    : (struct tally_parquet_text){NULL, 0};
		else
			made.numbers.data[made.numbers.len++] =
				has ? reading->values.numbers.data[at] : 0;
		at += has;
	}
	tally_vec_free(&reading->values.numbers);
	tally_vec_free(&reading->values.texts);
	reading->values = made;
	return 0;
}

/* Set the start of each row in the values. */
static int starts_set(struct column_reading *reading, uint64_t rows)
{
	const struct parquet_leaf *leaf = reading->leaf;
	uint64_t nr = reading->chunk->nr_values;
	struct tally_parquet_cells *cells = reading->cells;
	uint32_t value = 0;

	if (!leaf->repetition && nr != rows)
		return -EINVAL;
	if (tally_vec_reserve(&cells->starts, rows + 1))
		return -ENOMEM;
	for (uint64_t i = 0; i < nr; i++) {
		if (!leaf->repetition || !reading->repetitions.data[i]) {
			if (cells->starts.len == rows)
				return -EINVAL;
			cells->starts.data[cells->starts.len++] = value;
		} else if (!i) {
			return -EINVAL;
		}
		value += !leaf->definition ||
			 reading->definitions.data[i] >=
				 (leaf->repetition ? leaf->in_list : leaf->definition);
	}
	if (cells->starts.len != rows)
		return -EINVAL;
	cells->starts.data[cells->starts.len++] = value;
	cells->rows = (size_t)rows;
	return 0;
}

static int column_read(struct column_reading *reading, uint64_t rows)
{
	uint64_t left = reading->chunk->nr_values;
	int ret = 0;

	if (left > VALUES_MAX || rows > VALUES_MAX)
		return -EINVAL;
	while (left && !ret && reading->in.at < reading->in.end)
		ret = page_read(reading, &left);
	if (ret || left)
		return ret ? ret : -EINVAL;
	ret = starts_set(reading, rows);
	if (!ret && reading->leaf->repetition && reading->leaf->in_list < reading->leaf->definition)
		ret = nulls_insert(reading);
	if (ret)
		return ret;
	/* The cells take over the values. */
	reading->cells->numbers.data = reading->values.numbers.data;
	reading->cells->numbers.len = reading->values.numbers.len;
	reading->cells->numbers.cap = reading->values.numbers.cap;
	reading->cells->texts.data = reading->values.texts.data;
	reading->cells->texts.len = reading->values.texts.len;
	reading->cells->texts.cap = reading->values.texts.cap;
	reading->values = (struct parquet_values){0};
	return 0;
}

int tally_parquet_read(const struct tally_parquet_reader *reader, size_t group, size_t leaf,
		       struct tally_parquet_cells *cells, struct tally_error *err)
{
	const struct parquet_chunk_meta *chunk =
		&reader->chunks.data[group * reader->leaves.len + leaf];
	const uint8_t *start = reader->bytes + chunk->start;
	struct column_reading reading = {
		.leaf = &reader->leaves.data[leaf],
		.chunk = chunk,
		.in = {start, start + chunk->size, false},
		.cells = cells,
	};
	int ret = -EOPNOTSUPP;

	tally_parquet_cells_free(cells);
	if (reading.leaf->shown.kind != TALLY_PARQUET_OTHERS)
		ret = column_read(&reading, reader->rows.data[group]);
	tally_vec_free(&reading.values.numbers);
	tally_vec_free(&reading.values.texts);
	tally_vec_free(&reading.dictionary.numbers);
	tally_vec_free(&reading.dictionary.texts);
	tally_vec_free(&reading.definitions);
	tally_vec_free(&reading.repetitions);
	if (ret == -EOPNOTSUPP)
		return tally_error_at(err, ret, "a type, encoding or compression is not supported",
				      chunk->start);
	if (ret == -EINVAL)
		return tally_error_at(err, ret, "a column is damaged or too large", chunk->start);
	return ret;
}

void tally_parquet_cells_free(struct tally_parquet_cells *cells)
{
	tally_vec_free(&cells->starts);
	tally_vec_free(&cells->numbers);
	tally_vec_free(&cells->texts);
	tally_arena_free(&cells->memory);
	*cells = (struct tally_parquet_cells){0};
}
