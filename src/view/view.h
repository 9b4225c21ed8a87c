/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A report as text, separated values or JSON, over one table of columns. Everything is
 * appended to a string builder, row by row; printing it is the caller's business.
 */
#ifndef TALLY_VIEW_VIEW_H
#define TALLY_VIEW_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "profile/hist.h"
#include "profile/profile.h"
#include "view/shorten.h"

/* What stands for the part of a name that is left out of text. */
#define TALLY_VIEW_MARK "..."

struct tally_view;

/* A column: its name as in --sort and --fields, its heading, and how a row fills it. */
struct tally_view_column {
	const char *name, *heading;
	unsigned key;   /* TALLY_KEY_* that rows are told apart by; 0: a measure */
	int width;      /* of measures; 0: as wide as the widest text */
	bool is_number; /* of separated values and JSON */
	/* Append it as it was recorded; see tally_view_cell(). */
	void (*text)(const struct tally_view *view, const struct tally_row *row,
		     struct tally_str *out);
	enum tally_shorten how; /* of names: how one that does not fit is shortened, */
	uint8_t kept;           /* behind so many columns that stay: "[k] " */
};

extern const struct tally_view_column tally_view_columns[];

/* The column with this name; NULL if there is none. */
const struct tally_view_column *tally_view_column_find(const char *name, size_t len);

enum { TALLY_VIEW_MAX_COLUMNS = 16 };

enum tally_graph_style {
	TALLY_STYLE_NONE,
	TALLY_STYLE_GRAPH,   /* shares of the whole */
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
	uint64_t total;          /* what 100 % is */
	uint64_t percent_limit;  /* rows below this period are left out */
	const char *symbol_part; /* so are those without this in the symbol's name; NULL: none */
	enum tally_graph_style style;
	double graph_min_percent;
	uint32_t graph_limit;  /* lines of one callchain; 0: all */
	const char *separator; /* of separated values; NULL: columns */
	bool has_paths;        /* files of source are shown with their directories */
	/* Call graphs that are made when a row is opened, by its number among the rows: makes it
	 * the row's `graph`, 0 or -ENOMEM. NULL: all are made. */
	int (*grow)(void *arg, uint32_t row);
	bool (*may_grow)(void *arg, uint32_t row); /* whether there may be any */
	void *grow_arg;
	/* Of columns. Without either all names are whole, and those of more than 80 columns do not
	 * make theirs wider: what is behind them in their row is not aligned. */
	int line_width; /* lines fit into so many columns, as names are shortened; 0: they need not
			 */
	const int *asked; /* how wide each column is to be; 0: as if nothing was asked. Or NULL */
};

/* Rows that are shown: heavy enough, and of a symbol that is looked for. */
bool tally_view_shows(const struct tally_view *view, const struct tally_row *row);

/* Find how wide the columns are; before the first heading. */
void tally_view_measure(struct tally_view *view);

/* "# Children  Self  Command ..." and the dotted line below; nothing with a separator but the
 * names. */
void tally_view_heading(const struct tally_view *view, struct tally_str *out);

/* One row, and the call graph below it. */
void tally_view_row(const struct tally_view *view, const struct tally_row *row,
		    struct tally_str *out);

/* The call graph of a row; nothing without one. */
void tally_view_graph(const struct tally_view *view, const struct tally_row *row,
		      struct tally_str *out);

/* Children of a node worth showing, heaviest first. */
struct tally_view_branches {
	const struct tally_graph_node **items; /* free it */
	size_t nr;
};

/* Those of the node with this number; `parent` is what a share of it is of, where shares are of the
 * caller. 0 or -ENOMEM. */
int tally_view_branches(const struct tally_view *view, uint32_t number, uint64_t parent,
			struct tally_view_branches *ret_branches);

/* The only child of a node, if all of it goes there; else 0. */
uint32_t tally_view_continuation(const struct tally_view *view, uint32_t number);

/* One row as a JSON object: every column by its name, and the graph as nested objects. */
void tally_view_row_json(const struct tally_view *view, const struct tally_row *row,
			 struct tally_str *out);

/* What a row has in a column, escaped (base/escape.h). */
void tally_view_cell(const struct tally_view *view, const struct tally_view_column *column,
		     const struct tally_row *row, struct tally_str *out);

/* The same, but a name in at most so many columns. */
void tally_view_short_cell(const struct tally_view *view, const struct tally_view_column *column,
			   const struct tally_row *row, size_t columns, const char *mark,
			   struct tally_str *out);

/* The name of a frame as JSON has it: demangled, or the address in hex. */
void tally_view_frame_name(const struct tally_view *view, uint32_t frame, struct tally_str *out);

/* Whether a frame is an inlined function: its name says so, too. */
bool tally_view_frame_is_inlined(const struct tally_view *view, uint32_t frame);

/* The same as graphs show it, escaped and in at most so many columns. */
void tally_view_frame_text(const struct tally_view *view, uint32_t frame, size_t columns,
			   const char *mark, struct tally_str *out);

/* `part` of `whole` as "12.34%"; 0 % of nothing. */
void tally_view_percent(uint64_t part, uint64_t whole, struct tally_str *out);

#endif
