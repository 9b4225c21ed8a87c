/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/stat/exposition.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/arith.h"
#include "base/escape.h"

enum family_id {
	FAMILY_COUNT,
	FAMILY_SECONDS,
	FAMILY_JOULES,
	FAMILY_BYTES,
	FAMILY_AMOUNT,
	FAMILY_STATE,
	NR_VALUE_FAMILIES, /* each exposed row is in one of the families above */
	FAMILY_ENABLED = NR_VALUE_FAMILIES,
	FAMILY_RUNNING,
	FAMILY_QUALITY,
	NR_EVENT_FAMILIES,
	FAMILY_METRIC = NR_EVENT_FAMILIES,
	FAMILY_BUILD,
	FAMILY_START,
	FAMILY_ERRORS,
};

/* Types, and the suffix of their samples' names. */
enum family_type { COUNTER, GAUGE, INFO };

static const struct {
	const char *text, *open, *suffix; /* names of the type in the two formats */
} types[] = {
	[COUNTER] = {"counter", "counter", "_total"},
	[GAUGE] = {"gauge", "gauge", ""},
	[INFO] = {"gauge", "info", "_info"},
};

static const struct {
	const char *name; /* without the suffix of the type */
	enum family_type type;
	const char *unit; /* the end of the name, or NULL */
	const char *help;
} families[] = {
	[FAMILY_COUNT] = {"tally_event", COUNTER, NULL,
			  "Count of the event, scaled if it shared a "
			  "counter."},
	[FAMILY_SECONDS] = {"tally_event_seconds", COUNTER, "seconds",
			    "Time that the clock event counted."},
	[FAMILY_JOULES] = {"tally_event_joules", COUNTER, "joules",
			   "Energy that the event counted."},
	[FAMILY_BYTES] = {"tally_event_bytes", COUNTER, "bytes", "Bytes that the event counted."},
	[FAMILY_AMOUNT] = {"tally_event_amount", COUNTER, NULL,
			   "Count of the event in the unit of the label unit."},
	[FAMILY_STATE] = {"tally_event_state", GAUGE, NULL,
			  "Present value of a sensor or of a fact of the machine."},
	[FAMILY_ENABLED] = {"tally_event_enabled_seconds", COUNTER, "seconds",
			    "Time that the event was enabled, summed over its counters."},
	[FAMILY_RUNNING] = {"tally_event_running_seconds", COUNTER, "seconds",
			    "Time that the event was counted, summed over its counters."},
	[FAMILY_QUALITY] = {"tally_event_quality", GAUGE, NULL,
			    "Always 1; the label quality is the reliability of the count."},
	[FAMILY_METRIC] = {"tally_metric", GAUGE, NULL,
			   "Metric of -M, computed from the counts since the start."},
	[FAMILY_BUILD] = {"tally_build", INFO, NULL, "Version of tally."},
	[FAMILY_START] = {"tally_stat_start_time_seconds", GAUGE, "seconds",
			  "Start of counting in seconds since 1970."},
	[FAMILY_ERRORS] = {"tally_stat_read_errors", COUNTER, NULL,
			   "Number of times that the counters could not be read."},
};

struct exposition_writer {
	const struct stat_exposition *exposition;
	struct tally_str *out;
	struct tally_str scratch;
	bool has_header; /* the header of the present family has been written */
};

/* ---- text ----------------------------------------------------------------- */

/* Escape the value for people, so that it is UTF-8 without control characters, and then for the
 * format. */
static void label_add(struct exposition_writer *writer, char before, const char *name,
		      const char *value)
{
	struct tally_str *scratch = &writer->scratch;

	tally_str_clear(scratch);
	tally_str_add_escaped(scratch, value);
	tally_str_addf(writer->out, "%c%s=\"", before, name);
	for (size_t i = 0; i < scratch->len; i++) {
		if (scratch->data[i] == '\\' || scratch->data[i] == '"')
			tally_str_add_char(writer->out, '\\');
		tally_str_add_char(writer->out, scratch->data[i]);
	}
	tally_str_add_char(writer->out, '"');
}

static void header_add(struct exposition_writer *writer, enum family_id id)
{
	bool is_open = writer->exposition->is_open;
	enum family_type type = families[id].type;
	const char *name = families[id].name, *suffix = is_open ? "" : types[type].suffix;

	if (!writer->has_header) {
		tally_str_addf(writer->out, "# HELP %s%s %s\n# TYPE %s%s %s\n", name, suffix,
			       families[id].help, name, suffix,
			       is_open ? types[type].open : types[type].text);
		if (is_open && families[id].unit)
			tally_str_addf(writer->out, "# UNIT %s %s\n", name, families[id].unit);
	}
	writer->has_header = true;
}

/* Begin a sample. The labels and the value follow. */
static void sample_begin(struct exposition_writer *writer, enum family_id id)
{
	header_add(writer, id);
	tally_str_add(writer->out, families[id].name);
	tally_str_add(writer->out, types[families[id].type].suffix);
}

