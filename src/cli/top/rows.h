/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows as they are shown. The caller holds the lock. */
#ifndef TALLY_CLI_TOP_ROWS_H
#define TALLY_CLI_TOP_ROWS_H

#include "cli/recording/chosen.h"
#include "cli/top/top.h"

/* What a profile has to tell apart for these columns and callchains. */
unsigned top_profile_by(const struct report_config *config);

/* Make the rows of an event, the first `most`. 0 or -ENOMEM. */
int top_rows_make(struct top *top, uint32_t event, size_t most, struct tally_chosen *ret_rows);

/* To be called when all rows of a refresh were made: with --zero the profile is emptied then. */
void top_rows_taken(struct top *top);

#endif
