/* SPDX-License-Identifier: BSD-2-Clause */
/* Text output in perf's columns. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/arith.h"
#include "base/escape.h"
#include "cli/main/region_table.h"
#include "cli/stat/stat_table.h"

enum {
	VALUE_WIDTH = 18,
	NAME_WIDTH = 32,       /* width of the name column for a counted event */
	SHORT_NAME_WIDTH = 25, /* width of the name column for an event without a count */
	METRIC_WIDTH = 35,     /* total width of "# 12345.678 CPUs utilized " */
	UNIT_WIDTH = 23,
	HEADER_EVERY = 25, /* number of intervals per header */
};

static void add_blanks(struct tally_str *out, int nr)
{
	while (nr-- > 0)
		tally_str_add_char(out, ' ');
}

/* Return the width in characters, not bytes, because a thousands separator may be a multibyte
 * character. */
static int width_of(const char *text)
{
	int width = 0;

	for (; *text; text++)
		width += ((unsigned char)*text & 0xc0) != 0x80;
	return width;
}

static void add_right(struct tally_str *out, const char *text, int width)
{
	add_blanks(out, width - width_of(text));
	tally_str_add(out, text);
}

static void add_left(struct tally_str *out, const char *text, int width)
{
	tally_str_add(out, text);
	add_blanks(out, width - width_of(text));
}

/* ---- first columns -------------------------------------------------------- */

static void add_label(struct tally_str *out, const struct stat_table *table,
		      const struct stat_line *line)
{
	const struct stat_mode *mode = table->mode;
	struct tally_str label = {0};

	if (!mode->pad)
		return;
	mode->label(line->key, &label);
	tally_str_escape(&label, 0);
	if (mode->pad_tid) {
		const char *text = tally_str_text(&label), *tid = strrchr(text, '-');
		int name = width_of(text) - (tid ? width_of(tid) : 0);

		add_blanks(out, mode->pad - name);
		add_left(out, text, name + 1 + mode->pad_tid);
	} else {
		add_left(out, tally_str_text(&label), mode->pad);
	}
	tally_str_add_char(out, ' ');
	if (mode->show_nr)
		tally_str_addf(out, "%4" PRIu32 " ", line->cell->nr);
	tally_str_free(&label);
}

static void add_value(struct tally_str *out, const struct stat_line *line, const char *thousands)
{
	struct tally_str digits = {0}, text = {0};

	if (stat_row_is_real(line->row))
		tally_str_addf(&digits, "%.2f", stat_row_value(line->row, line->cell));
	else
		tally_str_add_u64(&digits, line->cell->value);
	tally_str_add_grouped(&text, tally_str_text(&digits), thousands);
	add_right(out, tally_str_text(&text), VALUE_WIDTH);
	tally_str_free(&text);
	tally_str_free(&digits);
}

/* ---- columns after the event ---------------------------------------------- */

static void add_number(struct tally_str *out, const struct stat_metric *metric)
{
	struct tally_str number = {0};

	stat_metric_number(metric, &number);
	add_right(out, tally_str_text(&number), 8);
	tally_str_add_char(out, ' ');
	tally_str_free(&number);
}

/* Append the metric's precision, preceded by a remark if the metric exceeds its threshold. */
static void add_metric_remarks(struct tally_str *out, const struct stat_metric *metric)
{
	if (metric->passed)
		tally_str_add(out, metric->worst ? "  (the bottleneck)" : "  (over its threshold)");
	if (metric->kind != STAT_FORMULA || metric->quality != TALLY_QUALITY_SCALED)
		return;
	tally_str_addf(out, "  (%.2f%%%s)", metric->percent,
		       metric->apart ? ", events counted at different times" : "");
}

static void add_metric(struct tally_str *out, const struct stat_metric *metric)
{
	static const char *const formats[] = {
		[STAT_RATE] = "# %8.3f ",      [STAT_RATIO] = "# %7.2f  ",
		[STAT_PERCENT] = "# %7.2f%% ", [STAT_TENTHS] = "# %8.1f%% ",
		[STAT_WHOLE] = "# %8.0f ",
	};
	struct tally_str unit = {0};

	stat_metric_unit(metric, &unit);
	switch (metric->kind) {
	case STAT_FORMULA:
		tally_str_add(out, "# ");
		add_number(out, metric);
		break;
	default: tally_str_addf(out, formats[metric->kind], metric->value);
	}
	add_left(out, tally_str_text(&unit), UNIT_WIDTH);
	tally_str_free(&unit);
}

