/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/stat/stat_perfdata.h"

#include <stdio.h>

#include "base/arith.h"

/* The modes by number. perf inserted "cache" in 6.5 and "cluster" in 6.9, without another tag.
 * They are read as STAT_AGGR_ALL: the counts are those of CPUs, and '--per-cache' adds them up. */
#define OLD_MODES STAT_AGGR_CPU, STAT_AGGR_ALL, STAT_AGGR_SOCKET, STAT_AGGR_DIE
#define NEW_MODES STAT_AGGR_CORE, STAT_AGGR_THREAD, STAT_AGGR_ALL, STAT_AGGR_NODE

static const enum stat_aggr modes[] = {OLD_MODES, NEW_MODES};
static const enum stat_aggr modes_6_5[] = {OLD_MODES, STAT_AGGR_ALL, NEW_MODES};
static const enum stat_aggr modes_6_9[] = {OLD_MODES, STAT_AGGR_ALL, STAT_AGGR_ALL, NEW_MODES};

uint64_t stat_perfdata_of_mode(enum stat_aggr mode)
{
	for (uint64_t number = 0; number < TALLY_ARRAY_SIZE(modes); number++)
		if (modes[number] == mode)
			return number;
	return stat_perfdata_of_mode(STAT_AGGR_ALL);
}

enum stat_aggr stat_perfdata_mode(uint64_t number, const char *version)
{
	unsigned major, minor;
	bool is_known = sscanf(version, "%u.%u", &major, &minor) == 2;
	unsigned at = is_known ? major * 1000 + TALLY_MIN(minor, 999u) : 0;

	if (at >= 6009)
		return number < TALLY_ARRAY_SIZE(modes_6_9) ? modes_6_9[number] : STAT_AGGR_ALL;
	if (at >= 6005)
		return number < TALLY_ARRAY_SIZE(modes_6_5) ? modes_6_5[number] : STAT_AGGR_ALL;
	return number < TALLY_ARRAY_SIZE(modes) ? modes[number] : STAT_AGGR_ALL;
}
