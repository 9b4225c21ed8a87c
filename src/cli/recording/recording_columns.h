/* SPDX-License-Identifier: BSD-2-Clause */
/* --sort and --fields: parse words into keys and columns. */
#ifndef TALLY_CLI_RECORDING_COLUMNS_H
#define TALLY_CLI_RECORDING_COLUMNS_H

#include "cli/recording/recording_rows.h"

/* Compute `keys`, `columns` and `nr_columns` from --sort and --fields; `children` must already be
 * set. A list that begins with '+' is added to the defaults. Returns 0, or -EINVAL after printing
 * an error. */
int report_config_columns(struct report_config *config);

/* Replace the sort keys and recompute keys and columns. On failure, print an error and keep the
 * previous keys and columns. */
int report_config_sort(struct report_config *config, const char *sort);

#endif