static void add_time(struct tally_str *out, const struct stat_table *table)
{
	if (table->interval)
		tally_str_addf(out, "%6" PRIu64 ".%09" PRIu64 " ", table->at / 1000000000,
			       table->at % 1000000000);
}

/* Append the count's precision: the standard error over several runs, and the percentage of time
 * counted. */
static void add_precision(struct tally_str *out, const struct stat_table *table,
			  const struct stat_cell *cell)
{
	double percent = stat_cell_percent(cell);

	if (table->per_run && cell->deviation > 0)
		tally_str_addf(out, "  ( +-%6.2f%% )", cell->deviation);
	if (cell->count.running < cell->count.enabled)
		tally_str_addf(out, "  (%.2f%%)", percent);
}

/* Append a line for one kind of core below a hybrid event: the count on that kind of core, and its
 * percentages of the events and of the time. */
static void add_part(struct stat_printer *printer, const struct stat_table *table,
		     const struct stat_line *line, size_t index, size_t name)
{
	const struct stat_line *part = &line->parts[index];
	const struct tally_count *count = &part->cell->count;
	double all = (double)line->cell->count.value;
	struct tally_str *out = &printer->out, text = {0};
	const char *why;

	if (stat_cell_counted(part->cell, &why))
		add_value(&text, part, printer->thousands);
	else
		add_right(&text, why, VALUE_WIDTH);
	add_blanks(out, (int)name - VALUE_WIDTH - 2 - printer->unit_width);
	tally_str_addf(out, "%s %*s   %-*s", tally_str_text(&text), printer->unit_width, "",
		       NAME_WIDTH - 2, part->row->spec->pmu);
	if (all > 0 && count->enabled)
		tally_str_addf(out, " # %7.2f%% of the events, %.2f%% of the time",
			       100 * (double)count->value / all,
			       100 * (double)count->running / (double)line->cell->count.enabled);
	tally_str_add_char(out, '\n');
	tally_str_free(&text);
}

static void text_line(struct stat_printer *printer, const struct stat_table *table,
		      const struct stat_line *line)
{
	struct tally_str *out = &printer->out;
	const char *why = NULL;
	bool counted = stat_cell_counted(line->cell, &why);
	size_t start = out->len, name;

	add_time(out, table);
	add_label(out, table, line);
	if (counted)
		add_value(out, line, printer->thousands);
	else
		add_right(out, why, VALUE_WIDTH);
	tally_str_add_char(out, ' ');
	add_left(out, stat_row_unit(line->row), printer->unit_width);
	tally_str_add_char(out, ' ');
	name = out->len;
	add_left(out, line->row->name, counted ? NAME_WIDTH : SHORT_NAME_WIDTH);
	if (line->row->cgroup)
		tally_str_addf(out, " %s", line->row->cgroup);
	tally_str_escape(out, name);
	tally_str_add_char(out, ' ');
	if (!line->nr_metrics)
		add_blanks(out, METRIC_WIDTH - 1);
	for (size_t i = 0; i < line->nr_metrics; i++) {
		if (i) {
			tally_str_add_char(out, '\n');
			add_blanks(out, (int)(name - start) + NAME_WIDTH + 1);
		}
		add_metric(out, &line->metrics[i]);
		add_metric_remarks(out, &line->metrics[i]);
	}
	if (counted)
		add_precision(out, table, line->cell);
	tally_str_add_char(out, '\n');
	for (size_t i = 0; i < line->nr_parts; i++)
		add_part(printer, table, line, i, name - start);
}

/* ---- metrics only --------------------------------------------------------- */

enum { COLUMN_WIDTH = 20 };

/* Print the column headings once per table; in interval mode, print them repeatedly. */
static void add_columns(struct stat_printer *printer, const struct stat_table *table, size_t label)
{
	struct tally_str *out = &printer->out;

	add_blanks(out, (int)label);
	tally_vec_for_each (metric, &printer->metrics) {
		struct tally_str unit = {0};

		stat_metric_unit(metric, &unit);
		tally_str_add_char(out, ' ');
		add_right(out, tally_str_text(&unit), COLUMN_WIDTH);
		tally_str_free(&unit);
	}
	tally_str_add_char(out, '\n');
}

static void text_metrics(struct stat_printer *printer, const struct stat_table *table, size_t key)
{
	struct stat_line line = {.key = &table->keys[key], .cell = &table->cells[key]};
	struct tally_str *out = &printer->out, label = {0};

	add_time(&label, table);
	if (table->nr_rows)
		add_label(&label, table, &line);
	if (!key && !(table->interval && printer->tables % HEADER_EVERY))
		add_columns(printer, table, label.len);
	tally_str_add(out, tally_str_text(&label));
	tally_str_free(&label);
	tally_vec_for_each (metric, &printer->metrics) {
		struct tally_str number = {0};

		stat_metric_number(metric, &number);
		tally_str_add_char(out, ' ');
		add_right(out, tally_str_text(&number), COLUMN_WIDTH);
		tally_str_free(&number);
	}
	tally_str_add_char(out, '\n');
}

