/* SPDX-License-Identifier: BSD-2-Clause */
/* --dry-run. */
#ifndef TALLY_CLI_STAT_DRY_H
#define TALLY_CLI_STAT_DRY_H

#include "cli/stat/stat.h"

/* Print what would be opened. 0 or -errno after having said why. */
int stat_dry_run(struct stat_session *session);

#endif
