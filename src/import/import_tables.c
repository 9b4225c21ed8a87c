/* SPDX-License-Identifier: BSD-2-Clause */
/* Read the tables of a data set. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/hash.h"
#include "import/import_dataset.h"
#include "profile/process/machine.h"

/* Read all rows of a file. `needed` is the number of columns that must exist; they come first. */
typedef int row_fn(struct import_tables *tables, const struct import_columns *columns, size_t row);

static int rows_read(struct import_tables *tables, const struct import_input *input,
		     const struct import_column *wanted, size_t nr, size_t needed, row_fn *add)
{
	struct import_columns columns;
	int ret = import_columns_open(&columns, wanted, nr, input);

	if (ret)
		return ret;
	for (size_t i = 0; i < needed && !ret; i++) {
		if (columns.leaf[i] != SIZE_MAX)
			continue;
		tally_message_error(input->messages, "%s has no column '%s'", input->path,
				    wanted[i].names[0]);
		ret = -EINVAL;
	}
	for (size_t group = 0; !ret && group < import_nr_groups(&columns); group++) {
		ret = import_group_read(&columns, group);
		for (size_t row = 0; !ret && row < columns.rows; row++)
			ret = add(tables, &columns, row);
	}
	import_columns_close(&columns);
	return ret;
}

/* Set `*ret_text` to the text of a cell, or IMPORT_NONE for null. */
static int text_get(struct import_tables *tables, const struct import_columns *columns,
		    size_t column, size_t row, uint32_t *ret_text)
{
	struct tally_parquet_text text;

	*ret_text = IMPORT_NONE;
	if (!import_cell_text(columns, column, row, &text))
		return 0;
	return import_text(tables->imported, text.bytes, text.len, ret_text);
}

/* ---- frames ---------------------------------------------------------------------- */

enum {
	FRAME_ID,
	FRAME_DEPTH,
	FRAME_FUNCTION,
	FRAME_MODULE,
	FRAME_MODE,
	FRAME_FILE,
	FRAME_LINE,
	FRAME_IS_RETURN,
	FRAME_ADDRESS,
	NR_FRAME_COLUMNS,
};

static const struct import_column frame_columns[] = {
	[FRAME_ID] = {{"frame"}, IMPORT_NUMBER},
	[FRAME_DEPTH] = {{"depth"}, IMPORT_NUMBER},
	[FRAME_FUNCTION] = {{"function"}, IMPORT_TEXT},
	[FRAME_MODULE] = {{"module"}, IMPORT_TEXT},
	[FRAME_MODE] = {{"mode"}, IMPORT_TEXT},
	[FRAME_FILE] = {{"file"}, IMPORT_TEXT},
	[FRAME_LINE] = {{"line"}, IMPORT_NUMBER},
	[FRAME_IS_RETURN] = {{"is_return"}, IMPORT_NUMBER},
	[FRAME_ADDRESS] = {{"address"}, IMPORT_NUMBER},
};

/* Find the module of a frame. A kernel without a module was hidden from the recorder. */
static int module_get(struct import_tables *tables, const struct import_columns *columns,
		      size_t row, uint32_t *ret_module)
{
	struct tally_parquet_text mode = {"user", 4};
	uint64_t is_return = 0;
	uint32_t name;
	int ret = text_get(tables, columns, FRAME_MODULE, row, &name);
	bool is_kernel;

	*ret_module = IMPORT_NONE;
	(void)import_cell_text(columns, FRAME_MODE, row, &mode);
	(void)import_cell_number(columns, FRAME_IS_RETURN, row, &is_return);
	is_kernel = mode.len == 6 && !memcmp(mode.bytes, "kernel", 6);
	tables->imported->is_walked |= is_return && !is_kernel;
	if (!ret && name == IMPORT_NONE && is_kernel)
		ret = import_text(tables->imported, TALLY_HIDDEN_KERNEL,
				  strlen(TALLY_HIDDEN_KERNEL), &name);
	return ret || name == IMPORT_NONE
		       ? ret
		       : import_module(tables->imported, name, is_kernel, ret_module);
}

static int frame_row_add(struct import_tables *tables, const struct import_columns *columns,
			 size_t row)
{
	struct import_frame frame = {0};
	uint64_t depth = 0, line = 0;
	int ret;

	if (!import_cell_number(columns, FRAME_ID, row, &frame.id))
		return 0;
	(void)import_cell_number(columns, FRAME_DEPTH, row, &depth);
	(void)import_cell_number(columns, FRAME_LINE, row, &line);
	frame.depth = (uint32_t)TALLY_MIN(depth, (uint64_t)UINT32_MAX);
	frame.row.line = (uint32_t)line;
	ret = text_get(tables, columns, FRAME_FUNCTION, row, &frame.row.function);
	ret = ret ? ret : text_get(tables, columns, FRAME_FILE, row, &frame.row.file);
	ret = ret ? ret : module_get(tables, columns, row, &frame.module);
	if (frame.row.function == IMPORT_NONE)
		(void)import_cell_number(columns, FRAME_ADDRESS, row, &frame.address);
	return ret ? ret : tally_vec_push(&tables->frames, frame);
}

