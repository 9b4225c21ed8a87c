/* SPDX-License-Identifier: BSD-2-Clause */
/* Output of -x and -j in perf's formats. Both print the same fields in the same order: -x with
 * separators, -j with names. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/escape.h"
#include "base/json.h"
#include "cli/stat/stat_table.h"

/* ---- -x ------------------------------------------------------------------- */

/* Escape a name appended at `start`. As in reports, separators in the name become dots. */
static void csv_clean(struct stat_printer *printer, size_t start)
{
	tally_str_escape(&printer->out, start);
	tally_str_replace(&printer->out, start, printer->separator[0], '.');
}

static void csv_prefix(struct stat_printer *printer, const struct stat_table *table,
		       const struct stat_line *line)
{
	struct tally_str *out = &printer->out;
	size_t start;

	if (table->interval)
		tally_str_addf(out, "%6" PRIu64 ".%09" PRIu64 "%s", table->at / 1000000000,
			       table->at % 1000000000, printer->separator);
	else if (table->summary)
		tally_str_addf(out, "%16s%s", "summary", printer->separator);
	if (!table->mode->json_key)
		return;
	start = out->len;
	table->mode->label(line->key, out);
	csv_clean(printer, start);
	tally_str_add(out, printer->separator);
	if (table->mode->show_nr)
		tally_str_addf(out, "%" PRIu32 "%s", line->cell->nr, printer->separator);
}

static void csv_metric(struct stat_printer *printer, const struct stat_metric *metric)
{
	struct tally_str *out = &printer->out;

	if (metric->unit)
		stat_metric_number(metric, out);
	tally_str_add(out, printer->separator);
	stat_metric_unit(metric, out);
}

static void csv_line(struct stat_printer *printer, const struct stat_table *table,
		     const struct stat_line *line)
{
	const char *sep = printer->separator, *why = NULL;
	struct tally_str *out = &printer->out;
	const struct stat_metric none = {0};

	csv_prefix(printer, table, line);
	if (!stat_cell_counted(line->cell, &why))
		tally_str_add(out, why);
	else if (stat_row_is_real(line->row))
		tally_str_addf(out, "%.2f", stat_row_value(line->row, line->cell));
	else
		tally_str_add_u64(out, line->cell->value);
	tally_str_addf(out, "%s%s%s", sep, stat_row_unit(line->row), sep);
	/* The name as the user specified it, including its terms. */
	tally_str_add_escaped(out, line->row->name);
	tally_str_add(out, sep);
	if (line->row->cgroup) {
		size_t start = out->len;

		tally_str_add(out, line->row->cgroup);
		csv_clean(printer, start);
		tally_str_add(out, sep);
	}
	if (table->per_run)
		tally_str_addf(out, "%.2f%%%s", line->cell->deviation, sep);
	tally_str_addf(out, "%" PRIu64 "%s%.2f%s", line->cell->count.running, sep,
		       stat_cell_percent(line->cell), sep);
	csv_metric(printer, line->nr_metrics ? &line->metrics[0] : &none);
	tally_str_add_char(out, '\n');
	for (size_t more = 1; more < line->nr_metrics; more++) {
		/* Between the prefix and the metric, all fields are empty. */
		csv_prefix(printer, table, line);
		for (int i = 0; i < 5 + !!line->row->cgroup + table->per_run; i++)
			tally_str_add(out, sep);
		csv_metric(printer, &line->metrics[more]);
		tally_str_add_char(out, '\n');
	}
}

/* For --metric-only, print a header line with names before the first line of values. */
static void csv_metrics(struct stat_printer *printer, const struct stat_table *table, size_t key)
{
	struct stat_line line = {.key = &table->keys[key], .cell = &table->cells[key]};
	struct tally_str *out = &printer->out;

	if (!key && !printer->tables) {
		tally_str_add(out, table->interval ? "time" : "");
		tally_str_add(out, table->interval ? printer->separator : "");
		tally_str_add(out, table->mode->json_key ? table->mode->json_key : "");
		tally_str_add(out, table->mode->json_key ? printer->separator : "");
		if (table->mode->show_nr)
			tally_str_addf(out, "cpus%s", printer->separator);
		tally_vec_for_each (metric, &printer->metrics) {
			stat_metric_unit(metric, out);
			tally_str_add(out, printer->separator);
		}
		tally_str_add_char(out, '\n');
	}
	csv_prefix(printer, table, &line);
	tally_vec_for_each (metric, &printer->metrics) {
		stat_metric_number(metric, out);
		tally_str_add(out, printer->separator);
	}
	tally_str_add_char(out, '\n');
}

