/* SPDX-License-Identifier: BSD-2-Clause */
/* What `tally report` was asked for, from its options to keys and columns. */
#ifndef TALLY_CLI_RECORDING_ROWS_H
#define TALLY_CLI_RECORDING_ROWS_H

#include "cli/main/command.h"
#include "cli/main/words.h"
#include "cli/recording/session.h"
#include "view/view.h"

struct report_config {
	struct tally_session_options session;
	const char *sort, *fields, *call_graph;
	const char *comms, *dsos, *symbols, *symbol_part, *parent;
	const char *symfs, *kallsyms, *vmlinux, *percent_limit, *separator, *colour;
	const char *column_widths;
	const char *svg;             /* a flame graph goes to this file; NULL: it is a report */
	const char *format, *output; /* of --format; NULL: as text, to standard output */
	uint64_t event_number;       /* from 1; 0: all */
	bool event_given, csv;
	const char *default_sort; /* NULL: comm,dso,symbol */
	uint64_t max_stack;
	bool is_inlined, inlined_given; /* inlined functions are frames */
	bool children, children_given, inverted, no_demangle, force, stdio, tui, no_bounds;
	bool has_paths; /* files of source are told apart, and shown, with their directories */
	const char *html, *baseline; /* see page.h */
	bool html_source;            /* the same */
	bool header, header_only, health, show_samples, show_period, json, quiet, group, raw_chains;
	/* From here on derived. */
	unsigned keys;
	const struct tally_view_column *columns[TALLY_VIEW_MAX_COLUMNS];
	int nr_columns;
	int widths[TALLY_VIEW_MAX_COLUMNS];
	const int *asked; /* the widths; NULL: none were asked for */
	enum tally_graph_style style;
	enum tally_graph_order order;
	bool order_given;
	double graph_min_percent, row_min_percent;
	uint64_t graph_limit;
	struct tally_word_list comm_list, dso_list, symbol_list;
};

extern const struct tally_option report_options[];

/* Derive keys and columns. `has_chains`: the recording has callchains. Says what is wrong. */
int report_config_finish(struct report_config *config, bool has_chains);

/* Whether the options are understood, before a recording is looked at. Says what is wrong. */
int report_config_check(const struct report_config *config);

/* Where samples of one thread's name, file or function alone are asked for, leave out the column
 * that would say so in every row, as perf's text does; not if it is the only one. */
void report_config_leave_out_single(struct report_config *config);

/* Derive the lists of names alone. 0 or -ENOMEM. */
int report_config_lists(struct report_config *config);

/* The period below which branches of graphs are not shown, of a report over `period` in all. 0 also
 * where it depends on the branch that they part from. */
uint64_t report_config_graph_min(const struct report_config *config, uint64_t period);

void report_config_free(struct report_config *config);

/* What --symbol-filter leaves out: rows where they have a symbol, as perf does, else samples by
 * their innermost one. NULL: nothing. */
const char *report_config_row_part(const struct report_config *config);
const char *report_config_sample_part(const struct report_config *config);

/* Whether a function is one of the callers that the key "parent" looks for. */
bool report_config_is_parent(const struct report_config *config, const char *symbol);

#endif
