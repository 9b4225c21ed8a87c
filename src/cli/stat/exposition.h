/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A table of counts in the text formats of Prometheus: 0.0.4 and OpenMetrics 1.0. The metrics are
 * described in docs/commands/stat.md. The labels of a value never change: the quality of a count,
 * which can change, is a metric of its own. A count without a value has only this metric.
 */
#ifndef TALLY_CLI_STAT_EXPOSITION_H
#define TALLY_CLI_STAT_EXPOSITION_H

#include "cli/stat/stat_table.h"

struct stat_exposition {
	const struct stat_table *table;
	/* Indexed by row: the row is exposed. Two exposed rows must not have the same name and
	 * cgroup. */
	const bool *exposed;
	/* Indexed like table->cells: the values, as stat_exposition_keep() stores them. */
	const uint64_t *values;
	uint64_t start_time;  /* start of counting, in ns since 1970 */
	uint64_t read_errors; /* number of times that the counters could not be read */
	bool is_open;         /* OpenMetrics 1.0, not the text format 0.0.4 */
};

/* Update `values` with the counts of the table's cells. A counter keeps its value if the new one is
 * smaller: the estimate of a scaled count can decrease, which Prometheus would take for a restart.
 * Cells without a count keep their values. */
void stat_exposition_keep(const struct stat_table *table, uint64_t *values);

/* Return the largest possible number of series for the rows and metrics of a table. */
size_t stat_exposition_max(const struct stat_table *table, const bool *exposed);

/* Append the series. Returns 0 or -ENOMEM. */
int stat_exposition_add(const struct stat_exposition *exposition, struct tally_str *out);

#endif