const struct stat_format stat_format_csv = {NULL, csv_line, NULL, csv_metrics};

/* ---- -j, with blanks around the colon as in perf --------------------------- */

static void put_key(struct tally_str *out, const char *key)
{
	char last = out->len ? out->data[out->len - 1] : '{';

	tally_str_addf(out, "%s\"%s\" : ", last == '{' ? "" : ", ", key);
}

static void put_text(struct tally_str *out, const char *key, const char *text)
{
	struct tally_str quoted = {0};

	put_key(out, key);
	/* Use a separate builder, so that no comma is added. */
	tally_json_text(&quoted, NULL, text);
	tally_str_add(out, tally_str_text(&quoted));
	tally_str_free(&quoted);
}

static void json_prefix(struct tally_str *out, const struct stat_table *table,
			const struct stat_line *line)
{
	struct tally_str label = {0};

	if (table->interval) {
		put_key(out, "interval");
		tally_str_addf(out, "%" PRIu64 ".%09" PRIu64, table->at / 1000000000,
			       table->at % 1000000000);
	}
	if (!table->mode->json_key)
		return;
	table->mode->label(line->key, &label);
	/* perf prints a CPU as a plain number. */
	put_text(out, table->mode->json_key,
		 tally_str_text(&label) + (line->key->cpu >= 0 ? strlen("CPU") : 0));
	tally_str_free(&label);
	if (table->mode->show_nr) {
		put_key(out, "aggregate-number");
		tally_str_addf(out, "%" PRIu32, line->cell->nr);
	}
}

static void json_metric(struct tally_str *out, const struct stat_metric *metric)
{
	struct tally_str unit = {0};

	stat_metric_unit(metric, &unit);
	put_key(out, "metric-value");
	if (isfinite(metric->value))
		tally_str_addf(out, "%f", metric->value);
	else
		tally_str_add(out, "null");
	put_text(out, "metric-unit", tally_str_text(&unit));
	tally_str_free(&unit);
}

static void json_value(struct tally_str *out, const struct stat_line *line)
{
	const char *why = NULL;

	put_key(out, "counter-value");
	if (!stat_cell_counted(line->cell, &why))
		tally_str_addf(out, "\"%s\"", why);
	else if (stat_row_is_real(line->row))
		tally_str_addf(out, "\"%f\"", stat_row_value(line->row, line->cell));
	else
		tally_str_addf(out, "\"%" PRIu64 ".000000\"", line->cell->value);
}

static void perf_json_line(struct stat_printer *printer, const struct stat_table *table,
			   const struct stat_line *line)
{
	struct tally_str *out = &printer->out;
	const struct stat_metric none = {0};

	tally_str_add_char(out, '{');
	json_prefix(out, table, line);
	json_value(out, line);
	put_text(out, "unit", stat_row_unit(line->row));
	put_text(out, "event", line->row->name);
	if (line->row->cgroup)
		put_text(out, "cgroup", line->row->cgroup);
	if (table->per_run) {
		put_key(out, "variance");
		tally_str_addf(out, "%.2f", line->cell->deviation);
	}
	put_key(out, "event-runtime");
	tally_str_addf(out, "%" PRIu64, line->cell->count.running);
	put_key(out, "pcnt-running");
	tally_str_addf(out, "%.2f", stat_cell_percent(line->cell));
	json_metric(out, line->nr_metrics ? &line->metrics[0] : &none);
	tally_str_add(out, "}\n");
	for (size_t more = 1; more < line->nr_metrics; more++) {
		tally_str_add_char(out, '{');
		json_prefix(out, table, line);
		json_metric(out, &line->metrics[more]);
		tally_str_add(out, "}\n");
	}
}

static void perf_json_metrics(struct stat_printer *printer, const struct stat_table *table,
			      size_t key)
{
	struct stat_line line = {.key = &table->keys[key], .cell = &table->cells[key]};
	struct tally_str *out = &printer->out;

	tally_str_add_char(out, '{');
	json_prefix(out, table, &line);
	tally_vec_for_each (metric, &printer->metrics) {
		struct tally_str name = {0}, number = {0};

		stat_metric_unit(metric, &name);
		stat_metric_number(metric, &number);
		put_text(out, tally_str_text(&name), tally_str_text(&number));
		tally_str_free(&name);
		tally_str_free(&number);
	}
	tally_str_add(out, "}\n");
}

const struct stat_format stat_format_perf_json = {NULL, perf_json_line, NULL, perf_json_metrics};
