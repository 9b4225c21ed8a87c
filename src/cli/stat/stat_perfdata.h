/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers in the records of 'stat record'. */
#ifndef TALLY_CLI_STAT_PERFDATA_H
#define TALLY_CLI_STAT_PERFDATA_H

#include <stdint.h>

#include "cli/stat/stat_table.h"

/* Tags of STAT_CONFIG entries. */
enum { STAT_PERFDATA_AGGR = 0, STAT_PERFDATA_INTERVAL = 1, STAT_PERFDATA_SCALE = 2 };

/* Types of STAT_ROUND records: one of several intervals, or the only round. */
enum { STAT_PERFDATA_PERIODIC = 0, STAT_PERFDATA_LAST = 1 };

/* Return the number that perf 6.1 uses for an aggregation mode. If perf 6.1 does not have the mode,
 * return that of STAT_AGGR_ALL. */
uint64_t stat_perfdata_of_mode(enum stat_aggr mode);

/* Return the aggregation mode for a number that was written by perf `version`, such as "6.1.0".
 * Numbers of modes that tally does not have, and unknown numbers, are STAT_AGGR_ALL. */
enum stat_aggr stat_perfdata_mode(uint64_t number, const char *version);

#endif
