/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A report as text, separated values or JSON, from one table of columns. Everything is appended to
 * a string builder, row by row; the caller prints it.
 */
#ifndef TALLY_VIEW_VIEW_H
#define TALLY_VIEW_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "profile/hist.h"
#include "profile/profile.h"
#include "view/shorten.h"

/* Mark for the omitted part of a name in text. */
#define TALLY_VIEW_MARK "..."

struct tally_view;

/* A column: its name in --sort and --fields, its heading, and the function that fills it. */
struct tally_view_column {
	const char *name, *heading;
	unsigned key;   /* TALLY_KEY_* by which it distinguishes rows; 0: a metric */
	int width;      /* of metrics; 0: that of the widest text */
	bool is_number; /* in separated values and JSON */
	/* Append the text as recorded; see tally_view_cell(). */
	void (*text)(const struct tally_view *view, const struct tally_row *row,
		     struct tally_str *out);
	enum tally_shorten how; /* for names: how to shorten one that does not fit */
	uint8_t kept;           /* number of columns at its start that stay: "[k] " */
};

extern const struct tally_view_column tally_view_columns[];

/* Return the column with this name, or NULL. */
const struct tally_view_column *tally_view_column_find(const char *name, size_t len);

enum { TALLY_VIEW_MAX_COLUMNS = 16 };

enum tally_graph_style {
	TALLY_STYLE_NONE,
	TALLY_STYLE_GRAPH,   /* shares of the total */
	TALLY_STYLE_FRACTAL, /* shares of the caller */
	TALLY_STYLE_FLAT,
	TALLY_STYLE_FOLDED,
};

struct tally_view {
	const struct tally_profile *profile;
	const struct tally_hist *hist;
	const struct tally_view_column *columns[TALLY_VIEW_MAX_COLUMNS];
	int widths[TALLY_VIEW_MAX_COLUMNS];
	int nr_columns;
	const struct tally_intern *labels; /* with TALLY_KEY_LABEL: traces */
	uint32_t event;
	uint64_t total;          /* value that is 100 % */
	uint64_t percent_limit;  /* omit rows below this period */
	const char *symbol_part; /* omit rows without this in the symbol's name; NULL: none */
	enum tally_graph_style style;
	double graph_min_percent;
	uint32_t graph_limit;  /* maximum lines of a callchain; 0: no limit */
	const char *separator; /* for separated values; NULL: aligned columns */
	bool has_paths;        /* show source files with their directories */
	/* Makes the call graph of a row, by number, when the row is opened, and stores it in the
	 * row's `graph`. Returns 0 or -ENOMEM. NULL: all graphs exist already. */
	int (*grow)(void *arg, uint32_t row);
	bool (*may_grow)(void *arg, uint32_t row); /* returns true if the row may have a graph */
	void *grow_arg;
	/* Widths of columns. Without either, names are not shortened, and those wider than 80
	 * columns do not widen their column: the rest of their row is not aligned. */
	int line_width;   /* maximum columns of a line, for which names are shortened; 0: none */
	const int *asked; /* requested width of each column, 0: default; or NULL */
};

/* Return true if a row is shown: it is heavy enough, and its symbol matches `symbol_part`. */
bool tally_view_shows(const struct tally_view *view, const struct tally_row *row);

/* Compute the widths of the columns, before the first heading. */
void tally_view_measure(struct tally_view *view);

/* Append the heading, "# Children  Self  Command ...", and the dotted line below it; with a
 * separator only the names. */
void tally_view_heading(const struct tally_view *view, struct tally_str *out);

/* Append one row, and the call graph below it. */
void tally_view_row(const struct tally_view *view, const struct tally_row *row,
		    struct tally_str *out);

/* Append the call graph of a row, if it has one. */
void tally_view_graph(const struct tally_view *view, const struct tally_row *row,
		      struct tally_str *out);

/* Children of a node that are heavy enough, heaviest first. */
struct tally_view_branches {
	const struct tally_graph_node **items; /* freed by the caller */
	size_t nr;
};

/* Return the branches of node `number`. `parent` is the period that shares refer to if they are
 * relative to the caller. Returns 0 or -ENOMEM. */
int tally_view_branches(const struct tally_view *view, uint32_t number, uint64_t parent,
			struct tally_view_branches *ret_branches);

/* Return the only child of a node if it has all of the node's period; otherwise 0. */
uint32_t tally_view_continuation(const struct tally_view *view, uint32_t number);

/* Append one row as a JSON object: every column by name, and the graph as nested objects. */
void tally_view_row_json(const struct tally_view *view, const struct tally_row *row,
			 struct tally_str *out);

/* Append a cell, escaped (base/escape.h). */
void tally_view_cell(const struct tally_view *view, const struct tally_view_column *column,
		     const struct tally_row *row, struct tally_str *out);

/* Append a cell, but shorten a name to at most `columns` columns. */
void tally_view_short_cell(const struct tally_view *view, const struct tally_view_column *column,
			   const struct tally_row *row, size_t columns, const char *mark,
			   struct tally_str *out);

/* Append the name of a frame in JSON: demangled, or the address in hex. */
void tally_view_frame_name(const struct tally_view *view, uint32_t frame, struct tally_str *out);

/* Return true if a frame is an inlined function, which its name also shows. */
bool tally_view_frame_is_inlined(const struct tally_view *view, uint32_t frame);

/* Append the name of a frame in graphs, escaped and shortened to at most `columns` columns. */
void tally_view_frame_text(const struct tally_view *view, uint32_t frame, size_t columns,
			   const char *mark, struct tally_str *out);

/* Append `part` of `whole` as "12.34%"; 0 % if `whole` is 0. */
void tally_view_percent(uint64_t part, uint64_t whole, struct tally_str *out);

#endif
