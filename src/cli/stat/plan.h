/* SPDX-License-Identifier: BSD-2-Clause */
/* The --plan option. */
#ifndef TALLY_CLI_STAT_PLAN_H
#define TALLY_CLI_STAT_PLAN_H

#include "cli/stat/stat.h"

/* Print how the events would share the counters. Returns 0, or -errno after printing an error. */
int stat_plan(struct stat_session *session);

#endif