static void seconds_add(struct tally_str *out, uint64_t ns)
{
	tally_str_addf(out, "%" PRIu64 ".%09" PRIu64 "\n", ns / 1000000000, ns % 1000000000);
}

static void double_add(struct tally_str *out, double value)
{
	tally_str_addf(out, "%.15g\n", value);
}

/* ---- events --------------------------------------------------------------- */

/* Units of events in tally's tables and sysfs, in base units. */
static const struct {
	const char *name;
	enum family_id family;
	double factor;
} units[] = {
	{"Joules", FAMILY_JOULES, 1},      {"Bytes", FAMILY_BYTES, 1},
	{"KiB", FAMILY_BYTES, 1024},       {"MiB", FAMILY_BYTES, 1048576},
	{"GiB", FAMILY_BYTES, 1073741824}, {"ns", FAMILY_SECONDS, 1e-9},
	{"ms", FAMILY_SECONDS, 1e-3},
};

static bool is_time(const struct stat_row *row)
{
	return stat_row_is_clock(row) || tally_tool_is_time(row->spec->tool);
}

/* Return true if the row's value is a state, such as a temperature, which can decrease. */
static bool is_state(const struct stat_row *row)
{
	return row->spec->snapshot || (row->spec->tool && !is_time(row));
}

/* Return the family of the row's value, and the factor from its unit to the family's. */
static enum family_id family_of(const struct stat_row *row, double *ret_factor)
{
	const char *unit = row->spec->unit ? row->spec->unit : "";

	*ret_factor = 1;
	if (is_state(row))
		return FAMILY_STATE;
	if (is_time(row))
		return FAMILY_SECONDS;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(units); i++) {
		if (strcasecmp(unit, units[i].name) != 0)
			continue;
		*ret_factor = units[i].factor;
		return units[i].family;
	}
	return *unit || stat_row_is_real(row) ? FAMILY_AMOUNT : FAMILY_COUNT;
}

static void key_add(struct exposition_writer *writer, const struct stat_key *key)
{
	struct stat_key_field fields[STAT_KEY_FIELDS];

	stat_key_fields(key, fields);
	for (size_t i = 0; i < STAT_KEY_FIELDS; i++) {
		if (fields[i].value >= 0)
			tally_str_addf(writer->out, ",%s=\"%d\"", fields[i].name, fields[i].value);
	}
}

/* Append the labels of a row's series, except the last brace. */
static void labels_add(struct exposition_writer *writer, const struct stat_row *row,
		       const struct stat_key *key)
{
	label_add(writer, '{', "event", row->name);
	if (row->cgroup)
		label_add(writer, ',', "cgroup", row->cgroup);
	/* A time or a sensor is not of a CPU. */
	if (!row->spec->tool)
		key_add(writer, key);
}

static void value_add(struct exposition_writer *writer, const struct stat_row *row,
		      enum family_id family, double factor, uint64_t value)
{
	struct tally_str *out = writer->out;
	double scale = row->spec->scale != 0 ? row->spec->scale : 1;

	if ((family == FAMILY_AMOUNT || family == FAMILY_STATE) && row->spec->unit &&
	    *row->spec->unit)
		label_add(writer, ',', "unit", row->spec->unit);
	tally_str_add(out, "} ");
	if (is_time(row))
		seconds_add(out, value);
	else if (family == FAMILY_COUNT)
		tally_str_addf(out, "%" PRIu64 "\n", value);
	else
		double_add(out, (double)value * scale * factor);
}

static void event_add(struct exposition_writer *writer, enum family_id family, size_t row,
		      size_t key)
{
	const struct stat_table *table = writer->exposition->table;
	const struct stat_row *event = &table->rows[row];
	size_t index = row * table->nr_keys + key;
	const struct stat_cell *cell = &table->cells[index];
	bool is_value = family < NR_VALUE_FAMILIES;
	const char *why;
	double factor = 1;

	if (!cell->nr || (family != FAMILY_QUALITY && !stat_cell_counted(cell, &why)) ||
	    (is_value && family_of(event, &factor) != family) ||
	    (!is_value && family != FAMILY_QUALITY && event->spec->tool))
		return;
	sample_begin(writer, family);
	labels_add(writer, event, &table->keys[key]);
	if (is_value) {
		value_add(writer, event, family, factor, writer->exposition->values[index]);
		return;
	}
	if (family == FAMILY_QUALITY)
		label_add(writer, ',', "quality", tally_quality_name(cell->count.quality));
	tally_str_add(writer->out, "} ");
	if (family == FAMILY_QUALITY)
		tally_str_add(writer->out, "1\n");
	else
		seconds_add(writer->out,
			    family == FAMILY_ENABLED ? cell->count.enabled : cell->count.running);
}

