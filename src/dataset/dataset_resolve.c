/* SPDX-License-Identifier: BSD-2-Clause */
#include "dataset/dataset_resolve.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/scan.h"
#include "dataset/dataset_private.h"
#include "parquet/parquet_read.h"

enum { COLUMNS_MAX = 32 };

/* A file that is read, and the file that replaces it. */
struct rewriting {
	struct tally_dataset_rewrite *rewrite;
	const struct dataset_schema *schema;
	struct tally_parquet_reader *reader;
	struct tally_parquet *writer; /* NULL if nothing is written */
	struct tally_parquet_cells cells[COLUMNS_MAX];
	struct tally_str text; /* buffer */
};

/* ---- reading --------------------------------------------------------------------- */

/* Check that the file has exactly the columns of the table. */
static int columns_check(const struct rewriting *rewriting)
{
	size_t nr = tally_parquet_nr_leaves(rewriting->reader);
	bool is_same = nr == rewriting->schema->nr;

	for (size_t i = 0; i < nr && is_same; i++) {
		const struct tally_parquet_column *column = &rewriting->schema->columns[i];
		const struct tally_parquet_leaf *leaf = tally_parquet_leaf(rewriting->reader, i);
		enum tally_parquet_kind kind = column->type == TALLY_PARQUET_TEXT
						       ? TALLY_PARQUET_TEXTS
						       : TALLY_PARQUET_NUMBERS;

		is_same = !strcmp(leaf->name, column->name) && leaf->kind == kind &&
			  leaf->is_list == (column->shape >= TALLY_PARQUET_LIST);
	}
	return is_same ? 0
		       : tally_error_at(&rewriting->rewrite->err, -EINVAL,
					"this is not a table of this version of tally export", 0);
}

static int rewriting_begin(struct rewriting *rewriting, struct tally_dataset_rewrite *rewrite,
			   enum tally_dataset_table table)
{
	int ret;

	*rewriting = (struct rewriting){.rewrite = rewrite, .schema = &dataset_schemas[table]};
	ret = tally_parquet_reader_open(rewrite->bytes, rewrite->len, &rewrite->err,
					&rewriting->reader);
	return ret ? ret : columns_check(rewriting);
}

static int writer_open(struct rewriting *rewriting)
{
	const struct tally_parquet_table table = {
		.columns = rewriting->schema->columns,
		.nr_columns = rewriting->schema->nr,
		.created_by = rewriting->rewrite->created_by,
		.write = rewriting->rewrite->write,
		.arg = rewriting->rewrite->arg,
	};

	return tally_parquet_open(&table, &rewriting->writer);
}

static int rewriting_end(struct rewriting *rewriting, int ret)
{
	ret = tally_parquet_close(rewriting->writer, ret);
	for (size_t i = 0; i < rewriting->schema->nr; i++)
		tally_parquet_cells_free(&rewriting->cells[i]);
	tally_parquet_reader_close(rewriting->reader);
	if (!ret)
		ret = tally_str_error(&rewriting->text);
	tally_str_free(&rewriting->text);
	return ret;
}

/* Read all columns of a row group. */
static int group_read(struct rewriting *rewriting, size_t group)
{
	int ret = 0;

	for (size_t i = 0; i < rewriting->schema->nr && !ret; i++)
		ret = tally_parquet_read(rewriting->reader, group, i, &rewriting->cells[i],
					 &rewriting->rewrite->err);
	for (size_t i = 0; i < rewriting->schema->nr && !ret; i++) {
		if (rewriting->cells[i].rows != rewriting->cells[0].rows)
			ret = -EINVAL;
	}
	return ret;
}

/* ---- copying --------------------------------------------------------------------- */

static size_t nr_values(const struct rewriting *rewriting, size_t column, size_t row)
{
	const uint32_t *starts = rewriting->cells[column].starts.data;

	return starts[row + 1] - starts[row];
}

/* Return a number, or 0 for null. */
static uint64_t number_at(const struct rewriting *rewriting, size_t column, size_t row)
{
	const struct tally_parquet_cells *cells = &rewriting->cells[column];

	return nr_values(rewriting, column, row) ? cells->numbers.data[cells->starts.data[row]] : 0;
}

static struct tally_parquet_text text_at(const struct rewriting *rewriting, size_t column,
					 size_t row)
{
	const struct tally_parquet_cells *cells = &rewriting->cells[column];

	return nr_values(rewriting, column, row) ? cells->texts.data[cells->starts.data[row]]
						 : (struct tally_parquet_text){"", 0};
}

