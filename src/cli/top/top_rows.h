/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows to show. All functions that take a struct top are called with top->lock held. */
#ifndef TALLY_CLI_TOP_ROWS_H
#define TALLY_CLI_TOP_ROWS_H

#include "view/shown_rows.h"
#include "cli/top/top.h"

/* Return the TALLY_BY_* flags that the profile needs for these columns and callchains. */
unsigned top_profile_by(const struct tally_show *show);

/* Build at most `most` rows for an event. Returns 0 or -ENOMEM. */
int top_rows_build(struct top *top, uint32_t event, size_t most, struct tally_shown_rows *ret_rows);

/* Decay the profile; with --zero, empty it. Returns 0 or -ENOMEM. */
int top_rows_age(struct top *top);

/* Finish a refresh after building all its rows: after the first time, the profile ages, so that
 * each sample has been shown before it does. */
void top_rows_finished(struct top *top);

#endif
