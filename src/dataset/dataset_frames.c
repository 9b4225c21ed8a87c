/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows of the table of frames. */
#include <errno.h>
#include <stdlib.h>

#include "base/arith.h"
#include "base/content_id.h"
#include "dataset/dataset_private.h"
#include "symbols/lines/symbols_lines.h"

static const char *mode_text(uint8_t cpumode)
{
	static const char *const names[] = {
		[PERF_RECORD_MISC_KERNEL] = "kernel",
		[PERF_RECORD_MISC_USER] = "user",
		[PERF_RECORD_MISC_HYPERVISOR] = "hypervisor",
		[PERF_RECORD_MISC_GUEST_KERNEL] = "guest kernel",
		[PERF_RECORD_MISC_GUEST_USER] = "guest user",
	};
	const char *name = cpumode <= PERF_RECORD_MISC_GUEST_USER ? names[cpumode] : NULL;

	return name ? name : "unknown";
}

/* Append a build ID in hexadecimal to dataset->text, after clearing it. Returns the text, or NULL
 * if the build ID is unknown. */
static const char *build_id_text(struct tally_dataset *dataset, struct tally_dso *dso)
{
	size_t size = 0;
	const uint8_t *id = dso ? tally_dso_build_id(dso, &size) : NULL;

	tally_str_clear(&dataset->text);
	tally_str_add_hex_bytes(&dataset->text, id, size);
	return size ? tally_str_text(&dataset->text) : NULL;
}

static const char *module_of(const struct dataset_frame *frame)
{
	return frame->dso ? tally_dso_name(frame->dso) : NULL;
}

/* ---- rows ------------------------------------------------------------------------ */

/* The columns that differ among the rows of a frame. */
struct frame_row {
	const char *function; /* NULL if unknown */
	const char *file;     /* NULL if unknown */
	uint32_t line;
};

/* The functions that contain a frame's address: first those that are inlined there. */
struct frame_rows {
	TALLY_VEC(struct frame_row) rows;
};

/* Return a function's name, or NULL if it is unknown. */
static const char *name_of(const struct dataset_frame *frame, const struct tally_symbol *symbol)
{
	const char *name = symbol ? tally_symbol_name(frame->dso, symbol) : "";

	return *name ? name : NULL;
}

static uint64_t line_address(const struct dataset_frame *frame)
{
	return tally_line_address(frame->symbol, frame->addr, frame->is_return);
}

static int rows_push(struct frame_rows *rows, const struct dataset_frame *frame,
		     const struct tally_symbol *symbol, const struct tally_line *line)
{
	const char *file = line && tally_line_file_name(line) ? line->file : NULL;

	return tally_vec_push(&rows->rows, (struct frame_row){
						   .function = name_of(frame, symbol),
						   .file = file,
						   .line = file ? line->line : 0,
					   });
}

/* Return true if a frame's functions are left to be looked up by build ID. The files with all other
 * names exist only on the machine of the recording. */
static bool is_left(const struct tally_dataset *dataset, const struct dataset_frame *frame)
{
	size_t size = 0;

	return dataset->options.is_unresolved && frame->dso &&
	       tally_dso_kind(frame->dso) == TALLY_DSO_USER &&
	       tally_dso_build_id(frame->dso, &size) && size;
}

/* Set `rows` to those of a frame. Returns 0 or -ENOMEM. */
static int rows_make(const struct tally_dataset *dataset, const struct dataset_frame *frame,
		     struct frame_rows *rows)
{
	const struct tally_symbol *symbol;
	const struct tally_line *lines;
	size_t nr = 0;
	int ret = 0;

	rows->rows.len = 0;
	if (is_left(dataset, frame))
		return rows_push(rows, frame, NULL, NULL);
	if (frame->dso)
		nr = tally_dso_lines(frame->dso, line_address(frame), &lines, NULL);
	if (dataset->options.no_inline)
		nr = TALLY_MIN(nr, (size_t)1); /* the line of the instruction itself */
	for (size_t i = 0; i + 1 < nr && !ret; i++) {
		ret = tally_line_symbol(frame->dso, &lines[i], &symbol);
		ret = ret ? ret : rows_push(rows, frame, symbol, &lines[i]);
	}
	return ret ? ret : rows_push(rows, frame, frame->symbol, nr ? &lines[nr - 1] : NULL);
}

/* Set a frame's ID, which identifies everything in its rows. Returns 0 or -ENOMEM. */
static int id_make(struct tally_dataset *dataset, const struct frame_rows *rows,
		   struct dataset_frame *frame)
{
	struct tally_str *bytes = &dataset->bytes;

