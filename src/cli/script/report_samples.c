/* SPDX-License-Identifier: BSD-2-Clause */
/* event_analyzing_sample: samples by thread name, function and file. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/intern.h"
#include "cli/script/trace_reports.h"

struct sample_count {
	uint32_t name;
	uint64_t count;
};

/* Samples by one property. */
struct sample_table {
	struct tally_intern names;
	TALLY_VEC(struct sample_count) rows; /* at the name's ID */
};

enum { BY_COMM, BY_SYMBOL, BY_DSO, NR_TABLES };

struct sample_tables {
	struct sample_table tables[NR_TABLES];
	uint64_t samples;
};

static int count_name(struct sample_table *table, const char *name)
{
	uint32_t at;
	int ret = tally_intern(&table->names, name, strlen(name), &at);

	if (!ret && at == table->rows.len)
		ret = tally_vec_push(&table->rows, (struct sample_count){.name = at});
	if (!ret)
		table->rows.data[at].count++;
	return ret;
}

static int count_sample(struct trace_report *report)
{
	struct sample_tables *state = report->state;
	struct tally_machine *machine = report->session->machine;
	const struct tally_feed_sample *sample = report->sample;
	const struct tally_location *where =
		tally_machine_locate(machine, sample->thread, sample->cpumode, sample->sample.ip);
	int ret = count_name(&state->tables[BY_COMM], tally_machine_comm(machine, sample->thread));

	if (!ret)
		ret = count_name(&state->tables[BY_SYMBOL],
				 where->symbol ? tally_symbol_name(where->dso, where->symbol)
					       : "Unknown_symbol");
	if (!ret)
		ret = count_name(&state->tables[BY_DSO],
				 where->dso ? tally_dso_name(where->dso) : "Unknown_dso");
	report->used++;
	state->samples++;
	return ret;
}

static int compare_rows(const void *a, const void *b, void *arg)
{
	const struct tally_intern *names = arg;
	const struct sample_count *x = a, *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return strcmp(tally_intern_text(names, x->name), tally_intern_text(names, y->name));
}

static void print_row(const char *text, int width, uint64_t count, struct tally_str *out)
{
	struct tally_str name = {0};

	tally_str_add_escaped(&name, text);
	tally_str_addf(out, "%*s %8" PRIu64 "     ", width, tally_str_text(&name), count);
	tally_str_free(&name);
	/* The bar has the length of the count's binary form. */
	for (; count; count >>= 1)
		tally_str_add_char(out, '#');
	tally_str_add_char(out, '\n');
}

static void print_table(struct sample_table *table, const char *heading, int width, int rule,
			struct tally_str *out)
{
	tally_str_addf(out, "\n%*s %8s %16s\n", width, heading, "number", "histogram");
	for (int i = 0; i < rule; i++)
		tally_str_add_char(out, '=');
	tally_str_add_char(out, '\n');
	qsort_r(table->rows.data, table->rows.len, sizeof(*table->rows.data), compare_rows,
		&table->names);
	tally_vec_for_each (row, &table->rows)
		print_row(tally_intern_text(&table->names, row->name), width, row->count, out);
}

static void print_samples(struct trace_report *report, struct tally_str *out)
{
	static const struct {
		const char *heading;
		int width, rule;
	} columns[NR_TABLES] = {{"comm", 16, 42}, {"symbol", 32, 58}, {"dso", 40, 74}};
	struct sample_tables *state = report->state;

	tally_str_addf(out,
		       "In trace_begin:\n\nIn trace_end:\n\n"
		       "There is %" PRIu64 " records in gen_events table\n",
		       state->samples);
	if (state->samples) {
		tally_str_add(out, "Statistics about the general events grouped by "
				   "thread/symbol/dso: \n\n");
		for (int i = 0; i < NR_TABLES; i++)
			print_table(&state->tables[i], columns[i].heading, columns[i].width,
				    columns[i].rule, out);
	}
	/* The kernel puts no PEBS records into samples, so perf finds none either. */
	tally_str_add(out, "There is 0 records in pebs_ll table\n");
}

static void free_samples(void *arg)
{
	struct sample_tables *state = arg;

	for (int i = 0; i < NR_TABLES; i++) {
		tally_intern_free(&state->tables[i].names);
		tally_vec_free(&state->tables[i].rows);
	}
}

const struct trace_report_kind trace_sample_reports[] = {
	{.name = "event_analyzing_sample",
	 .about = "samples of any event by thread name, function and file",
	 .usage = "",
	 .record = (const char *const[]){"record", NULL},
	 .state_size = sizeof(struct sample_tables),
	 .sample = count_sample,
	 .print = print_samples,
	 .free = free_samples},
	{0},
};