static void events_add(struct exposition_writer *writer, enum family_id family)
{
	const struct stat_table *table = writer->exposition->table;

	writer->has_header = false;
	for (size_t row = 0; row < table->nr_rows; row++) {
		for (size_t key = 0; key < table->nr_keys && writer->exposition->exposed[row];
		     key++)
			event_add(writer, family, row, key);
	}
}

/* ---- metrics -------------------------------------------------------------- */

static bool is_same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* Return true if an earlier metric of the same key would have the same labels. `rows` has the
 * metrics' rows. */
static bool is_repeated(const stat_metric_vec *metrics, const struct stat_table *table,
			const size_t *rows, size_t index)
{
	const struct stat_metric *metric = &metrics->data[index];

	for (size_t i = 0; i < index; i++) {
		const struct stat_metric *other = &metrics->data[i];

		if (other->kind == STAT_FORMULA && isfinite(other->value) &&
		    is_same(other->name, metric->name) && is_same(other->pmu, metric->pmu) &&
		    is_same(table->rows[rows[i]].cgroup, table->rows[rows[index]].cgroup))
			return true;
	}
	return false;
}

static void metric_add(struct exposition_writer *writer, const struct stat_metric *metric,
		       const char *cgroup, const struct stat_key *key)
{
	sample_begin(writer, FAMILY_METRIC);
	label_add(writer, '{', "metric", metric->name);
	if (metric->unit && *metric->unit)
		label_add(writer, ',', "unit", metric->unit);
	if (metric->pmu)
		label_add(writer, ',', "pmu", metric->pmu);
	if (cgroup)
		label_add(writer, ',', "cgroup", cgroup);
	key_add(writer, key);
	tally_str_add(writer->out, "} ");
	double_add(writer->out, metric->value);
}

static int metrics_add(struct exposition_writer *writer)
{
	const struct stat_table *table = writer->exposition->table;
	stat_metric_vec metrics = {0};
	TALLY_VEC(size_t) rows = {0};
	int ret = 0;

	writer->has_header = false;
	for (size_t key = 0; key < table->nr_keys && table->nr_formulas && !ret; key++) {
		metrics.len = rows.len = 0;
		for (size_t row = 0; row < table->nr_rows && !ret; row++) {
			if (table->cells[row * table->nr_keys + key].nr && !table->rows[row].merged)
				ret = stat_metrics_of(table, row, key, &metrics);
			while (!ret && rows.len < metrics.len)
				ret = tally_vec_push(&rows, row);
		}
		for (size_t i = 0; i < metrics.len && !ret; i++) {
			if (metrics.data[i].kind == STAT_FORMULA &&
			    isfinite(metrics.data[i].value) &&
			    !is_repeated(&metrics, table, rows.data, i))
				metric_add(writer, &metrics.data[i],
					   table->rows[rows.data[i]].cgroup, &table->keys[key]);
		}
	}
	tally_vec_free(&metrics);
	tally_vec_free(&rows);
	return ret;
}

/* ---- all ------------------------------------------------------------------ */

static void about_add(struct exposition_writer *writer)
{
	writer->has_header = false;
	sample_begin(writer, FAMILY_BUILD);
	label_add(writer, '{', "version", TALLY_VERSION);
	tally_str_add(writer->out, "} 1\n");
	writer->has_header = false;
	sample_begin(writer, FAMILY_START);
	tally_str_add_char(writer->out, ' ');
	seconds_add(writer->out, writer->exposition->start_time);
	writer->has_header = false;
	sample_begin(writer, FAMILY_ERRORS);
	tally_str_addf(writer->out, " %" PRIu64 "\n", writer->exposition->read_errors);
}

void stat_exposition_keep(const struct stat_table *table, uint64_t *values)
{
	const char *why;

	for (size_t i = 0; i < table->nr_rows * table->nr_keys; i++) {
		const struct stat_cell *cell = &table->cells[i];

		if (!cell->nr || !stat_cell_counted(cell, &why))
			continue;
		if (is_state(&table->rows[i / table->nr_keys]))
			values[i] = cell->value;
		else
			values[i] = TALLY_MAX(values[i], cell->value);
	}
}

size_t stat_exposition_max(const struct stat_table *table, const bool *exposed)
{
	/* Value, enabled, running and quality. */
	enum { PER_CELL = 4, ABOUT = 3 };
	size_t nr = table->nr_formulas;

	for (size_t row = 0; row < table->nr_rows; row++)
		nr += exposed[row] ? PER_CELL : 0;
	return nr * table->nr_keys + ABOUT;
}

int stat_exposition_add(const struct stat_exposition *exposition, struct tally_str *out)
{
	struct exposition_writer writer = {.exposition = exposition, .out = out};
	int ret;

	about_add(&writer);
	for (enum family_id family = 0; family < NR_EVENT_FAMILIES; family++)
		events_add(&writer, family);
	ret = metrics_add(&writer);
	if (exposition->is_open)
		tally_str_add(out, "# EOF\n");
	tally_str_free(&writer.scratch);
	return ret ? ret : tally_str_error(out);
}
