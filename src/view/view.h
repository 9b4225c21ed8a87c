/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A report as text, separated values or JSON, based on one table of columns. All output is appended
 * to a string builder, one row at a time; the caller prints it.
 */
#ifndef TALLY_VIEW_VIEW_H
#define TALLY_VIEW_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "profile/hist.h"
#include "profile/profile_model.h"
#include "view/shorten.h"

/* Mark that replaces the omitted part of a name. */
#define TALLY_VIEW_MARK "..."

struct tally_view;
struct tally_labels;
struct tally_feed_sample;

/* Appends a cell that is computed from a sample; see view/sample_labels.h. */
typedef void tally_cell_fn(struct tally_labels *labels, const struct tally_feed_sample *sample,
			   struct tally_str *out);

/* A field of a tracepoint, as sort key. */
struct tally_view_field {
	const char *event; /* name of the tracepoint; NULL for all that have the field */
	const char *name;
	bool raw; /* always the value in the sample, even if the event's text has another form */
};

/* A column: its name for --sort and --fields, its heading, and the function that fills it. */
struct tally_view_column {
	const char *name, *heading;
	unsigned key;   /* TALLY_KEY_* that the column distinguishes; 0 for a metric */
	int width;      /* width of a metric; 0 to fit the widest text */
	bool is_number; /* written as a number in separated values and JSON */
	/* Appends the cell's text as recorded; see tally_view_cell(). */
	void (*text)(const struct tally_view *view, const struct tally_view_column *column,
		     const struct tally_row *row, struct tally_str *out);
	enum tally_shorten how; /* for names: how to shorten long names */
	uint8_t kept;           /* width of a prefix that is always kept, e.g. "[k] " */
	tally_cell_fn *cell;    /* with TALLY_KEY_LABEL or `part`: computes the cell of a sample */
	bool of_branch;         /* exists only if rows are branches */
	/* For a metric that depends on `cell`, which does not distinguish rows: what samples with
	 * this cell add to the row's sum. */
	uint64_t (*part)(const char *cell, uint64_t nr, uint64_t period);
	const struct tally_view_field *field; /* with TALLY_KEY_LABEL, in place of `cell` */
	enum tally_hist_sum sum;              /* for a metric without `part`: what it shows */
};

extern const struct tally_view_column tally_view_columns[];

/* Return a column for a field, which is borrowed. */
struct tally_view_column tally_view_field_column(const struct tally_view_field *field);

/* Return true if a column is computed from samples; see view/sample_labels.h. */
static inline bool tally_view_column_is_of_sample(const struct tally_view_column *column)
{
	return column->cell || column->field;
}

/* Return true if a column is computed from samples and needs a recording, or takes too long for
 * live samples. */
bool tally_view_column_is_recorded(const struct tally_view_column *column);

/* Return the column with this name, or NULL. */
const struct tally_view_column *tally_view_column_find(const char *name, size_t len);

enum { TALLY_VIEW_MAX_COLUMNS = 64, TALLY_VIEW_MAX_EVENTS = 32 };

enum tally_graph_style {
	TALLY_STYLE_NONE,
	TALLY_STYLE_GRAPH,   /* relative to the total */
	TALLY_STYLE_FRACTAL, /* relative to the caller */
	TALLY_STYLE_FLAT,
	TALLY_STYLE_FOLDED,
};

/* Value that call graphs show for each branch. */
enum tally_graph_value {
	TALLY_GRAPH_PERCENT,
	TALLY_GRAPH_PERIOD,
	TALLY_GRAPH_COUNT, /* number of samples */
};

struct tally_view {
	const struct tally_profile *profile;
	const struct tally_hist *hist;
	const struct tally_view_column *columns[TALLY_VIEW_MAX_COLUMNS];
	int widths[TALLY_VIEW_MAX_COLUMNS];
	int nr_columns;
	const struct tally_labels *labels; /* with TALLY_KEY_LABEL */
	uint32_t event;
	/* The other events of a group (tally_hist_options.members): metrics show a value of each
	 * event side by side. */
	const struct tally_view *members;
	uint32_t nr_members;                          /* less than TALLY_VIEW_MAX_EVENTS */
	uint64_t total;                               /* value that corresponds to 100 % */
	uint64_t part_totals[TALLY_VIEW_MAX_COLUMNS]; /* sums over all rows, by part */
	const char *symbol_part; /* show only rows with this string in their symbol; NULL for all */
	enum tally_graph_style style;
	enum tally_graph_key graph_key; /* nodes other than functions show their source lines */
	enum tally_graph_value graph_value;
	bool after_row; /* graphs do not repeat the row's function as their only root, as in perf */
	double graph_min_percent;
	uint32_t graph_limit;  /* maximum lines per callchain, or 0 for no limit */
	const char *separator; /* column separator; NULL for aligned columns */
	bool has_colours;      /* colour percentages; only with aligned columns */
	bool has_short_names;  /* show short names of functions, see profile/short_names.h */
	bool has_paths;        /* show source files with their directories */
	/* Creates the call graph of row number `row` when the row is opened, and stores it in the
	 * row's `graph`. Returns 0 or -ENOMEM. The callback is NULL if all graphs already exist. */
	int (*grow)(void *arg, uint32_t row);
	bool (*may_grow)(void *arg, uint32_t row); /* returns true if the row may have a graph */
	void *grow_arg;
	/* Column widths. If neither is set, names are not shortened, and names wider than 80
	 * columns do not widen their column, so the remaining cells of such a row are not
	 * aligned. */
	int line_width;   /* line width to which names are shortened, or 0 for no limit */
	const int *asked; /* requested column widths, 0 for the default; or NULL */
};

