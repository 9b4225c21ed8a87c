/* SPDX-License-Identifier: BSD-2-Clause */
#include "parquet/parquet_meta.h"

#include <errno.h>
#include <string.h>

#include "parquet/parquet_format.h"
#include "parquet/thrift_read.h"

/* ---- schema ---------------------------------------------------------------------- */

enum { NESTING_MAX = 16, NOT_GIVEN = -1 };

struct schema_element {
	int physical;   /* NOT_GIVEN for a group */
	int repetition; /* NOT_GIVEN for the root */
	int converted;  /* NOT_GIVEN if there is none */
	bool is_decimal;
	int32_t type_length;
	int64_t nr_children;
	const char *name;
	size_t name_len;
};

/* The groups that contain the current element. */
struct schema_walk {
	struct tally_parquet_reader *reader;
	unsigned depth;
	struct schema_level {
		int64_t left; /* children that follow */
		unsigned definition, repetition;
		unsigned in_list; /* definition level of an element of the list, even if null */
	} levels[NESTING_MAX];
	const char *column; /* name of the outermost group below the root */
};

static void logical_read(struct thrift_in *in, struct schema_element *element)
{
	enum { LOGICAL_DECIMAL = 5 };
	struct thrift_field field = {0};

	while (thrift_in_next(in, &field)) {
		element->is_decimal |= field.id == LOGICAL_DECIMAL;
		thrift_in_skip(in, &field);
	}
}

static void element_read(struct thrift_in *in, struct schema_element *element)
{
	enum { TYPE_LENGTH = 2 };
	struct thrift_field field = {0};

	*element = (struct schema_element){NOT_GIVEN, NOT_GIVEN, NOT_GIVEN, .name = ""};
	while (thrift_in_next(in, &field)) {
		switch (field.id) {
		case PARQUET_ELEMENT_TYPE: element->physical = (int)thrift_in_number(in); break;
		case TYPE_LENGTH: element->type_length = (int32_t)thrift_in_number(in); break;
		case PARQUET_ELEMENT_REPETITION:
			element->repetition = (int)thrift_in_number(in);
			break;
		case PARQUET_ELEMENT_NAME:
			element->name = thrift_in_text(in, &element->name_len);
			break;
		case PARQUET_ELEMENT_NR_CHILDREN:
			element->nr_children = thrift_in_number(in);
			break;
		case PARQUET_ELEMENT_CONVERTED:
			element->converted = (int)thrift_in_number(in);
			break;
		case PARQUET_ELEMENT_LOGICAL: logical_read(in, element); break;
		default: thrift_in_skip(in, &field);
		}
	}
	element->is_decimal |= element->converted == PARQUET_CONVERTED_DECIMAL;
}

static enum tally_parquet_kind kind_of(const struct schema_element *element)
{
	if (element->is_decimal)
		return TALLY_PARQUET_OTHERS;
	switch (element->physical) {
	case PARQUET_BOOLEAN:
	case PARQUET_INT32:
	case PARQUET_INT64: return TALLY_PARQUET_NUMBERS;
	case PARQUET_FLOAT:
	case PARQUET_DOUBLE: return TALLY_PARQUET_REALS;
	case PARQUET_BYTE_ARRAY: return TALLY_PARQUET_TEXTS;
	default: return TALLY_PARQUET_OTHERS;
	}
}

static int leaf_add(struct schema_walk *walk, const struct schema_element *element,
		    const struct schema_level *level)
{
	bool is_unsigned = element->converted >= PARQUET_CONVERTED_UINT_8 &&
			   element->converted <= PARQUET_CONVERTED_UINT_64;
	struct parquet_leaf leaf = {
		.shown = {walk->column, kind_of(element), level->repetition > 0, is_unsigned},
		.physical = element->physical,
		.type_length = element->type_length,
		.definition = level->definition,
		.in_list = level->in_list,
		.repetition = level->repetition,
	};

	/* A list is a group with a repeated group or element in it; other groups are structures. */
	if (level->repetition > 1 || walk->depth > (level->repetition ? 2 : 0))
		leaf.shown.kind = TALLY_PARQUET_OTHERS;
	return tally_vec_push(&walk->reader->leaves, leaf);
}

/* Process an element below the root. Returns 0, -EINVAL or -ENOMEM. */
static int element_add(struct schema_walk *walk, const struct schema_element *element)
{
	struct schema_level *up = &walk->levels[walk->depth], level = *up;
	char *name;

	if (up->left <= 0)
		return -EINVAL;
	up->left--;
	level.definition += element->repetition != PARQUET_REQUIRED;
	level.repetition += element->repetition == PARQUET_REPEATED;
	if (element->repetition == PARQUET_REPEATED)
		level.in_list = level.definition;
	if (!walk->depth) {
		name = tally_arena_strndup(&walk->reader->memory, element->name, element->name_len);
		if (!name)
			return -ENOMEM;
		walk->column = name;
	}
	if (element->physical != NOT_GIVEN)
		return element->nr_children ? -EINVAL : leaf_add(walk, element, &level);
	level.left = element->nr_children;
	if (level.left <= 0 || walk->depth + 1 == NESTING_MAX)
		return -EINVAL;
	walk->levels[++walk->depth] = level;
	return 0;
}

