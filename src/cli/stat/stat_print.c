/* SPDX-License-Identifier: BSD-2-Clause */
/* Iterate over a table. The output formats only print lines. */
#include <errno.h>
#include <stdlib.h>

#include "base/vec.h"
#include "cli/stat/stat_table.h"

static const struct stat_cell *cell_at(const struct stat_table *table, size_t row, size_t key)
{
	return &table->cells[row * table->nr_keys + key];
}

/* Collect a hybrid event's counts on each kind of core. */
static int line_parts(struct stat_printer *printer, const struct stat_table *table, size_t row,
		      size_t key)
{
	int ret = 0;

	printer->parts.len = 0;
	if (!table->parts || !table->rows[row].spec->hybrid || table->rows[row].apart)
		return 0;
	for (size_t i = row; i < table->nr_rows && !ret; i++) {
		struct stat_line part = {
			.row = &table->rows[i],
			.key = &table->keys[key],
			.cell = &table->parts[i * table->nr_keys + key],
		};

		if (part.row->merged_into == row && part.cell->nr)
			ret = tally_vec_push(&printer->parts, part);
	}
	return ret;
}

static int print_line(struct stat_printer *printer, const struct stat_table *table, size_t row,
		      size_t key)
{
	struct stat_line line = {
		.row = &table->rows[row],
		.key = &table->keys[key],
		.cell = cell_at(table, row, key),
	};
	int ret;

	if (!line.cell->nr || line.row->merged)
		return 0;
	printer->metrics.len = 0;
	ret = stat_metrics_of(table, row, key, &printer->metrics);
	if (!ret)
		ret = line_parts(printer, table, row, key);
	if (ret)
		return ret;
	line.metrics = printer->metrics.data;
	line.nr_metrics = printer->metrics.len;
	line.parts = printer->parts.data;
	line.nr_parts = printer->parts.len;
	printer->format->line(printer, table, &line);
	return 0;
}

static int print_keys_first(struct stat_printer *printer, const struct stat_table *table)
{
	int ret = 0;

	for (size_t key = 0; key < table->nr_keys; key++) {
		for (size_t row = 0; row < table->nr_rows && !ret; row++)
			ret = print_line(printer, table, row, key);
	}
	return ret;
}

/* ---- largest first -------------------------------------------------------- */

struct ranked {
	uint64_t value;
	size_t key;
};

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? 1 : -1;
	return (x->key > y->key) - (x->key < y->key);
}

static int print_by_value(struct stat_printer *printer, const struct stat_table *table, size_t row)
{
	struct ranked *ranked = calloc(table->nr_keys ? table->nr_keys : 1, sizeof(*ranked));
	size_t nr = 0;
	int ret = 0;

	if (!ranked)
		return -ENOMEM;
	for (size_t key = 0; key < table->nr_keys; key++) {
		const struct stat_cell *cell = cell_at(table, row, key);

		if (cell->nr && cell->value)
			ranked[nr++] = (struct ranked){cell->value, key};
	}
	qsort(ranked, nr, sizeof(*ranked), compare_ranked);
	for (size_t i = 0; i < nr && !ret; i++)
		ret = print_line(printer, table, row, ranked[i].key);
	free(ranked);
	return ret;
}

static int print_rows_first(struct stat_printer *printer, const struct stat_table *table)
{
	int ret = 0;

	for (size_t row = 0; row < table->nr_rows && !ret; row++) {
		if (table->by_value) {
			ret = print_by_value(printer, table, row);
			continue;
		}
		for (size_t key = 0; key < table->nr_keys && !ret; key++)
			ret = print_line(printer, table, row, key);
	}
	return ret;
}

/* ---- metrics only --------------------------------------------------------- */

static int print_metrics(struct stat_printer *printer, const struct stat_table *table)
{
	int ret = 0;

	for (size_t key = 0; key < table->nr_keys && !ret; key++) {
		printer->metrics.len = 0;
		for (size_t row = 0; row < table->nr_rows && !ret; row++)
			if (!table->rows[row].merged && cell_at(table, row, key)->nr)
				ret = stat_metrics_of(table, row, key, &printer->metrics);
		if (!ret)
			printer->format->metrics(printer, table, key);
	}
	return ret;
}

void stat_printer_free(struct stat_printer *printer)
{
	tally_str_free(&printer->out);
	tally_vec_free(&printer->metrics);
	tally_vec_free(&printer->parts);
}

int stat_print(struct stat_printer *printer, const struct stat_table *table)
{
	int ret = 0;

	if (printer->format->begin)
		printer->format->begin(printer, table);
	if (table->metric_only && printer->format->metrics)
		ret = print_metrics(printer, table);
	else if (table->mode->key_first)
		ret = print_keys_first(printer, table);
	else
		ret = print_rows_first(printer, table);
	if (printer->format->end)
		printer->format->end(printer, table);
	printer->tables++;
	return ret ? ret : tally_str_error(&printer->out);
}
