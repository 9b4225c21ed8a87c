/* SPDX-License-Identifier: BSD-2-Clause */
/* The profile rows to show on a screen. Hidden rows, rows below the limits, and rows that do not
 * match the search are excluded. */
#ifndef TALLY_VIEW_SHOWN_ROWS_H
#define TALLY_VIEW_SHOWN_ROWS_H

#include <regex.h>

#include "profile/selection.h"
#include "view/view.h"

/* The rows, columns and call graphs that a report shows. Strings are borrowed. */
struct tally_show {
	unsigned keys; /* TALLY_KEY_* */
	const struct tally_view_column *columns[TALLY_VIEW_MAX_COLUMNS];
	int nr_columns;
	int widths[TALLY_VIEW_MAX_COLUMNS];
	const int *asked; /* `widths` if the user chose widths, or NULL */
	bool children;    /* rows include the cost of callees */
	bool by_self;     /* rows are sorted by their self cost first */
	bool in_order;    /* rows are sorted by the columns, from the first to the last */
	bool after_row;   /* see struct tally_view */
	bool is_relative; /* percentages are relative to the samples that pass the filters */
	bool has_paths;   /* include directories when distinguishing and showing source files */
	enum tally_graph_style style;
	enum tally_graph_order order;
	enum tally_graph_key graph_key;
	enum tally_graph_value graph_value;
	double graph_min_percent, row_min_percent;
	uint64_t graph_limit;    /* maximum lines per callchain, or 0 for no limit */
	const char *symbol_part; /* string that function names must contain, or NULL */
	const char *parent; /* pattern of the functions for TALLY_KEY_PARENT; NULL for perf's */
	const regex_t *parent_regex; /* `parent`, compiled */
};

/* Return the minimum period for call graph branches in a report with the total `period`. Returns 0
 * for the fractal style, where the limit depends on the parent branch. */
uint64_t tally_show_graph_min(const struct tally_show *show, uint64_t period);

/* Return symbol_part if it applies to rows, otherwise NULL. As in perf, it applies to rows if they
 * have a symbol. If they do not, it applies to the leaf function of each sample, and
 * tally_show_sample_part() returns it. */
const char *tally_show_row_part(const struct tally_show *show);
const char *tally_show_sample_part(const struct tally_show *show);

/* Return true if the key "parent" treats this function as a parent. */
bool tally_show_is_parent(const struct tally_show *show, const char *symbol);

struct tally_shown_rows_options {
	struct tally_profile *profile;
	const struct tally_show *show;
	const struct tally_labels *labels; /* NULL without TALLY_KEY_LABEL */
	uint32_t event;
	const uint32_t *members; /* other events to show side by side; see struct tally_hist */
	uint32_t nr_members, first_member;
	const struct tally_selection *selection; /* NULL for all samples of the event */
	bool graphs;                             /* build call graphs for all heavy rows */
	uint64_t whole; /* value that corresponds to 100 %; 0 for that of the event */
	bool hide_kernel, hide_user;
	const char *part;      /* string that function names must contain, or NULL */
	uint64_t count_filter; /* omit rows with fewer samples than this */
	size_t most;           /* maximum number of rows; 0 if unlimited */
};

/* view.hist points to hist and must be updated after the struct is moved or copied. */
struct tally_shown_rows {
	struct tally_hist hist;
	struct tally_view view;          /* column widths are not computed yet */
	struct tally_hist *member_hists; /* with the sums of one event each */
	struct tally_view *member_views;
};

/* Return the options with which the rows are built, for tally_hist_mark(). They point to
 * `options`. */
struct tally_hist_options tally_shown_rows_hist(const struct tally_shown_rows_options *options);

/* Build the rows. Returns 0 or -ENOMEM; on success free them with tally_shown_rows_free(). */
int tally_shown_rows_make(const struct tally_shown_rows_options *options,
			  struct tally_shown_rows *ret_chosen);
void tally_shown_rows_free(struct tally_shown_rows *chosen);

/* Return an event's total period, which corresponds to 100 %, or 0 if the event has no samples. */
uint64_t tally_shown_rows_total(const struct tally_profile *profile, uint32_t event);

#endif
