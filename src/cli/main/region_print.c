/* SPDX-License-Identifier: BSD-2-Clause */
/* Print regions as text and as JSON. */
#include "base/escape.h"
#include "base/json.h"
#include "cli/main/region_table.h"
#include "tally/region.h"

enum { VALUE_WIDTH = 18, EVENT_WIDTH = 32 };

static const char *name_of(const struct region_tables *tables, uint32_t id)
{
	return tally_intern_text(&tables->names, id);
}

static bool has_value(enum tally_quality quality)
{
	return quality == TALLY_QUALITY_EXACT || quality == TALLY_QUALITY_SCALED ||
	       quality == TALLY_QUALITY_ESTIMATED;
}

/* ---- text ----------------------------------------------------------------------------------- */

/* Append a count, or a time in ms, without its unit. */
static void add_amount(struct tally_str *out, double amount, bool is_time, int decimals,
		       const char *thousands, int width)
{
	struct tally_str digits = {0}, text = {0};

	tally_str_addf(&digits, "%.*f", is_time ? 2 : decimals, is_time ? amount / 1e6 : amount);
	tally_str_add_grouped(&text, tally_str_text(&digits), thousands);
	tally_str_addf(out, "%*s", width, tally_str_text(&text));
	tally_str_free(&text);
	tally_str_free(&digits);
}

static void add_name(struct tally_str *out, const char *name, int width)
{
	struct tally_str label = {0};

	tally_str_add_escaped(&label, name);
	tally_str_addf(out, "%-*s", width, tally_str_text(&label));
	tally_str_free(&label);
}

/* Print a count in the columns of tally stat. */
static void print_count(const struct region_tables *tables, const struct region_column *event,
			const struct tally_count *count, uint64_t calls, const char *thousands,
			struct tally_str *out)
{
	const char *unit = event->is_time ? " msec" : "", *name = name_of(tables, event->name);
	double value = (double)tally_count_scaled(count);
	struct tally_str label = {0};

	if (!has_value(count->quality)) {
		tally_str_addf(&label, "<%s>", tally_quality_name(count->quality));
		tally_str_addf(out, "%*s      ", VALUE_WIDTH, tally_str_text(&label));
		tally_str_free(&label);
		add_name(out, name, 0);
		return;
	}
	add_amount(out, value, event->is_time, 0, thousands, VALUE_WIDTH);
	tally_str_addf(out, "%-6s", unit);
	add_name(out, name, calls ? EVENT_WIDTH : 0);
	if (calls) {
		tally_str_add(out, " # ");
		add_amount(out, value / (double)calls, event->is_time, 1, thousands, 8);
		tally_str_addf(out, "%s a call", unit);
	}
	if (count->quality != TALLY_QUALITY_EXACT)
		tally_str_addf(out, "  (%s)", tally_quality_name(count->quality));
}

static void print_row(const struct region_tables *tables, const struct region_table *table,
		      uint32_t number, const char *prefix, const char *thousands,
		      struct tally_str *out)
{
	const struct region_row *row = &table->rows.data[number];

	tally_str_addf(out, "%s %*s", prefix, (int)row->depth * 2, "");
	tally_str_add_escaped(out, name_of(tables, row->name));
	tally_str_addf(out, ": %llu call%s", (unsigned long long)row->calls,
		       tally_plural(row->calls));
	if (row->time)
		tally_str_addf(out, ", %.2f msec", (double)row->time / 1e6);
	tally_str_add_char(out, '\n');
	for (size_t i = 0; i < table->events.len; i++) {
		tally_str_add(out, prefix);
		print_count(tables, &table->events.data[i],
			    &table->counts.data[number * table->events.len + i], row->calls,
			    thousands, out);
		tally_str_add_char(out, '\n');
	}
	tally_str_addf(out, "%s\n", prefix);
}

static bool region_tables_have_rows(const struct region_tables *tables)
{
	tally_vec_for_each (table, &tables->tables)
		if (table->rows.len)
			return true;
	return false;
}

void region_tables_print(const struct region_tables *tables, const char *prefix,
			 const char *thousands, struct tally_str *out)
{
	if (!region_tables_have_rows(tables) && !tables->unmeasured)
		return;
	tally_str_addf(out, "%s Regions of %llu thread%s, counted by the program:\n%s\n", prefix,
		       (unsigned long long)tables->documents, tally_plural(tables->documents),
		       prefix);
	tally_vec_for_each (table, &tables->tables)
		for (uint32_t row = table->first; row != REGION_NO_ROW;
		     row = region_table_next(table, row))
			print_row(tables, table, row, prefix, thousands, out);
	if (tables->unmeasured)
		tally_str_addf(out, "%s %llu start%s of regions could not be measured\n%s\n",
			       prefix, (unsigned long long)tables->unmeasured,
			       tally_plural(tables->unmeasured), prefix);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static void count_json(const struct region_tables *tables, const struct region_column *event,
		       const struct tally_count *count, struct tally_str *out)
{
	tally_json_open(out, NULL, '{');
	tally_json_text(out, "event", name_of(tables, event->name));
	tally_json_text(out, "quality", tally_quality_name(count->quality));
	if (has_value(count->quality)) {
		tally_json_u64(out, "value", count->value);
		tally_json_u64(out, "scaled", tally_count_scaled(count));
		tally_json_u64(out, "enabled_ns", count->enabled);
		tally_json_u64(out, "running_ns", count->running);
	}
	if (*name_of(tables, event->refused))
		tally_json_text(out, "rule", name_of(tables, event->refused));
	tally_json_close(out, '}');
}

/* Append the names of a region and the regions around it, the outermost first. */
static void path_json(const struct region_tables *tables, const struct region_table *table,
		      uint32_t number, struct tally_str *out)
{
	uint32_t path[TALLY_REGIONS_DEPTH];
	size_t nr = 0;

	for (; number != REGION_NO_ROW; number = table->rows.data[number].parent)
		path[nr++] = table->rows.data[number].name;
	tally_json_open(out, "path", '[');
	while (nr--)
		tally_json_text(out, NULL, name_of(tables, path[nr]));
	tally_json_close(out, ']');
}

static void row_json(const struct region_tables *tables, const struct region_table *table,
		     uint32_t number, struct tally_str *out)
{
	const struct region_row *row = &table->rows.data[number];

	tally_json_open(out, NULL, '{');
	path_json(tables, table, number, out);
	tally_json_u64(out, "calls", row->calls);
	if (row->time)
		tally_json_u64(out, "time_ns", row->time);
	tally_json_open(out, "counts", '[');
	for (size_t i = 0; i < table->events.len; i++)
		count_json(tables, &table->events.data[i],
			   &table->counts.data[number * table->events.len + i], out);
	tally_json_close(out, ']');
	tally_json_close(out, '}');
}

void region_tables_json(const struct region_tables *tables, struct tally_str *out)
{
	tally_json_open(out, "regions", '[');
	tally_vec_for_each (table, &tables->tables)
		for (uint32_t row = table->first; row != REGION_NO_ROW;
		     row = region_table_next(table, row))
			row_json(tables, table, row, out);
	tally_json_close(out, ']');
}
