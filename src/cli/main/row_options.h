/* SPDX-License-Identifier: BSD-2-Clause */
/* Options that select rows, columns and call graphs, and the selection. */
#ifndef TALLY_CLI_MAIN_ROW_OPTIONS_H
#define TALLY_CLI_MAIN_ROW_OPTIONS_H

#include "cli/main/arguments.h"
#include "profile/process/ignore_callees.h"
#include "view/shown_rows.h"

struct tally_row_options {
	const char *sort, *fields, *call_graph;
	const char *comms, *dsos, *symbols, *percent_limit, *column_widths;
	const char *default_sort; /* NULL for comm,dso,symbol */
	bool children_given, call_graph_given, inverted, show_samples, show_period;
	bool hierarchy; /* a tree with a level for each key, which has no sums of callees */
	bool latency, cpu_modes; /* more columns; rows are sorted by latency */
	/* For keys that are fields of the recording's tracepoints: calls tally_row_options_field()
	 * for a word, or returns -ENOENT if there is no such field. NULL if keys are never
	 * fields. */
	int (*find_field)(void *arg, struct tally_row_options *options, const char *word,
			  size_t len);
	void *find_arg;
	/* Partly set by options, and completed by tally_row_options_finish(). */
	struct tally_show show;
	/* Derived from the options above. */
	bool order_given, graph_min_given;
	double node_min_percent; /* of --hierarchy */
	struct tally_word_list comm_list, dso_list, symbol_list;
	TALLY_VEC(struct tally_row_field *) fields_found;
};

/* Derive keys and columns. `has_chains` is set if the recording has callchains. Returns 0, or
 * -errno after printing an error. */
int tally_row_options_finish(struct tally_row_options *options, bool has_chains);

/* Check the options before a recording is read. Returns 0, or -errno after printing an error. */
int tally_row_options_check(const struct tally_row_options *options);

/* Append the sort keys as given, or the default ones. */
void tally_row_options_sort_order(const struct tally_row_options *options, struct tally_str *out);

/* If only one comm, DSO or symbol is selected, remove its column, because all rows would show the
 * same value; perf does the same in text output. If no key would be left, none is removed. The
 * names are appended to `out`, which may be NULL, as comments. */
void tally_row_options_remove_single(struct tally_row_options *options, struct tally_str *out);

/* Parse the argument of --percentage: "relative", or "absolute", which is also the default. Returns
 * 0, or -EINVAL after printing an error. */
int tally_row_percentage(const char *word, bool *ret_relative);

/* Parse only the comm, DSO and symbol lists. Returns 0 or -ENOMEM. */
int tally_row_options_lists(struct tally_row_options *options);

/* Add a column for a field, which is copied. Returns 0, or -errno after printing an error. */
int tally_row_options_field(struct tally_row_options *options,
			    const struct tally_view_field *field);

/* Process the option --ignore-callees with this pattern, or NULL if it was not given. Returns 0,
 * -EINVAL after printing an error, or -ENOMEM. */
int tally_ignore_callees_option(const char *pattern, struct tally_ignore_callees *ignore);

void tally_row_options_free(struct tally_row_options *options);

#endif
