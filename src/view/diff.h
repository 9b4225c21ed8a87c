/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What changed between recordings, as text with perf's columns and two of ours, and as JSON. Which
 * rows there are, and whether they changed, is profile/diff.h's business.
 */
#ifndef TALLY_VIEW_DIFF_H
#define TALLY_VIEW_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "profile/diff.h"

/* What the column behind the baseline has, and rows are sorted by. */
enum tally_diff_compute {
	TALLY_COMPUTE_DELTA_ABS, /* the difference of shares, the largest change first */
	TALLY_COMPUTE_DELTA,     /* the same, what grew first */
	TALLY_COMPUTE_RATIO,     /* of periods */
	TALLY_COMPUTE_WDIFF,     /* difference of periods, each times a weight */
};

enum { TALLY_DIFF_COLUMNS = 14 };

struct tally_diff_view {
	const struct tally_diff *diff;
	int measure; /* TALLY_DIFF_SELF or _TOTAL */
	enum tally_diff_compute compute;
	double weights[TALLY_SIDES]; /* of TALLY_COMPUTE_WDIFF */
	const char *unit;            /* of absolute values; NULL: they are shares */
	const char *separator;       /* of separated values; NULL: columns */
	bool has_periods, has_formula, has_verdicts;
	bool by_baseline;      /* rows are in the order of the baseline */
	bool matched;          /* rows that are on both sides only */
	bool changed;          /* rows that changed only */
	bool no_file, no_comm; /* these columns say nothing */
	int line_width; /* columns of the terminal that names are shortened for; 0: they are not */
	/* Set by tally_diff_view_rows(). */
	const struct tally_diff_row **rows; /* free them */
	size_t nr_rows;
	double baseline_period;         /* of the rows shown, with `matched` */
	int widths[TALLY_DIFF_COLUMNS]; /* set by tally_diff_view_measure() */
};

/* Pick the rows that are shown and put them in order. 0 or -ENOMEM. */
int tally_diff_view_rows(struct tally_diff_view *view);

/* The difference of a row that has one. */
double tally_diff_view_delta(const struct tally_diff_view *view, const struct tally_diff_row *row);

/* The names of verdicts and states as JSON has them; states are "new", "gone", "both", ... */
const char *tally_diff_verdict_name(enum tally_diff_verdict verdict);
const char *tally_diff_state_name(enum tally_diff_state state);

/* Whether a row is said to have changed. */
bool tally_diff_is_changed(const struct tally_diff_value *value);

/* Whether a row changed, in words: "grew", "same to 1.2%", "cannot tell". */
void tally_diff_view_verdict(const struct tally_diff_view *view, const struct tally_diff_row *row,
			     struct tally_str *out);

/* The callchain that a row of paths is, from the outermost caller on. */
void tally_diff_view_path(const struct tally_diff_view *view, const struct tally_diff_row *row,
			  struct tally_str *out);

/* Find how wide the columns are; before the heading. */
void tally_diff_view_measure(struct tally_diff_view *view);
void tally_diff_view_heading(const struct tally_diff_view *view, struct tally_str *out);
void tally_diff_view_row(const struct tally_diff_view *view, const struct tally_diff_row *row,
			 struct tally_str *out);

/* The members of the open JSON object that are about the event, and a row as an object. */
void tally_diff_view_json(const struct tally_diff_view *view, struct tally_str *out);
void tally_diff_view_row_json(const struct tally_diff_view *view, const struct tally_diff_row *row,
			      struct tally_str *out);

#endif