/* Copy a text. Text of tally does not change; other text may not be UTF-8. */
static void text_copy(struct rewriting *rewriting, size_t column, struct tally_parquet_text text)
{
	tally_str_clear(&rewriting->text);
	tally_str_add_bytes(&rewriting->text, text.bytes ? text.bytes : "", text.len);
	tally_str_escape(&rewriting->text, 0);
	tally_parquet_add_text(rewriting->writer, column, tally_str_text(&rewriting->text),
			       rewriting->text.len);
}

/* Copy a column of a row. A missing value of a column that must have one is 0. */
static void cell_copy(struct rewriting *rewriting, size_t column, size_t row)
{
	const struct tally_parquet_column *of = &rewriting->schema->columns[column];
	const struct tally_parquet_cells *cells = &rewriting->cells[column];
	uint32_t first = cells->starts.data[row], end = cells->starts.data[row + 1];
	bool is_text = of->type == TALLY_PARQUET_TEXT;

	if (first == end && of->shape == TALLY_PARQUET_OPTIONAL)
		tally_parquet_add_null(rewriting->writer, column);
	else if (first == end && of->shape == TALLY_PARQUET_REQUIRED && is_text)
		tally_parquet_add_text(rewriting->writer, column, "", 0);
	else if (first == end && of->shape == TALLY_PARQUET_REQUIRED)
		tally_parquet_add(rewriting->writer, column, 0);
	for (uint32_t i = first; i < end; i++) {
		if (is_text)
			text_copy(rewriting, column, cells->texts.data[i]);
		else
			tally_parquet_add(rewriting->writer, column, cells->numbers.data[i]);
	}
}

static int row_copy(struct rewriting *rewriting, size_t row)
{
	for (size_t i = 0; i < rewriting->schema->nr; i++)
		cell_copy(rewriting, i, row);
	return tally_parquet_end_row(rewriting->writer);
}

/* ---- frames ---------------------------------------------------------------------- */

struct resolving {
	struct rewriting rewriting;
	struct tally_dataset dataset; /* for the rows */
	struct tally_symbols *symbols;
	TALLY_VEC(struct dataset_frame) frames; /* of the row group */
	TALLY_VEC(size_t) rows;                 /* their rows */
	struct tally_dataset_resolve_counts counts;
};

static bool is_user(struct tally_parquet_text mode)
{
	return mode.len == 4 && !memcmp(mode.bytes, "user", 4);
}

/* Convert a build ID. Returns its size, or 0 if it is not one. */
static size_t build_id_parse(struct tally_parquet_text text, uint8_t id[TALLY_BUILD_ID_MAX])
{
	size_t size = text.len / 2;

	if (text.len % 2 || size > TALLY_BUILD_ID_MAX)
		return 0;
	for (size_t i = 0; i < size; i++) {
		unsigned high = tally_digit(text.bytes[2 * i]),
			 low = tally_digit(text.bytes[2 * i + 1]);

		if (high > 15 || low > 15)
			return 0;
		id[i] = (uint8_t)(high << 4 | low);
	}
	return size;
}

/* Find the DSO in which to look up the function of a row. `*ret_dso` is NULL if the row has a
 * function, or cannot have one. */
static int dso_find(struct resolving *resolving, size_t row, struct tally_dso **ret_dso)
{
	const struct rewriting *rewriting = &resolving->rewriting;
	struct tally_parquet_text module = text_at(rewriting, FRAME_MODULE, row);
	struct tally_dso_key key = {.kind = TALLY_DSO_USER};
	uint8_t id[TALLY_BUILD_ID_MAX];
	char *name;
	int ret;

	*ret_dso = NULL;
	key.build_id = id;
	key.build_id_size = build_id_parse(text_at(rewriting, FRAME_BUILD_ID, row), id);
	if (nr_values(rewriting, FRAME_FUNCTION, row) || !module.len || !key.build_id_size ||
	    number_at(rewriting, FRAME_INLINED, row) ||
	    !is_user(text_at(rewriting, FRAME_MODE, row)))
		return 0;
	name = strndup(module.bytes, module.len);
	if (!name)
		return -ENOMEM;
	key.name = name;
	if (tally_dso_kind_of(name, false) != TALLY_DSO_USER)
		ret = 0;
	else
		ret = tally_dso_get(resolving->symbols, &key, ret_dso);
	free(name);
	return ret;
}

