/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --json: tally's own schema, with one object per line for each table. Each count includes its
 * quality and, if the event was rejected or opened with a fallback, the reason.
 */
#include <math.h>

#include "base/arith.h"
#include "base/json.h"
#include "cli/main/region_table.h"
#include "cli/stat/stat_table.h"
#include "sampler/fallbacks.h"

enum { SCHEMA_VERSION = 1 };

static void add_times(struct tally_str *out, const struct stat_table *table)
{
	tally_json_u64(out, "elapsed_ns", table->times.wall);
	if (table->has_user && !table->interval) {
		tally_json_u64(out, "user_ns", table->times.user);
		tally_json_u64(out, "system_ns", table->times.system);
	}
	if (!table->per_run)
		return;
	tally_json_u64(out, "runs", table->runs.nr);
	tally_json_double(out, "elapsed_deviation_ns", table->runs.deviation, 1);
	tally_json_open(out, "run_elapsed_ns", '[');
	for (uint64_t i = 0; i < table->runs.nr; i++)
		tally_json_u64(out, NULL, table->runs.each[i]);
	tally_json_close(out, ']');
}

static void json_begin(struct stat_printer *printer, const struct stat_table *table)
{
	struct tally_str *out = &printer->out;

	tally_json_open(out, NULL, '{');
	tally_json_u64(out, "version", SCHEMA_VERSION);
	tally_json_text(out, "kind",
			table->interval  ? "interval"
			: table->summary ? "summary"
					 : "total");
	tally_json_text(out, "target", table->title);
	tally_json_text(out, "via", table->via);
	if (table->add_via)
		table->add_via(table->arg, out);
	tally_json_text(out, "aggregation", table->mode->json_key ? table->mode->json_key : "all");
	if (table->interval)
		tally_json_u64(out, "at_ns", table->at);
	add_times(out, table);
	tally_json_open(out, "counts", '[');
}

static void add_key(struct tally_str *out, const struct stat_table *table,
		    const struct stat_key *key)
{
	struct stat_key_field fields[STAT_KEY_FIELDS];

	if (!table->mode->json_key)
		return;
	stat_key_fields(key, fields);
	for (size_t i = 0; i < STAT_KEY_FIELDS; i++) {
		if (fields[i].value >= 0)
			tally_json_s64(out, fields[i].name, fields[i].value);
	}
	if (table->mode->per_thread)
		tally_json_text(out, "comm", key->comm);
}

static void add_count(struct tally_str *out, const struct stat_table *table,
		      const struct stat_line *line)
{
	const struct stat_cell *cell = line->cell;
	const char *why;

	tally_json_text(out, "quality", tally_quality_name(cell->count.quality));
	tally_json_u64(out, "counters", cell->nr);
	if (!stat_cell_counted(cell, &why))
		return;
	if (line->row->never_fires)
		tally_json_bool(out, "never_fires", true);
	tally_json_u64(out, "value", cell->count.value);
	tally_json_u64(out, "scaled", cell->value);
	tally_json_u64(out, "enabled_ns", cell->count.enabled);
	tally_json_u64(out, "running_ns", cell->count.running);
	if (table->per_run)
		tally_json_double(out, "deviation_percent", cell->deviation, 3);
	if (*stat_row_unit(line->row)) {
		tally_json_double(out, "amount", stat_row_value(line->row, cell), 6);
		tally_json_text(out, "unit", stat_row_unit(line->row));
	}
}

/* Append a -M metric. Like a count, it has a quality. */
static void add_formula(struct tally_str *out, const struct stat_metric *metric)
{
	tally_json_text(out, "name", metric->name);
	if (metric->pmu)
		tally_json_text(out, "pmu", metric->pmu);
	if (isfinite(metric->value))
		tally_json_double(out, "value", metric->value, 6);
	if (*metric->unit)
		tally_json_text(out, "unit", metric->unit);
	tally_json_text(out, "quality", tally_quality_name(metric->quality));
	tally_json_double(out, "counted_percent", metric->percent, 2);
	tally_json_bool(out, "same_time", !metric->apart);
	if (metric->passed)
		tally_json_bool(out, "over_threshold", true);
	if (metric->worst)
		tally_json_bool(out, "bottleneck", true);
}