/* Parse the elements, which are the groups and leaves of a tree in depth-first order. */
static int schema_parse(struct tally_parquet_reader *reader, struct thrift_in *in)
{
	struct schema_walk walk = {.reader = reader};
	struct schema_element element;
	int type, ret = 0;
	size_t nr = thrift_in_list(in, &type);

	if (!nr || reader->leaves.len || reader->rows.len)
		return -EINVAL;
	element_read(in, &element);
	if (element.nr_children < 0)
		return -EINVAL;
	walk.levels[0].left = element.nr_children;
	while (--nr && !in->failed && !ret) {
		element_read(in, &element);
		ret = element_add(&walk, &element);
		while (walk.depth && !walk.levels[walk.depth].left)
			walk.depth--;
	}
	if (!ret && (walk.depth || walk.levels[0].left))
		ret = -EINVAL;
	return ret;
}

/* ---- row groups ------------------------------------------------------------------ */

static void chunk_meta_read(struct thrift_in *in, struct parquet_chunk_meta *chunk)
{
	struct thrift_field field = {0};
	int64_t data = 0, dictionary = 0;

	while (thrift_in_next(in, &field)) {
		switch (field.id) {
		case PARQUET_META_CODEC: chunk->codec = (int)thrift_in_number(in); break;
		case PARQUET_META_NR_VALUES:
			chunk->nr_values = (uint64_t)thrift_in_number(in);
			break;
		case PARQUET_META_PACKED_SIZE: chunk->size = (uint64_t)thrift_in_number(in); break;
		case PARQUET_META_DATA_OFFSET: data = thrift_in_number(in); break;
		case PARQUET_META_DICTIONARY_OFFSET: dictionary = thrift_in_number(in); break;
		default: thrift_in_skip(in, &field);
		}
	}
	/* Some writers set the offset of a dictionary to 0 if there is none. */
	chunk->start = (uint64_t)(dictionary > 0 && dictionary < data ? dictionary : data);
}

static void chunk_read(struct thrift_in *in, struct parquet_chunk_meta *chunk)
{
	struct thrift_field field = {0};

	*chunk = (struct parquet_chunk_meta){0};
	while (thrift_in_next(in, &field)) {
		if (field.id == PARQUET_CHUNK_META && field.type == THRIFT_STRUCT_FIELD)
			chunk_meta_read(in, chunk);
		else
			thrift_in_skip(in, &field);
	}
}

/* Check a chunk, and limit the cost of reading all of them: any number of equal values takes hardly
 * any space, and chunks could share their pages. Returns 0, -EINVAL or -EFBIG. */
static int chunk_charge(struct tally_parquet_reader *reader, const struct parquet_chunk_meta *chunk)
{
	const uint64_t most = ((uint64_t)1 << 25) + 128 * (uint64_t)reader->len;

	if (chunk->start > reader->len || chunk->size > reader->len - chunk->start ||
	    chunk->size > reader->len - reader->nr_bytes)
		return -EINVAL;
	if (chunk->nr_values > most - reader->nr_values)
		return -EFBIG;
	reader->nr_bytes += chunk->size;
	reader->nr_values += chunk->nr_values;
	return 0;
}

static int chunks_parse(struct tally_parquet_reader *reader, struct thrift_in *in)
{
	struct parquet_chunk_meta chunk;
	int type, ret;
	size_t nr = thrift_in_list(in, &type);

	if (nr != reader->leaves.len)
		return -EINVAL;
	while (nr-- && !in->failed) {
		chunk_read(in, &chunk);
		ret = chunk_charge(reader, &chunk);
		if (ret)
			return ret;
		if (tally_vec_push(&reader->chunks, chunk))
			return -ENOMEM;
	}
	return 0;
}

static int group_parse(struct tally_parquet_reader *reader, struct thrift_in *in)
{
	struct thrift_field field = {0};
	size_t before = reader->chunks.len;
	int64_t rows = -1;
	int ret = 0;

	while (!ret && thrift_in_next(in, &field)) {
		if (field.id == PARQUET_GROUP_COLUMNS)
			ret = chunks_parse(reader, in);
		else if (field.id == PARQUET_GROUP_NR_ROWS)
			rows = thrift_in_number(in);
		else
			thrift_in_skip(in, &field);
	}
	if (!ret && (rows < 0 || reader->chunks.len != before + reader->leaves.len))
		ret = -EINVAL;
	return ret ? ret : tally_vec_push(&reader->rows, (uint64_t)rows);
}

static int groups_parse(struct tally_parquet_reader *reader, struct thrift_in *in)
{
	int type, ret = 0;
	size_t nr = thrift_in_list(in, &type);

	if (reader->rows.len || !reader->leaves.len)
		return -EINVAL;
	while (nr-- && !ret && !in->failed)
		ret = group_parse(reader, in);
	return ret;
}

/* ---- file ------------------------------------------------------------------------ */

int parquet_meta_parse(struct tally_parquet_reader *reader, const uint8_t *bytes, size_t len,
		       struct tally_error *err)
{
	struct thrift_in in = {bytes, bytes + len, false};
	struct thrift_field field = {0};
	int ret = 0;

	while (!ret && thrift_in_next(&in, &field)) {
		if (field.id == PARQUET_FILE_SCHEMA)
			ret = schema_parse(reader, &in);
		else if (field.id == PARQUET_FILE_GROUPS)
			ret = groups_parse(reader, &in);
		else
			thrift_in_skip(&in, &field);
	}
	if (!ret && (in.failed || !reader->leaves.len))
		ret = -EINVAL;
	if (ret == -EINVAL)
		return tally_error_at(err, ret, "the file's metadata are damaged",
				      (uint64_t)(in.at - reader->bytes));
	if (ret == -EFBIG)
		return tally_error_at(err, ret, "the file has too many values for its size", 0);
	return ret;
}
