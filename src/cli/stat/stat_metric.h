/* SPDX-License-Identifier: BSD-2-Clause */
/* Metrics that perf prints next to certain events. */
#ifndef TALLY_CLI_STAT_METRIC_H
#define TALLY_CLI_STAT_METRIC_H

#include "cli/stat/stat_table.h"

typedef bool stat_row_match_fn(const struct stat_row *row, const void *arg);

/* Return the count that best matches `row` among the rows accepted by `match`, or 0 if no row
 * matches. */
double stat_metric_base(const struct stat_table *table, size_t row, size_t key,
			stat_row_match_fn *match, const void *arg);

/* Set the metric of an event of transactional memory. Return false for other events. */
bool stat_metric_transactions(const struct stat_table *table, size_t row, size_t key,
			      struct stat_metric *ret_metric);

/* Set the metrics of msr/smi/: the share of time, and the number, of system management interrupts.
 * Return false for other events, and if msr/aperf/ or cycles were not counted. */
bool stat_metric_smi(const struct stat_table *table, size_t row, size_t key,
		     struct stat_metric *ret_share, struct stat_metric *ret_number);

#endif
