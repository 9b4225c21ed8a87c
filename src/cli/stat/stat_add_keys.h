/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TALLY_CLI_STAT_ADD_KEYS_H
#define TALLY_CLI_STAT_ADD_KEYS_H

#include "cli/stat/stat.h"

/* Add the keys for the session's aggregation mode. Return 0; -ENOMEM; or -ENODATA if a CPU has no
 * such cache or cluster. */
int stat_keys_add(struct stat_session *session);

#endif
