/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of tally c2c report: cache lines, and the places in them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/escape.h"
#include "cli/c2c/c2c_columns.h"
#include "cli/c2c/c2c_nodes.h"
#include "view/width.h"

static void add_cell(const struct c2c_column *column, const struct c2c_row *row,
		     struct tally_str *cell)
{
	tally_str_clear(cell);
	column->add(row, column->argument, cell);
	tally_str_escape(cell, 0);
}

/* Widen the columns of text for a row. */
static void measure(struct c2c_table *table, const struct c2c_row *row, struct tally_str *cell)
{
	for (int i = 0; i < table->nr; i++) {
		struct c2c_column *column = &table->columns[i];

		if (!column->is_left)
			continue;
		add_cell(column, row, cell);
		column->width =
			TALLY_MAX(column->width, (int)tally_width(tally_str_text(cell), cell->len));
	}
}

static void add_heading(struct c2c_table *table, struct tally_str *out)
{
	tally_str_add(out, "#\n#");
	for (int i = 0; i < table->nr; i += table->columns[i].span) {
		const struct c2c_column *column = &table->columns[i];
		int width = 2 * (column->span - 1);

		for (int n = 0; n < column->span; n++)
			width += table->columns[i + n].width;
		tally_str_addf(out, column->is_left ? "%s%-*s" : "%s%*s", i ? "  " : " ", width,
			       column->top);
	}
	tally_str_add(out, "\n#");
	for (int i = 0; i < table->nr; i++)
		tally_str_addf(out, table->columns[i].is_left ? "%s%-*s" : "%s%*s", i ? "  " : " ",
			       table->columns[i].width, table->columns[i].bottom);
	tally_str_add(out, "\n#");
	for (int i = 0; i < table->nr; i++) {
		tally_str_add(out, i ? "  " : " ");
		for (int n = 0; n < table->columns[i].width; n++)
			tally_str_add_char(out, '.');
	}
	tally_str_add(out, "\n#\n");
}

/* Append a row up to column number `last`. */
static void add_row(const struct c2c_table *table, const struct c2c_row *row, int last,
		    struct tally_str *cell, struct tally_str *out)
{
	for (int i = 0; i <= last; i++) {
		const struct c2c_column *column = &table->columns[i];
		int pad;

		add_cell(column, row, cell);
		pad = column->width - (int)tally_width(tally_str_text(cell), cell->len);
		pad = TALLY_MAX(pad, 0);
		if (column->is_left)
			tally_str_addf(out, "  %s%*s", tally_str_text(cell), i < last ? pad : 0,
				       "");
		else
			tally_str_addf(out, "  %*s%s", pad, "", tally_str_text(cell));
		out->failed |= cell->failed;
	}
	tally_str_add_char(out, '\n');
}

static void add_lines(struct c2c_report *report, struct c2c_table *table, struct tally_str *cell)
{
	size_t index = 0;

	tally_str_add_char(&report->out, '\n');
	c2c_add_title(&report->out, "Shared Data Cache Line Table");
	c2c_line_columns(report->config, table);
	add_heading(table, &report->out);
	tally_vec_for_each (line, &report->lines) {
		const struct c2c_row row = {report, &report->sharing.lines.data[*line], NULL,
					    index++};

		add_row(table, &row, table->nr - 1, cell, &report->out);
	}
}

/* ---- places ---------------------------------------------------------------------------- */

/* The places of a line that are shown. */
struct places {
	TALLY_VEC(const struct tally_sharing_place *) all;
	const struct c2c_config *config;
	uint64_t line_size;
};

static int order(uint64_t x, uint64_t y)
{
	return (x > y) - (x < y);
}

