/* SPDX-License-Identifier: BSD-2-Clause */
/* --sort and --fields: parse words into keys and columns. */
#ifndef TALLY_CLI_MAIN_ROW_COLUMNS_H
#define TALLY_CLI_MAIN_ROW_COLUMNS_H

#include "cli/main/row_options.h"

/* Compute `keys`, `columns` and `nr_columns` from --sort and --fields; `children` must already be
 * set. A list that begins with '+' is added to the defaults. Returns 0, or -EINVAL after printing
 * an error. */
int tally_row_options_columns(struct tally_row_options *options);

/* Print the words of --sort or --fields for shells, except these TALLY_KEY_*. */
void tally_row_print_words(bool is_sort, unsigned no_keys);

/* Replace the sort keys and recompute keys and columns. On failure, print an error and keep the
 * previous keys and columns. */
int tally_row_options_sort(struct tally_row_options *options, const char *sort);

#endif
