/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of a profile as they are shown one screen at a time: what is hidden, too light or not looked
 * for is left out. */
#ifndef TALLY_CLI_RECORDING_CHOSEN_H
#define TALLY_CLI_RECORDING_CHOSEN_H

#include "cli/recording/rows.h"
#include "profile/selection.h"

struct tally_chosen_options {
	struct tally_profile *profile;
	const struct report_config *config; /* keys, columns, limits */
	const struct tally_intern *labels;  /* NULL without the key "trace" */
	uint32_t event;
	const struct tally_selection *selection; /* NULL: all of the event */
	bool graphs;                             /* call graphs of all heavy rows are made */
	bool is_relative; /* shares are of what is left in, else of the whole event */
	bool hide_kernel, hide_user;
	const char *part;      /* only functions with this in their name; NULL: all */
	uint64_t count_filter; /* rows of fewer samples are left out */
	size_t most;           /* rows; 0: all */
};

/* Who moves it lets view.hist point to its hist again. */
struct tally_chosen {
	struct tally_hist hist;
	struct tally_view view; /* not measured */
};

/* 0 or -ENOMEM; free it with tally_chosen_free(). */
int tally_chosen_make(const struct tally_chosen_options *options, struct tally_chosen *ret_chosen);
void tally_chosen_free(struct tally_chosen *chosen);

/* What is all of an event: 100 %. 0 of an event without samples. */
uint64_t tally_chosen_total(const struct tally_profile *profile, uint32_t event);

#endif
