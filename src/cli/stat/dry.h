/* SPDX-License-Identifier: BSD-2-Clause */
/* --dry-run. */
#ifndef TALLY_CLI_STAT_DRY_H
#define TALLY_CLI_STAT_DRY_H

#include "cli/stat/stat.h"

/* Print what would be opened. Returns 0, or -errno after an error message. */
int stat_dry_run(struct stat_session *session);

#endif
