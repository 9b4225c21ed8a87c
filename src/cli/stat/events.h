/* SPDX-License-Identifier: BSD-2-Clause */
/* From events to rows and sets. */
#ifndef TALLY_CLI_STAT_EVENTS_H
#define TALLY_CLI_STAT_EVENTS_H

#include "cli/stat/stat.h"

/* Close the cgroup and free the set, but not its counters. */
void stat_set_free(struct stat_set *set);

/* Parse the events and metrics of the options into rows, formulas and sets. 0, or -errno after
 * having said what is wrong. */
int stat_events_parse(struct stat_session *session);

#endif
