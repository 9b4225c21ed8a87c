/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows and sets of events, generated from the options. */
#ifndef TALLY_CLI_STAT_EVENTS_H
#define TALLY_CLI_STAT_EVENTS_H

#include "cli/stat/stat.h"

/* Close the cgroup and free the set, but not its counters. */
void stat_set_free(struct stat_set *set);

/* Parse the events and metrics specified by the options into rows, formulas and sets. Returns 0, or
 * -errno after printing an error. */
int stat_events_parse(struct stat_session *session);

#endif
