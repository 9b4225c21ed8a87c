/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Changes between recordings, as JSON or as text with perf's columns and two additional columns.
 * profile/diff/profile_diff.h computes the rows and their verdicts.
 */
#ifndef TALLY_VIEW_DIFF_H
#define TALLY_VIEW_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "profile/diff/profile_diff.h"

/* Metric shown after the baseline, by which rows are sorted. */
enum tally_diff_compute {
	TALLY_COMPUTE_DELTA_ABS, /* difference between shares, largest change first */
	TALLY_COMPUTE_DELTA,     /* the same, largest increase first */
	TALLY_COMPUTE_RATIO,     /* ratio of periods */
	TALLY_COMPUTE_WDIFF,     /* weighted difference between periods */
};

enum {
	TALLY_DIFF_COLUMNS = 14,
	TALLY_DIFF_NAME_MAX = 100, /* width to which names with a footnote are shortened */
};

struct tally_diff_view {
	const struct tally_diff *diff;
	int measure; /* TALLY_DIFF_SELF or _TOTAL */
	enum tally_diff_compute compute;
	double weights[TALLY_SIDES]; /* for TALLY_COMPUTE_WDIFF */
	const char *unit;            /* unit of absolute values; NULL if values are shares */
	const char *separator;       /* column separator; NULL for aligned columns */
	bool has_periods, has_formula, has_verdicts;
	bool by_baseline;      /* sort rows by the baseline */
	bool matched;          /* show only rows that exist on both sides */
	bool changed;          /* show only rows that changed */
	bool has_short_names;  /* show short names of functions, see profile/short_names.h */
	bool no_file, no_comm; /* omit these columns because they are not informative */
	int line_width;        /* width to which names are shortened; 0 if unlimited */
	/* Set by tally_diff_view_rows(). */
	const struct tally_diff_row **rows; /* freed by the caller */
	size_t nr_rows;
	/* Indexed like the diff's rows: the number of a row's footnote, or 0. NULL for no
	 * footnotes. Set by tally_diff_view_number_notes(), freed by the caller. */
	uint32_t *notes;
	double baseline_period;         /* for `matched`: sum over the displayed rows */
	int widths[TALLY_DIFF_COLUMNS]; /* set by tally_diff_view_measure() */
};

/* Select and sort the rows to show. Returns 0 or -ENOMEM. */
int tally_diff_view_rows(struct tally_diff_view *view);

/* Return the difference between the sides of a row. */
double tally_diff_view_delta(const struct tally_diff_view *view, const struct tally_diff_row *row);

/* Return the JSON name of a verdict or a state; states are "new", "gone", "both", ... */
const char *tally_diff_verdict_name(enum tally_diff_verdict verdict);
const char *tally_diff_state_name(enum tally_diff_state state);

/* Return true if a row is reported as changed. */
bool tally_diff_is_changed(const struct tally_diff_value *value);

/* Append a row's verdict in words: "grew", "same to 1.2%", "cannot tell". */
void tally_diff_view_verdict(const struct tally_diff_view *view, const struct tally_diff_row *row,
			     struct tally_str *out);

/* Append the callchain of a path row, starting with the outermost caller. */
void tally_diff_view_path(const struct tally_diff_view *view, const struct tally_diff_row *row,
			  struct tally_str *out);

/* Shorten the names of functions in the text, and number the footnotes with whole names. Must be
 * called before tally_diff_view_measure(). Returns 0 or -ENOMEM. */
int tally_diff_view_number_notes(struct tally_diff_view *view);

/* Append the footnotes of the first `nr_rows` rows. */
void tally_diff_view_notes(const struct tally_diff_view *view, size_t nr_rows,
			   struct tally_str *out);

/* Compute the column widths (before the heading), append the heading, or append a row. */
void tally_diff_view_measure(struct tally_diff_view *view);
void tally_diff_view_heading(const struct tally_diff_view *view, struct tally_str *out);
void tally_diff_view_row(const struct tally_diff_view *view, const struct tally_diff_row *row,
			 struct tally_str *out);

/* Append the event's members to the open JSON object, or append a row as an object. */
void tally_diff_view_json(const struct tally_diff_view *view, struct tally_str *out);
void tally_diff_view_row_json(const struct tally_diff_view *view, const struct tally_diff_row *row,
			      struct tally_str *out);

#endif
