/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of tally c2c report: cache lines, and the sites in them. */
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

/* ---- sites ---------------------------------------------------------------------------- */

/* The sites of a line that are shown. */
struct sites {
	TALLY_VEC(const struct tally_sharing_site *) all;
	const struct c2c_config *config;
	uint64_t line_size;
};

static int order(uint64_t x, uint64_t y)
{
	return (x > y) - (x < y);
}

/* Sort by offset, then by the displayed accesses, then by task and code. */
static int compare_sites(const void *a, const void *b, void *arg)
{
	const struct tally_sharing_site *x = *(const struct tally_sharing_site *const *)a;
	const struct tally_sharing_site *y = *(const struct tally_sharing_site *const *)b;
	const struct sites *sites = arg;
	int ret = order(x->address % sites->line_size, y->address % sites->line_size);

	if (!ret)
		ret = order(c2c_displayed(sites->config, &y->counts),
			    c2c_displayed(sites->config, &x->counts));
	if (!ret && sites->config->display != C2C_DISPLAY_PEER)
		ret = order(tally_sharing_hitm(&y->counts), tally_sharing_hitm(&x->counts));
	if (!ret && sites->config->by & TALLY_SHARING_BY_PID)
		ret = order((uint64_t)x->pid, (uint64_t)y->pid);
	if (!ret && sites->config->by & TALLY_SHARING_BY_TID)
		ret = order((uint64_t)x->tid, (uint64_t)y->tid);
	if (!ret && sites->config->by & TALLY_SHARING_BY_CODE)
		ret = order(x->ip, y->ip);
	return ret ? ret : order((uintptr_t)x, (uintptr_t)y);
}

/* Find the sites of a line that have accesses of the displayed kind, or stores. */
static int find_sites(const struct c2c_report *report, const struct tally_sharing_line *line,
		      struct sites *sites)
{
	int ret = 0;

	sites->all.len = 0;
	sites->config = report->config;
	sites->line_size = report->sharing.line_size;
	for (uint32_t at = line->first; at && !ret;) {
		const struct tally_sharing_site *site = &report->sharing.sites.data[at - 1];

		at = site->next;
		if (c2c_displayed(report->config, &site->counts) ||
		    site->counts.nr[TALLY_SHARING_STORES])
			ret = tally_vec_push(&sites->all, site);
	}
	if (sites->all.len)
		qsort_r(sites->all.data, sites->all.len, sizeof(*sites->all.data), compare_sites,
			sites);
	return ret;
}

/* Call `each` for the shown sites of each line. */
static int for_each_line(struct c2c_report *report, struct c2c_table *table, struct tally_str *cell,
			 void (*each)(struct c2c_table *table, const struct c2c_row *line,
				      const struct sites *sites, struct tally_str *cell,
				      struct tally_str *out))
{
	struct sites sites = {0};
	size_t index = 0;
	int ret = 0;

	tally_vec_for_each (number, &report->lines) {
		const struct c2c_row row = {report, &report->sharing.lines.data[*number], NULL,
					    index++};

		if (!ret)
			ret = find_sites(report, row.line, &sites);
		if (!ret)
			each(table, &row, &sites, cell, &report->out);
	}
	tally_vec_free(&sites.all);
	return ret;
}

static void measure_sites(struct c2c_table *table, const struct c2c_row *line,
			  const struct sites *sites, struct tally_str *cell, struct tally_str *out)
{
	struct c2c_row row = *line;

	(void)out;
	tally_vec_for_each (site, &sites->all) {
		row.site = *site;
		measure(table, &row, cell);
	}
}

static void add_sites(struct c2c_table *table, const struct c2c_row *line,
		      const struct sites *sites, struct tally_str *cell, struct tally_str *out)
{
	static const char rule[] = "  ----------------------------------------------------------"
				   "------------\n";
	struct c2c_row row = *line;

	tally_str_add(out, line->index ? "\n" : "");
	tally_str_add(out, rule);
	add_row(table, line, c2c_offset_column(table), cell, out);
	tally_str_add(out, rule);
	tally_vec_for_each (site, &sites->all) {
		row.site = *site;
		add_row(table, &row, table->nr - 1, cell, out);
	}
}

int c2c_add_tables(struct c2c_report *report)
{
	struct c2c_table lines = {.is_peer = report->config->display == C2C_DISPLAY_PEER};
	struct c2c_table sites = lines;
	struct tally_str cell = {0};
	int ret = c2c_nodes_find(report);

	add_lines(report, &lines, &cell);
	tally_str_add_char(&report->out, '\n');
	c2c_add_title(&report->out, "Shared Cache Line Distribution Pareto");
	c2c_site_columns(report->config, &sites);
	for (int i = 0; i < sites.nr; i++)
		if (sites.columns[i].is_left)
			sites.columns[i].width = (int)TALLY_MAX(strlen(sites.columns[i].top),
								strlen(sites.columns[i].bottom));
	if (!ret)
		ret = for_each_line(report, &sites, &cell, measure_sites);
	if (report->lines.len)
		add_heading(&sites, &report->out);
	if (!ret)
		ret = for_each_line(report, &sites, &cell, add_sites);
	tally_str_free(&cell);
	return ret ? ret : tally_str_error(&report->out);
}
