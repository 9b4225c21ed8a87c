/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line: rows, checks and texts. */
#ifndef TALLY_CLI_STAT_OPTIONS_H
#define TALLY_CLI_STAT_OPTIONS_H

#include "cli/stat/stat.h"

extern const struct tally_option stat_options[];

/* Combinations and texts. 0, or -EINVAL after having said what is wrong. `argv` NULL: no
 * command. */
int stat_config_check(struct stat_config *config, char **argv);

void stat_config_free(struct stat_config *config);

#endif