int import_frames_read(struct import_tables *tables, const struct import_input *input)
{
	return rows_read(tables, input, frame_columns, NR_FRAME_COLUMNS, FRAME_MODE, frame_row_add);
}

static int frame_compare(const void *a_, const void *b_)
{
	const struct import_frame *a = a_, *b = b_;

	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	if (a->depth != b->depth)
		return a->depth < b->depth ? -1 : 1;
	/* Other hosts may have the function. */
	return (a->row.function == IMPORT_NONE) - (b->row.function == IMPORT_NONE);
}

/* Make the place of the frame with the rows frames[0] to frames[nr - 1], without duplicates. */
static int frame_place(struct import_tables *tables, const struct import_frame *frames, size_t nr)
{
	struct import_row *rows = calloc(nr, sizeof(*rows));
	const struct import_place at = {.recorded = frames[0].address, .module = frames[0].module};
	uint32_t left = 0, place;
	int ret = rows ? 0 : -ENOMEM;

	for (size_t i = 0; i < nr && !ret; i++) {
		if (!i || frames[i].depth != frames[i - 1].depth)
			rows[left++] = frames[i].row;
	}
	ret = ret ? ret : import_place(tables->imported, &at, rows, left, &place);
	free(rows);
	return ret ? ret : tally_map_set(&tables->place_of, frames[0].id, place);
}

int import_frames_place(struct import_tables *tables)
{
	size_t nr = tables->frames.len;
	int ret = 0;

	if (nr)
		qsort(tables->frames.data, nr, sizeof(*tables->frames.data), frame_compare);
	for (size_t first = 0, end; first < nr && !ret; first = end) {
		const struct import_frame *frames = tables->frames.data;

		for (end = first + 1; end < nr && frames[end].id == frames[first].id;)
			end++;
		ret = frame_place(tables, &frames[first], end - first);
	}
	tally_vec_free(&tables->frames);
	return ret;
}

/* ---- stacks ---------------------------------------------------------------------- */

enum { STACK_ID, STACK_FRAMES, NR_STACK_COLUMNS };

static const struct import_column stack_columns[] = {
	[STACK_ID] = {{"stack"}, IMPORT_NUMBER},
	[STACK_FRAMES] = {{"frames"}, IMPORT_NUMBER},
};

static int stack_row_add(struct import_tables *tables, const struct import_columns *columns,
			 size_t row)
{
	const struct tally_parquet_cells *cells = &columns->cells[STACK_FRAMES];
	uint64_t id, place;
	uint32_t number;
	int ret = 0;

	tables->places.len = 0;
	if (!import_cell_number(columns, STACK_ID, row, &id) ||
	    tally_map_get(&tables->stack_of, id) != TALLY_MAP_NONE)
		return 0;
	for (uint32_t i = cells->starts.data[row]; i < cells->starts.data[row + 1] && !ret; i++) {
		place = tally_map_get(&tables->place_of, cells->numbers.data[i]);
		if (place != TALLY_MAP_NONE)
			ret = tally_vec_push(&tables->places, (uint32_t)place);
		else
			tables->imported->notes.missing++;
	}
	ret = ret ? ret
		  : import_stack(tables->imported, tables->places.data,
				 (uint32_t)tables->places.len, &number);
	return ret ? ret : tally_map_set(&tables->stack_of, id, number);
}

int import_stacks_read(struct import_tables *tables, const struct import_input *input)
{
	return rows_read(tables, input, stack_columns, NR_STACK_COLUMNS, NR_STACK_COLUMNS,
			 stack_row_add);
}

/* ---- recordings ------------------------------------------------------------------ */

enum { RECORDING_ID, RECORDING_HOST, RECORDING_LOST, NR_RECORDING_COLUMNS };

static const struct import_column recording_columns[] = {
	[RECORDING_ID] = {{"recording"}, IMPORT_NUMBER},
	[RECORDING_HOST] = {{"hostname"}, IMPORT_TEXT},
	[RECORDING_LOST] = {{"lost_samples"}, IMPORT_NUMBER},
};

/* Return a key for a copy of a recording in a file. */
static uint64_t copy_key(uint64_t recording, uint32_t rest)
{
	return tally_hash_u64(recording, rest);
}

static int recording_row_add(struct import_tables *tables, const struct import_columns *columns,
			     size_t row)
{
	uint32_t host;
	uint64_t id;
	int ret = text_get(tables, columns, RECORDING_HOST, row, &host);

	/* The same recording may be in several files; the first one is used. */
	if (ret || !import_cell_number(columns, RECORDING_ID, row, &id))
		return ret;
	if (tally_map_get(&tables->host_of, id) != TALLY_MAP_NONE)
		return tally_map_set(&tables->copies, copy_key(id, tables->rest), 0);
	tables->imported->lost += import_cell_weight(columns, RECORDING_LOST, row);
	ret = tally_map_set(&tables->file_of, id, tables->rest);
	return ret ? ret : tally_map_set(&tables->host_of, id, host);
}