static void add_metric(struct tally_str *out, const struct stat_metric *metric)
{
	struct tally_str unit = {0};

	stat_metric_unit(metric, &unit);
	tally_json_open(out, NULL, '{');
	if (metric->kind == STAT_FORMULA) {
		add_formula(out, metric);
		goto out;
	}
	tally_json_double(out, "value", metric->value, 6);
	tally_json_text(out, "unit", metric->kind == STAT_PERCENT ? "%" : tally_str_text(&unit));
	if (metric->kind == STAT_PERCENT)
		tally_json_text(out, "of", tally_str_text(&unit));
out:
	tally_json_close(out, '}');
	tally_str_free(&unit);
}

/* Append a hybrid event's counts for each kind of core. */
static void add_parts(struct tally_str *out, const struct stat_line *line)
{
	if (!line->nr_parts)
		return;
	tally_json_open(out, "parts", '[');
	for (size_t i = 0; i < line->nr_parts; i++) {
		const struct tally_count *count = &line->parts[i].cell->count;

		tally_json_open(out, NULL, '{');
		tally_json_text(out, "pmu", line->parts[i].row->spec->pmu);
		tally_json_text(out, "quality", tally_quality_name(count->quality));
		tally_json_u64(out, "value", count->value);
		tally_json_u64(out, "running_ns", count->running);
		tally_json_close(out, '}');
	}
	tally_json_close(out, ']');
}

static void add_refusal(struct tally_str *out, const struct tally_refusal *refusal)
{
	tally_json_open(out, "refused", '{');
	tally_json_s64(out, "errno", -refusal->code);
	if (refusal->broken)
		tally_json_text(out, "rule_id", tally_rule_name(refusal->broken));
	tally_json_text(out, "rule", refusal->rule);
	if (*refusal->field)
		tally_json_text(out, "field", refusal->field);
	if (*refusal->found)
		tally_json_text(out, "found", refusal->found);
	if (*refusal->needed)
		tally_json_text(out, "needed", refusal->needed);
	tally_json_open(out, "fix", '[');
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(refusal->fix) && *refusal->fix[i]; i++)
		tally_json_text(out, NULL, refusal->fix[i]);
	tally_json_close(out, ']');
	tally_json_close(out, '}');
}

static void add_reasons(struct tally_str *out, const struct stat_row *row)
{
	unsigned fallbacks = row->fallback;
	const char *words;

	if (fallbacks) {
		tally_json_open(out, "fallbacks", '[');
		while ((words = tally_fallbacks_next(&fallbacks)))
			tally_json_text(out, NULL, words);
		tally_json_close(out, ']');
	}
	if (row->refusal)
		add_refusal(out, row->refusal);
}

static void json_line(struct stat_printer *printer, const struct stat_table *table,
		      const struct stat_line *line)
{
	struct tally_str *out = &printer->out;

	tally_json_open(out, NULL, '{');
	tally_json_text(out, "event", line->row->name);
	if (line->row->cgroup)
		tally_json_text(out, "cgroup", line->row->cgroup);
	add_key(out, table, line->key);
	add_count(out, table, line);
	if (line->nr_metrics)
		tally_json_open(out, "metrics", '[');
	for (size_t i = 0; i < line->nr_metrics; i++)
		add_metric(out, &line->metrics[i]);
	if (line->nr_metrics)
		tally_json_close(out, ']');
	add_parts(out, line);
	add_reasons(out, line->row);
	tally_json_close(out, '}');
}

static void json_end(struct stat_printer *printer, const struct stat_table *table)
{
	tally_json_close(&printer->out, ']');
	if (table->regions) {
		region_tables_json(table->regions, &printer->out);
		tally_json_u64(&printer->out, "regions_unmeasured", table->regions->unmeasured);
	}
	tally_json_close(&printer->out, '}');
	tally_str_add_char(&printer->out, '\n');
}

const struct stat_format stat_format_json = {json_begin, json_line, json_end};
