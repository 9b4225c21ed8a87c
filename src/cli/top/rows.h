/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows as they are shown. The caller holds the lock. */
#ifndef TALLY_CLI_TOP_ROWS_H
#define TALLY_CLI_TOP_ROWS_H

#include "cli/top/top.h"

/* What is looked at alone. Texts are owned; NULL or -1: not. */
struct top_zoom {
	char *comm, *dso, *symbol;
	char *part; /* in the name of a symbol */
	int32_t pid, tid;
	bool kernel;
};

/* Not to be moved once made. */
struct top_rows {
	struct tally_hist hist; /* rows that are not shown are left out */
	struct tally_view view; /* not measured */
	uint64_t generation;    /* of the profile that they were made of */
};

void top_zoom_free(struct top_zoom *zoom);

/* What a profile has to tell apart for these columns and callchains. */
unsigned top_profile_by(const struct report_config *config);

/* Make the rows of an event; `relative` to what is looked at, else to everything; the first `most`.
 * 0 or -ENOMEM. */
int top_rows_make(struct top *top, uint32_t event, const struct top_zoom *zoom, bool relative,
		  size_t most, struct top_rows *ret_rows);

void top_rows_free(struct top_rows *rows);

/* To be called when all rows of a refresh were made: with --zero the profile is emptied then. */
void top_rows_taken(struct top *top);

#endif
