/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows of a profile as shown on a screen: hidden rows, rows below the limits and rows that do
 * not match the search are left out. */
#ifndef TALLY_CLI_RECORDING_SHOWN_ROWS_H
#define TALLY_CLI_RECORDING_SHOWN_ROWS_H

#include "cli/recording/recording_rows.h"
#include "profile/selection.h"

struct tally_shown_rows_options {
	struct tally_profile *profile;
	const struct report_config *config; /* keys, columns, limits */
	const struct tally_intern *labels;  /* NULL without the key "trace" */
	uint32_t event;
	const struct tally_selection *selection; /* NULL: all samples of the event */
	bool graphs;                             /* build call graphs for all heavy rows */
	bool is_relative; /* percentages of the selection, otherwise of the whole event */
	bool hide_kernel, hide_user;
	const char *part;      /* show only functions with this in their names; NULL: all */
	uint64_t count_filter; /* leave out rows with fewer samples */
	size_t most;           /* maximum number of rows; 0: no limit */
};

/* view.hist points to hist: after moving or copying the struct, set it again. */
struct tally_shown_rows {
	struct tally_hist hist;
	struct tally_view view; /* column widths are not computed yet */
};

/* Build the rows. Returns 0 or -ENOMEM; on success free them with tally_shown_rows_free(). */
int tally_shown_rows_make(const struct tally_shown_rows_options *options,
			  struct tally_shown_rows *ret_chosen);
void tally_shown_rows_free(struct tally_shown_rows *chosen);

/* Return the total period of an event, which is 100 %; 0 if the event has no samples. */
uint64_t tally_shown_rows_total(const struct tally_profile *profile, uint32_t event);

#endif
