/* SPDX-License-Identifier: BSD-2-Clause */
/* The --dry-run option. */
#ifndef TALLY_CLI_STAT_DRY_H
#define TALLY_CLI_STAT_DRY_H

#include "cli/stat/stat.h"

/* Print the events that would be opened. Returns 0, or -errno after printing an error. */
int stat_dry_run(struct stat_session *session);

#endif
