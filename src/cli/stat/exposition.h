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
	/* Indexed like table->cells: the cells' values, of which a counter must never decrease. */
	const uint64_t *values;
	uint64_t start_time;  /* start of counting, in ns since 1970 */
	uint64_t read_errors; /* number of times that the counters could not be read */
	bool is_open;         /* OpenMetrics 1.0, not the text format 0.0.4 */
};

/* Return true if the row's value is a state, such as a temperature, which can decrease. */
bool stat_exposition_is_state(const struct stat_row *row);

/* Return the largest possible number of series for the rows and metrics of a table. */
size_t stat_exposition_max(const struct stat_table *table, const bool *exposed);

/* Append the series. Returns 0 or -ENOMEM. */
int stat_exposition_add(const struct stat_exposition *exposition, struct tally_str *out);

#endif