/* ---- before and after the lines ------------------------------------------- */

static void set_unit_width(struct stat_printer *printer, const struct stat_table *table)
{
	printer->unit_width = 4;
	for (size_t i = 0; i < table->nr_rows; i++)
		printer->unit_width =
			TALLY_MAX(printer->unit_width, width_of(stat_row_unit(&table->rows[i])));
}

static void text_begin(struct stat_printer *printer, const struct stat_table *table)
{
	struct tally_str *out = &printer->out;

	set_unit_width(printer, table);
	if (table->interval) {
		if (printer->tables % HEADER_EVERY || table->metric_only)
			return;
		tally_str_addf(out, "#           time %s", table->mode->header);
		add_right(out, "counts", VALUE_WIDTH + (*table->mode->header ? 1 : 0));
		tally_str_addf(out, " %-*s events\n", printer->unit_width, "unit");
		return;
	}
	tally_str_addf(out, "\n Performance counter stats for %s", table->title);
	if (table->per_run)
		tally_str_addf(out, " (%" PRIu64 " runs)", table->runs.nr);
	tally_str_add(out, ":\n\n");
}

/* Return the number of decimals needed to show three significant digits of an error in seconds. */
static int decimals_for(double error)
{
	if (error <= 0)
		return 9;
	if (error >= 1)
		return 2;
	return TALLY_MIN(9, 2 - (int)floor(log10(error)));
}

static void add_runs(struct tally_str *out, const struct stat_runs *runs, int decimals)
{
	enum { BAR_PERCENT = 5 };
	int indent = VALUE_WIDTH - decimals - 2;

	add_blanks(out, indent);
	tally_str_add(out, "# Table of individual measurements:\n");
	for (uint64_t i = 0; i < runs->nr; i++) {
		double run = (double)runs->each[i], away = run - runs->mean;
		int bar = runs->mean > 0 ? (int)(100 * fabs(away) / runs->mean) / BAR_PERCENT : 0;

		tally_str_addf(out, "%*.*f (%+.*f) #", VALUE_WIDTH, decimals, run / 1e9, decimals,
			       away / 1e9);
		for (bar = TALLY_MIN(bar, 40); bar > 0; bar--)
			tally_str_add_char(out, '#');
		tally_str_add_char(out, '\n');
	}
	tally_str_add_char(out, '\n');
	add_blanks(out, indent);
	tally_str_add(out, "# Final result:\n");
}

static void add_elapsed(struct tally_str *out, const struct stat_table *table)
{
	const struct stat_runs *runs = &table->runs;
	double error = runs->deviation / 1e9;
	int decimals = decimals_for(error);

	if (!table->per_run) {
		tally_str_addf(out, "%*.9f seconds time elapsed\n\n", VALUE_WIDTH,
			       (double)table->times.wall / 1e9);
		return;
	}
	if (table->list_runs)
		add_runs(out, runs, decimals);
	tally_str_addf(out, "%*.*f +- %.*f seconds time elapsed", VALUE_WIDTH, decimals,
		       runs->mean / 1e9, decimals, error);
	tally_str_addf(out, "  ( +-%6.2f%% )\n\n",
		       runs->mean > 0 ? 100 * runs->deviation / runs->mean : 0);
}

static void text_end(struct stat_printer *printer, const struct stat_table *table)
{
	struct tally_str *out = &printer->out;

	if (table->interval || table->no_times)
		return;
	if (table->nr_rows)
		tally_str_add_char(out, '\n');
	if (table->estimated)
		tally_str_add(out, "  counts are estimates from the user host (procfs and ptrace "
				   "instead of perf_event_open)\n\n");
	add_elapsed(out, table);
	if (table->has_user && !table->per_run)
		tally_str_addf(out, "%*.9f seconds user\n%*.9f seconds sys\n\n\n", VALUE_WIDTH,
			       (double)table->times.user / 1e9, VALUE_WIDTH,
			       (double)table->times.system / 1e9);
	if (table->regions && table->regions->documents)
		region_tables_print(table->regions, "", printer->thousands, out);
}

const struct stat_format stat_format_text = {text_begin, text_line, text_end, text_metrics};
