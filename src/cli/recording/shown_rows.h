/* SPDX-License-Identifier: BSD-2-Clause */
/* The profile rows to show on a screen. Hidden rows, rows below the limits, and rows that do not
 * match the search are excluded. */
#ifndef TALLY_CLI_RECORDING_SHOWN_ROWS_H
#define TALLY_CLI_RECORDING_SHOWN_ROWS_H

#include "cli/recording/recording_rows.h"
#include "profile/selection.h"

struct tally_shown_rows_options {
	struct tally_profile *profile;
	const struct report_config *config; /* for keys, columns and limits */
	const struct tally_intern *labels;  /* NULL if the key "trace" is not used */
	uint32_t event;
	const struct tally_selection *selection; /* NULL for all samples of the event */
	bool graphs;                             /* build call graphs for all heavy rows */
	bool is_relative; /* percentages are relative to the selection, not to the event */
	bool hide_kernel, hide_user;
	const char *part;      /* string that function names must contain, or NULL */
	uint64_t count_filter; /* omit rows with fewer samples than this */
	size_t most;           /* maximum number of rows; 0 if unlimited */
};

/* view.hist points to hist and must be updated after the struct is moved or copied. */
struct tally_shown_rows {
	struct tally_hist hist;
	struct tally_view view; /* column widths are not computed yet */
};

/* Build the rows. Returns 0 or -ENOMEM; on success free them with tally_shown_rows_free(). */
int tally_shown_rows_make(const struct tally_shown_rows_options *options,
			  struct tally_shown_rows *ret_chosen);
void tally_shown_rows_free(struct tally_shown_rows *chosen);

/* Return an event's total period, which corresponds to 100 %, or 0 if the event has no samples. */
uint64_t tally_shown_rows_total(const struct tally_profile *profile, uint32_t event);

#endif