int import_recordings_read(struct import_tables *tables, const struct import_input *input)
{
	return rows_read(tables, input, recording_columns, NR_RECORDING_COLUMNS, 1,
			 recording_row_add);
}

/* ---- samples --------------------------------------------------------------------- */

enum {
	SAMPLE_STACK,
	SAMPLE_PERIOD,
	SAMPLE_COMM,
	SAMPLE_EVENT,
	SAMPLE_RECORDING,
	SAMPLE_TIME,
	SAMPLE_PID,
	SAMPLE_TID,
	SAMPLE_CPU,
	NR_SAMPLE_COLUMNS,
};

static const struct import_column sample_columns[] = {
	[SAMPLE_STACK] = {{"stack"}, IMPORT_NUMBER},
	[SAMPLE_PERIOD] = {{"period"}, IMPORT_NUMBER},
	[SAMPLE_COMM] = {{"comm"}, IMPORT_TEXT},
	[SAMPLE_EVENT] = {{"event"}, IMPORT_TEXT},
	[SAMPLE_RECORDING] = {{"recording"}, IMPORT_NUMBER},
	[SAMPLE_TIME] = {{"time_ns"}, IMPORT_NUMBER},
	[SAMPLE_PID] = {{"pid"}, IMPORT_NUMBER},
	[SAMPLE_TID] = {{"tid"}, IMPORT_NUMBER},
	[SAMPLE_CPU] = {{"cpu"}, IMPORT_NUMBER},
};

static int sample_thread(struct import_tables *tables, const struct import_columns *columns,
			 size_t row, struct import_sample *sample)
{
	uint64_t pid = UINT32_MAX, tid = UINT32_MAX, recording = 0;
	struct import_thread thread;

	(void)import_cell_number(columns, SAMPLE_PID, row, &pid);
	(void)import_cell_number(columns, SAMPLE_TID, row, &tid);
	(void)import_cell_number(columns, SAMPLE_RECORDING, row, &recording);
	thread = (struct import_thread){
		.host = tally_map_get(&tables->host_of, recording),
		.pid = (int32_t)pid,
		.tid = (int32_t)tid,
	};
	return import_thread(tables->imported, &thread, &sample->thread);
}

static int sample_names(struct import_tables *tables, const struct import_columns *columns,
			size_t row, struct import_sample *sample)
{
	struct tally_parquet_text comm = {"[unknown]", 9}, event = {"samples", 7};
	uint32_t name;
	int ret;

	(void)import_cell_text(columns, SAMPLE_COMM, row, &comm);
	(void)import_cell_text(columns, SAMPLE_EVENT, row, &event);
	ret = import_text(tables->imported, comm.bytes, comm.len, &sample->comm);
	ret = ret ? ret : import_text(tables->imported, event.bytes, event.len, &name);
	return ret ? ret : import_event(tables->imported, name, &sample->event);
}

/* Set the sample's stack. A stack that the tables do not contain is empty. */
static void sample_stack(struct import_tables *tables, const struct import_columns *columns,
			 size_t row, struct import_sample *sample)
{
	uint64_t id, number = TALLY_MAP_NONE;

	sample->stack = TALLY_STACK_NONE;
	if (!import_cell_number(columns, SAMPLE_STACK, row, &id))
		return;
	number = tally_map_get(&tables->stack_of, id);
	tables->imported->notes.missing += number == TALLY_MAP_NONE;
	if (number != TALLY_MAP_NONE)
		sample->stack = (uint32_t)number;
}

/* Return true if the sample belongs to a copy of a recording that is in another file, too. A file
 * of samples has the same name as that of its recordings, unless a query engine wrote them. */
static bool is_copy(const struct import_tables *tables, const struct import_columns *columns,
		    size_t row)
{
	uint64_t id;

	return import_cell_number(columns, SAMPLE_RECORDING, row, &id) &&
	       tally_map_get(&tables->copies, copy_key(id, tables->rest)) != TALLY_MAP_NONE &&
	       tally_map_get(&tables->file_of, id) != tables->rest;
}

static int sample_row_add(struct import_tables *tables, const struct import_columns *columns,
			  size_t row)
{
	struct import_sample sample = {.cpu = IMPORT_NONE};
	struct imported *imported = tables->imported;
	uint64_t cpu;
	int ret;

	if (is_copy(tables, columns, row))
		return 0;
	ret = sample_thread(tables, columns, row, &sample);
	ret = ret ? ret : sample_names(tables, columns, row, &sample);
	sample_stack(tables, columns, row, &sample);
	sample.weight = import_cell_weight(columns, SAMPLE_PERIOD, row);
	imported->has_times |= import_cell_number(columns, SAMPLE_TIME, row, &sample.time);
	if (import_cell_number(columns, SAMPLE_CPU, row, &cpu)) {
		sample.cpu = (uint32_t)cpu;
		imported->has_cpus = true;
	}
	return ret ? ret : tally_vec_push(&imported->samples, sample);
}

int import_samples_read(struct import_tables *tables, const struct import_input *input)
{
	return rows_read(tables, input, sample_columns, NR_SAMPLE_COLUMNS, SAMPLE_RECORDING,
			 sample_row_add);
}