/* Collect the frames of a row group that are to be resolved. */
static int frames_collect(struct resolving *resolving)
{
	const struct rewriting *rewriting = &resolving->rewriting;
	int ret = 0;

	resolving->frames.len = 0;
	resolving->rows.len = 0;
	for (size_t row = 0; row < rewriting->cells[0].rows && !ret; row++) {
		struct dataset_frame frame = {
			.id = number_at(rewriting, FRAME_ID, row),
			.address = number_at(rewriting, FRAME_ADDRESS, row),
			.cpumode = PERF_RECORD_MISC_USER,
			.is_return = number_at(rewriting, FRAME_IS_RETURN, row),
		};

		ret = dso_find(resolving, row, &frame.dso);
		if (ret || !frame.dso)
			continue;
		frame.addr = frame.address;
		frame.symbol = tally_dso_find(frame.dso, frame.addr);
		resolving->counts.frames++;
		resolving->counts.resolved += frame.symbol != NULL;
		ret = tally_vec_push(&resolving->frames, frame);
		ret = ret ? ret : tally_vec_push(&resolving->rows, row);
	}
	return ret;
}

static int group_resolve(struct resolving *resolving)
{
	size_t at = 0, rows = resolving->rewriting.cells[0].rows;
	int ret = frames_collect(resolving);

	if (!ret)
		dataset_lines_prepare(&resolving->dataset, resolving->frames.data,
				      resolving->frames.len);
	for (size_t row = 0; row < rows && !ret; row++) {
		if (at < resolving->rows.len && resolving->rows.data[at] == row)
			ret = dataset_frame_write(&resolving->dataset,
						  &resolving->frames.data[at++]);
		else
			ret = row_copy(&resolving->rewriting, row);
	}
	return ret;
}

int tally_dataset_resolve(struct tally_dataset_rewrite *frames, struct tally_symbols *symbols,
			  struct tally_dataset_resolve_counts *ret_counts)
{
	struct resolving resolving = {.symbols = symbols};
	struct rewriting *rewriting = &resolving.rewriting;
	int ret = rewriting_begin(rewriting, frames, TALLY_DATASET_FRAMES);

	ret = ret ? ret : writer_open(rewriting);
	resolving.dataset.files[TALLY_DATASET_FRAMES].writer = rewriting->writer;
	for (size_t i = 0; !ret && i < tally_parquet_nr_groups(rewriting->reader); i++) {
		ret = group_read(rewriting, i);
		ret = ret ? ret : group_resolve(&resolving);
	}
	ret = rewriting_end(rewriting, ret);
	tally_vec_free(&resolving.frames);
	tally_vec_free(&resolving.rows);
	tally_str_free(&resolving.dataset.text);
	if (!ret)
		*ret_counts = resolving.counts;
	return ret;
}

/* ---- recordings ------------------------------------------------------------------ */

int tally_dataset_needs_resolve(struct tally_dataset_rewrite *recordings)
{
	struct rewriting rewriting;
	int ret = rewriting_begin(&rewriting, recordings, TALLY_DATASET_RECORDINGS);
	bool needs = false;

	for (size_t i = 0; !ret && i < tally_parquet_nr_groups(rewriting.reader); i++) {
		ret = group_read(&rewriting, i);
		for (size_t row = 0; !ret && row < rewriting.cells[0].rows; row++)
			needs |= !number_at(&rewriting, RECORDING_RESOLVED, row);
	}
	ret = rewriting_end(&rewriting, ret);
	return ret ? ret : needs;
}

static int row_mark(struct rewriting *rewriting, size_t row)
{
	for (size_t i = 0; i < rewriting->schema->nr; i++) {
		if (i == RECORDING_RESOLVED)
			tally_parquet_add(rewriting->writer, i, true);
		else
			cell_copy(rewriting, i, row);
	}
	return tally_parquet_end_row(rewriting->writer);
}

int tally_dataset_mark_resolved(struct tally_dataset_rewrite *recordings)
{
	struct rewriting rewriting;
	int ret = rewriting_begin(&rewriting, recordings, TALLY_DATASET_RECORDINGS);

	ret = ret ? ret : writer_open(&rewriting);
	for (size_t i = 0; !ret && i < tally_parquet_nr_groups(rewriting.reader); i++) {
		ret = group_read(&rewriting, i);
		for (size_t row = 0; !ret && row < rewriting.cells[0].rows; row++)
			ret = row_mark(&rewriting, row);
	}
	return rewriting_end(&rewriting, ret);
}
