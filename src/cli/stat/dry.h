/* SPDX-License-Identifier: BSD-2-Clause */
/* The --dry-run option, and the attributes of the events. */
#ifndef TALLY_CLI_STAT_DRY_H
#define TALLY_CLI_STAT_DRY_H

#include "cli/stat/stat.h"

/* Print the events that would be opened. Returns 0, or -errno after printing an error. */
int stat_dry_run(struct stat_session *session);

/* Append the attribute of each event, in lines as with perf's -vv. */
void stat_attrs_add(const struct stat_set *set, const struct tally_counters *counters,
		    struct tally_str *out);

#endif
