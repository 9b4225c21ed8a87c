/* SPDX-License-Identifier: BSD-2-Clause */
/* A Parquet file with a row for each stack, as the result of a query. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "import/import_columns.h"
#include "import/import_stacks.h"

/* Columns. All but the first two are optional. */
enum { STACK, WEIGHT, COMM, EVENT, TIME, PID, TID, CPU, NR_COLUMNS };

/* Names of each column; the first that exists is used. */
static const struct import_column columns[NR_COLUMNS] = {
	[STACK] = {{"stack", "stacks", "folded"}, IMPORT_TEXT},
	[WEIGHT] = {{"value", "weight", "period", "samples", "count"}, IMPORT_NUMBER},
	[COMM] = {{"comm"}, IMPORT_TEXT},
	[EVENT] = {{"event"}, IMPORT_TEXT},
	[TIME] = {{"time_ns"}, IMPORT_NUMBER},
	[PID] = {{"pid"}, IMPORT_NUMBER},
	[TID] = {{"tid"}, IMPORT_NUMBER},
	[CPU] = {{"cpu"}, IMPORT_NUMBER},
};

/* A text that was read, and a sample with its stack. */
struct table_text {
	struct import_sample sample;
	uint32_t len;
};

struct table_reading {
	struct import_stacks stacks;
	struct import_columns columns;
	bool has_list; /* stacks are lists of functions */
	/* Samples with the stacks of texts in the row group; index by the address of the text. */
	TALLY_VEC(struct table_text) texts;
	struct tally_map known;
};

/* Set the sample's comm, and a thread of this comm. */
static int comm_set(struct table_reading *reading, size_t row, struct import_sample *sample)
{
	struct tally_parquet_text comm = {"[unknown]", 9};

	(void)import_cell_text(&reading->columns, COMM, row, &comm);
	return import_comm_set(&reading->stacks, comm.bytes, comm.len, sample);
}

/* Set the sample's thread to the recorded one, if there is one. */
static int thread_set(struct table_reading *reading, size_t row, struct import_sample *sample)
{
	uint64_t pid = 0, tid = 0;
	bool has_pid = import_cell_number(&reading->columns, PID, row, &pid);
	bool has_tid = import_cell_number(&reading->columns, TID, row, &tid);
	struct import_thread thread;

	if (!has_pid && !has_tid)
		return 0;
	thread = (struct import_thread){0, (int32_t)(has_pid ? pid : tid),
					(int32_t)(has_tid ? tid : pid)};
	return import_thread(reading->stacks.imported, &thread, &sample->thread);
}

static int event_set(struct table_reading *reading, size_t row, struct import_sample *sample)
{
	struct tally_parquet_text name = {"samples", 7};
	uint32_t text;
	int ret;

	(void)import_cell_text(&reading->columns, EVENT, row, &name);
	ret = import_text(reading->stacks.imported, name.bytes, name.len, &text);
	return ret ? ret : import_event(reading->stacks.imported, text, &sample->event);
}

/* Set the sample's stack from text, and its comm and thread if the text begins with the comm. Rows
 * of a dictionary share texts, which are read once. */
static int folded_set(struct table_reading *reading, const struct tally_parquet_text *text,
		      struct import_sample *sample)
{
	bool has_comm = reading->columns.leaf[COMM] == SIZE_MAX;
	uint64_t known = tally_map_get(&reading->known, (uintptr_t)text->bytes);
	const struct table_text *before;
	int ret;

	before = known == TALLY_MAP_NONE ? NULL : &reading->texts.data[known];
	if (before && before->len == text->len) {
		sample->stack = before->sample.stack;
		sample->comm = has_comm ? before->sample.comm : sample->comm;
		sample->thread = has_comm ? before->sample.thread : sample->thread;
		return 0;
	}
	ret = import_folded_set(&reading->stacks, text->bytes, text->len, has_comm, sample);
	ret = ret ? ret : tally_vec_push(&reading->texts, (struct table_text){*sample, text->len});
	return ret ? ret
		   : tally_map_set(&reading->known, (uintptr_t)text->bytes, reading->texts.len - 1);
}

static int stack_set(struct table_reading *reading, size_t row, struct import_sample *sample)
{
	const struct tally_parquet_cells *cells = &reading->columns.cells[STACK];
	uint32_t first = cells->starts.data[row], end = cells->starts.data[row + 1];
	int ret = 0;

	if (!reading->has_list && first < end)
		return folded_set(reading, &cells->texts.data[first], sample);
	reading->stacks.imported->notes.cut += end - first > IMPORT_FRAMES_MAX;
	end = TALLY_MIN(end, first + IMPORT_FRAMES_MAX);
	for (uint32_t i = first; i < end && !ret; i++) {
		const struct tally_parquet_text *name = &cells->texts.data[i];

		ret = name->bytes ? import_function_add(&reading->stacks, name->bytes, name->len)
				  : import_function_add(&reading->stacks, "[unknown]", 9);
	}
	return ret ? ret : import_stack_set(&reading->stacks, sample);
}

static int row_add(struct table_reading *reading, size_t row)
{
	struct imported *imported = reading->stacks.imported;
	struct import_sample sample = {.cpu = IMPORT_NONE};
	uint64_t cpu;
	int ret = comm_set(reading, row, &sample);

	reading->stacks.line++;
	sample.weight = import_cell_weight(&reading->columns, WEIGHT, row);
	imported->has_times |= import_cell_number(&reading->columns, TIME, row, &sample.time);
	if (import_cell_number(&reading->columns, CPU, row, &cpu)) {
		sample.cpu = (uint32_t)cpu;
		imported->has_cpus = true;
	}
	ret = ret ? ret : event_set(reading, row, &sample);
	ret = ret ? ret : stack_set(reading, row, &sample);
	ret = ret ? ret : thread_set(reading, row, &sample);
	return ret ? ret : import_sample_add(&reading->stacks, &sample);
}

static int rows_add(struct table_reading *reading)
{
	int ret = 0;

	for (size_t group = 0; !ret && group < import_nr_groups(&reading->columns); group++) {
		ret = import_group_read(&reading->columns, group);
		reading->texts.len = 0;
		tally_map_free(&reading->known);
		for (size_t row = 0; !ret && row < reading->columns.rows; row++)
			ret = row_add(reading, row);
	}
	return ret;
}

/* Check that the columns that are needed exist. */
static int columns_check(const struct import_columns *opened, const struct import_input *input)
{
	static const char *const needed[] = {"stack", "value"};

	for (size_t i = STACK; i <= WEIGHT; i++) {
		if (opened->leaf[i] != SIZE_MAX)
			continue;
		tally_message_error(input->messages, "%s has no column '%s'", input->path,
				    needed[i]);
		tally_message_hint(input->messages,
				   "a query's result needs the columns stack (text "
				   "'comm;outermost;...;innermost', or a list of "
				   "functions, innermost first) and value");
		return -EINVAL;
	}
	return 0;
}

int import_table(struct imported *imported, const struct import_input *input)
{
	struct table_reading reading = {
		.stacks = {imported, input->path, input->messages},
	};
	int ret = import_columns_open(&reading.columns, columns, NR_COLUMNS, input);

	if (ret)
		return ret;
	ret = columns_check(&reading.columns, input);
	if (!ret) {
		reading.has_list = import_leaf(&reading.columns, STACK)->is_list;
		ret = rows_add(&reading);
	}
	tally_vec_free(&reading.texts);
	tally_map_free(&reading.known);
	import_columns_close(&reading.columns);
	import_stacks_free(&reading.stacks);
	return ret;
}