/* Return the number of the additional sum (tally_hist_part()) of a column that has `part`. */
unsigned tally_view_part(const struct tally_view_column *const *columns,
			 const struct tally_view_column *column);

/* Return the additional sum of a row that a column shows. */
uint64_t tally_view_sum(const struct tally_view *view, const struct tally_view_column *column,
			const struct tally_row *row);

/* Return true if a row is shown, i.e. if it is not empty and its symbol matches `symbol_part`. */
bool tally_view_shows(const struct tally_view *view, const struct tally_row *row);

/* Return the width of a metric, with the values of all events. */
static inline int tally_view_metric_width(const struct tally_view *view,
					  const struct tally_view_column *column)
{
	return column->width * (1 + (int)view->nr_members);
}

/* Append a metric: its value in `rows`, the rows of the event and of the other events of the
 * group. */
void tally_view_metric(const struct tally_view *view, const struct tally_view_column *column,
		       const struct tally_row *rows, struct tally_str *out);

/* Compute the column widths. Call this before appending the first heading. */
void tally_view_measure(struct tally_view *view);

/* Append the heading, "# Children  Self  Command ...", and the dotted line below it. With a
 * separator, append only the column names. */
void tally_view_heading(const struct tally_view *view, struct tally_str *out);

/* Append a row and the call graph below it. */
void tally_view_row(const struct tally_view *view, const struct tally_row *row,
		    struct tally_str *out);

/* Append a row's call graph, if it has one. */
void tally_view_graph(const struct tally_view *view, const struct tally_row *row,
		      struct tally_str *out);

/* Sufficiently heavy children of a node, heaviest first. */
struct tally_view_branches {
	const struct tally_graph_node **items; /* freed by the caller */
	size_t nr;
};

/* Return the branches of node `number`. `parent` is the period that corresponds to 100 % if shares
 * are relative to the caller. Returns 0 or -ENOMEM. */
int tally_view_branches(const struct tally_view *view, uint32_t number, uint64_t parent,
			struct tally_view_branches *ret_branches);

/* Return the only child of a node if it accounts for the node's whole period, otherwise 0. */
uint32_t tally_view_continuation(const struct tally_view *view, uint32_t number);

/* Append a row as a JSON object: every column by name, and the graph as nested objects. */
void tally_view_row_json(const struct tally_view *view, const struct tally_row *row,
			 struct tally_str *out);

/* Append a cell, escaped (base/escape.h). */
void tally_view_cell(const struct tally_view *view, const struct tally_view_column *column,
		     const struct tally_row *row, struct tally_str *out);

/* Append a cell, with names shortened to at most `columns` columns. */
void tally_view_short_cell(const struct tally_view *view, const struct tally_view_column *column,
			   const struct tally_row *row, size_t columns, const char *mark,
			   struct tally_str *out);

/* Append a frame's name for JSON: the demangled function name, or the address in hex. */
void tally_view_frame_name(const struct tally_view *view, uint32_t frame, struct tally_str *out);

/* Return true if a frame is an inlined function; its name shows this as well. */
bool tally_view_frame_is_inlined(const struct tally_view *view, uint32_t frame);

/* Append a source line of a frame, such as "util.c:12"; without line information, append nothing,
 * or for nodes that are addresses, the offset in the function, such as "+12". */
void tally_view_frame_line(const struct tally_view *view, uint32_t frame, struct tally_str *out);

/* Append a frame's name for graphs, escaped and shortened to at most `columns` columns. */
void tally_view_frame_text(const struct tally_view *view, uint32_t frame, size_t columns,
			   const char *mark, struct tally_str *out);

/* Return the least value that is at least `percent` of `total`. */
uint64_t tally_view_least(uint64_t total, double percent);

/* Append `part` / `whole` as a percentage like "12.34%", or 0 % if `whole` is 0. */
void tally_view_percent(uint64_t part, uint64_t whole, struct tally_str *out);

#endif
