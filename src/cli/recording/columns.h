/* SPDX-License-Identifier: BSD-2-Clause */
/* --sort and --fields: from words to keys and columns. */
#ifndef TALLY_CLI_RECORDING_COLUMNS_H
#define TALLY_CLI_RECORDING_COLUMNS_H

#include "cli/recording/rows.h"

/* Derive `keys`, `columns` and `nr_columns`, after `children`, from what was asked for. A list that
 * begins with '+' is added to what there is without it. 0 or -EINVAL, which was told. */
int report_config_columns(struct report_config *config);

/* Change the sort keys: derive keys and columns anew. Prints what is wrong; then the previous ones
 * stay. */
int report_config_sort(struct report_config *config, const char *sort);

#endif