/* Sort by offset, then by the displayed accesses, then by task and code. */
static int compare_places(const void *a, const void *b, void *arg)
{
	const struct tally_sharing_place *x = *(const struct tally_sharing_place *const *)a;
	const struct tally_sharing_place *y = *(const struct tally_sharing_place *const *)b;
	const struct places *places = arg;
	int ret = order(x->address % places->line_size, y->address % places->line_size);

	if (!ret)
		ret = order(c2c_displayed(places->config, &y->counts),
			    c2c_displayed(places->config, &x->counts));
	if (!ret && places->config->display != C2C_DISPLAY_PEER)
		ret = order(tally_sharing_hitm(&y->counts), tally_sharing_hitm(&x->counts));
	if (!ret && places->config->by & TALLY_SHARING_BY_PID)
		ret = order((uint64_t)x->pid, (uint64_t)y->pid);
	if (!ret && places->config->by & TALLY_SHARING_BY_TID)
		ret = order((uint64_t)x->tid, (uint64_t)y->tid);
	if (!ret && places->config->by & TALLY_SHARING_BY_CODE)
		ret = order(x->ip, y->ip);
	return ret ? ret : order((uintptr_t)x, (uintptr_t)y);
}

/* Find the places of a line that have accesses of the displayed kind, or stores. */
static int find_places(const struct c2c_report *report, const struct tally_sharing_line *line,
		       struct places *places)
{
	int ret = 0;

	places->all.len = 0;
	places->config = report->config;
	places->line_size = report->sharing.line_size;
	for (uint32_t at = line->first; at && !ret;) {
		const struct tally_sharing_place *place = &report->sharing.places.data[at - 1];

		at = place->next;
		if (c2c_displayed(report->config, &place->counts) ||
		    place->counts.nr[TALLY_SHARING_STORES])
			ret = tally_vec_push(&places->all, place);
	}
	if (places->all.len)
		qsort_r(places->all.data, places->all.len, sizeof(*places->all.data),
			compare_places, places);
	return ret;
}

/* Call `each` for the shown places of each line. */
static int for_each_line(struct c2c_report *report, struct c2c_table *table, struct tally_str *cell,
			 void (*each)(struct c2c_table *table, const struct c2c_row *line,
				      const struct places *places, struct tally_str *cell,
				      struct tally_str *out))
{
	struct places places = {0};
	size_t index = 0;
	int ret = 0;

	tally_vec_for_each (number, &report->lines) {
		const struct c2c_row row = {report, &report->sharing.lines.data[*number], NULL,
					    index++};

		if (!ret)
			ret = find_places(report, row.line, &places);
		if (!ret)
			each(table, &row, &places, cell, &report->out);
	}
	tally_vec_free(&places.all);
	return ret;
}

static void measure_places(struct c2c_table *table, const struct c2c_row *line,
			   const struct places *places, struct tally_str *cell,
			   struct tally_str *out)
{
	struct c2c_row row = *line;

	(void)out;
	tally_vec_for_each (place, &places->all) {
		row.place = *place;
		measure(table, &row, cell);
	}
}

static void add_places(struct c2c_table *table, const struct c2c_row *line,
		       const struct places *places, struct tally_str *cell, struct tally_str *out)
{
	static const char rule[] = "  ----------------------------------------------------------"
				   "------------\n";
	struct c2c_row row = *line;

	tally_str_add(out, line->index ? "\n" : "");
	tally_str_add(out, rule);
	add_row(table, line, c2c_offset_column(table), cell, out);
	tally_str_add(out, rule);
	tally_vec_for_each (place, &places->all) {
		row.place = *place;
		add_row(table, &row, table->nr - 1, cell, out);
	}
}

int c2c_add_tables(struct c2c_report *report)
{
	struct c2c_table lines = {.is_peer = report->config->display == C2C_DISPLAY_PEER};
	struct c2c_table places = lines;
	struct tally_str cell = {0};
	int ret = c2c_nodes_find(report);

	add_lines(report, &lines, &cell);
	tally_str_add_char(&report->out, '\n');
	c2c_add_title(&report->out, "Shared Cache Line Distribution Pareto");
	c2c_place_columns(report->config, &places);
	for (int i = 0; i < places.nr; i++)
		if (places.columns[i].is_left)
			places.columns[i].width = (int)TALLY_MAX(strlen(places.columns[i].top),
								 strlen(places.columns[i].bottom));
	if (!ret)
		ret = for_each_line(report, &places, &cell, measure_places);
	if (report->lines.len)
		add_heading(&places, &report->out);
	if (!ret)
		ret = for_each_line(report, &places, &cell, add_places);
	tally_str_free(&cell);
	return ret ? ret : tally_str_error(&report->out);
}