	tally_str_clear(bytes);
	tally_content_add(bytes, frame->address);
	tally_content_add(bytes, frame->cpumode);
	tally_content_add(bytes, frame->is_return);
	tally_content_add(bytes, is_left(dataset, frame));
	tally_content_add_text(bytes, module_of(frame));
	tally_content_add_text(bytes, build_id_text(dataset, frame->dso));
	tally_vec_for_each (row, &rows->rows) {
		tally_content_add_text(bytes, row->function);
		tally_content_add_text(bytes, row->file);
		tally_content_add(bytes, row->line);
	}
	frame->id = tally_content_id(tally_str_text(bytes), bytes->len);
	return tally_str_error(bytes);
}

static int row_add(struct tally_dataset *dataset, const struct dataset_frame *frame,
		   const struct frame_rows *rows, size_t depth)
{
	enum tally_dataset_table table = TALLY_DATASET_FRAMES;
	struct tally_parquet *writer = dataset->files[table].writer;
	const struct frame_row *row = &rows->rows.data[depth];
	const char *build_id = build_id_text(dataset, frame->dso);

	tally_parquet_add(writer, FRAME_ID, frame->id);
	tally_parquet_add(writer, FRAME_DEPTH, depth);
	if (build_id)
		tally_parquet_add_text(writer, FRAME_BUILD_ID, build_id, dataset->text.len);
	else
		tally_parquet_add_null(writer, FRAME_BUILD_ID);
	dataset_add_text(dataset, table, FRAME_FUNCTION, row->function);
	dataset_add_text(dataset, table, FRAME_FILE, row->file);
	if (row->line)
		tally_parquet_add(writer, FRAME_LINE, row->line);
	else
		tally_parquet_add_null(writer, FRAME_LINE);
	dataset_add_text(dataset, table, FRAME_MODULE, module_of(frame));
	tally_parquet_add(writer, FRAME_ADDRESS, frame->address);
	dataset_add_text(dataset, table, FRAME_MODE, mode_text(frame->cpumode));
	tally_parquet_add(writer, FRAME_INLINED, depth + 1 < rows->rows.len);
	tally_parquet_add(writer, FRAME_IS_RETURN, frame->is_return);
	return tally_parquet_end_row(writer);
}

/* ---- frames ---------------------------------------------------------------------- */

static int rows_add(struct tally_dataset *dataset, const struct dataset_frame *frame,
		    const struct frame_rows *rows)
{
	int ret = 0;

	for (size_t i = 0; i < rows->rows.len && !ret; i++)
		ret = row_add(dataset, frame, rows, i);
	return ret;
}

int dataset_frame_write(struct tally_dataset *dataset, const struct dataset_frame *frame)
{
	struct frame_rows rows = {0};
	int ret = rows_make(dataset, frame, &rows);

	ret = ret ? ret : rows_add(dataset, frame, &rows);
	tally_vec_free(&rows.rows);
	return ret;
}

static int frame_add(struct tally_dataset *dataset, struct dataset_frame *frame,
		     struct frame_rows *rows)
{
	int ret = rows_make(dataset, frame, rows);

	ret = ret ? ret : id_make(dataset, rows, frame);
	if (ret || !dataset_is_new(&dataset->frames, frame->id, &ret))
		return ret;
	return rows_add(dataset, frame, rows);
}

void dataset_lines_prepare(const struct tally_dataset *dataset, const struct dataset_frame *frames,
			   size_t nr)
{
	struct tally_dso_address *all = calloc(nr + 1, sizeof(*all));
	size_t nr_mapped = 0;

	/* If memory runs out, each is looked up separately. */
	for (size_t i = 0; i < nr && all; i++) {
		if (frames[i].dso && !is_left(dataset, &frames[i]))
			all[nr_mapped++] =
				(struct tally_dso_address){frames[i].dso, line_address(&frames[i])};
	}
	if (all)
		tally_lines_prepare(all, nr_mapped);
	free(all);
}

int dataset_frames_add(struct dataset_recording *recording)
{
	struct dataset_places *places = &recording->places;
	struct tally_dataset *dataset = recording->dataset;
	struct dataset_frame *frames = places->frames.data + places->nr_added;
	size_t nr = places->frames.len - places->nr_added;
	struct frame_rows rows = {0};
	int ret = 0;

	dataset_lines_prepare(dataset, frames, nr);
	for (size_t i = 0; i < nr && !ret; i++)
		ret = frame_add(dataset, &frames[i], &rows);
	places->nr_added = places->frames.len;
	tally_vec_free(&rows.rows);
	return ret;
}
