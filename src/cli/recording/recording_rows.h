/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of `tally report`, with the keys and columns derived from these options. */
#ifndef TALLY_CLI_RECORDING_ROWS_H
#define TALLY_CLI_RECORDING_ROWS_H

#include "cli/main/command.h"
#include "cli/main/arguments.h"
#include "cli/main/recordings.h"
#include "view/view.h"

struct report_config {
	struct tally_recording_options recording;
	const char *sort, *fields, *call_graph;
	const char *comms, *dsos, *symbols, *symbol_part, *parent;
	const char *symfs, *kallsyms, *vmlinux, *percent_limit, *separator, *colour;
	const char *column_widths;
	const char *svg;             /* file to write a flame graph to, or NULL */
	const char *format, *output; /* --format and -o; NULL for text and standard output */
	uint64_t event_number;       /* 1-based; 0 for all events */
	bool event_given, csv;
	const char *default_sort; /* NULL for comm,dso,symbol */
	uint64_t max_stack;
	bool is_inlined, inlined_given; /* show inlined functions as frames */
	bool children, children_given, inverted, no_demangle, force, stdio, tui, no_bounds;
	bool has_paths; /* include directories when distinguishing and showing source files */
	const char *html, *baseline; /* see cli/main/html_file.h */
	bool html_source;            /* see cli/main/html_file.h */
	bool header, header_only, health, show_samples, show_period, json, quiet, group, raw_chains;
	/* Derived from the options above. */
	unsigned keys;
	const struct tally_view_column *columns[TALLY_VIEW_MAX_COLUMNS];
	int nr_columns;
	int widths[TALLY_VIEW_MAX_COLUMNS];
	const int *asked; /* points to `widths` if --column-widths was given, or NULL */
	enum tally_graph_style style;
	enum tally_graph_order order;
	bool order_given;
	double graph_min_percent, row_min_percent;
	uint64_t graph_limit;
	struct tally_word_list comm_list, dso_list, symbol_list;
};

extern const struct tally_option report_options[];

/* Derive keys and columns. `has_chains` is set if the recording has callchains. Returns 0, or
 * -errno after printing an error. */
int report_config_finish(struct report_config *config, bool has_chains);

/* Check the options before a recording is read. Returns 0, or -errno after printing an error. */
int report_config_check(const struct report_config *config);

/* If only one comm, DSO or symbol is selected, remove its column, because all rows would show the
 * same value; perf does the same in text output. The last column is never removed. */
void report_config_remove_single(struct report_config *config);

/* Parse only the comm, DSO and symbol lists. Returns 0 or -ENOMEM. */
int report_config_lists(struct report_config *config);

/* Return the minimum period for call graph branches in a report with the total `period`. Returns 0
 * for the fractal style, where the limit depends on the parent branch. */
uint64_t report_config_graph_min(const struct report_config *config, uint64_t period);

void report_config_free(struct report_config *config);

/* Return the pattern of --symbol-filter if it applies to rows, otherwise NULL. As in perf, the
 * pattern applies to rows if they have a symbol. If they do not, it applies to the leaf function of
 * each sample, and report_config_sample_part() returns it. */
const char *report_config_row_part(const struct report_config *config);
const char *report_config_sample_part(const struct report_config *config);

/* Return true if the key "parent" treats this function as a parent. */
bool report_config_is_parent(const struct report_config *config, const char *symbol);

#endif
