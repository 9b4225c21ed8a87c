/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of tally stat. */
#ifndef TALLY_CLI_STAT_OPTIONS_H
#define TALLY_CLI_STAT_OPTIONS_H

#include "cli/stat/stat.h"

extern const struct tally_option stat_options[];

/* Check the options that exclude or need each other, and parse those that are texts. `argv` is the
 * command, NULL for none. 0, or -EINVAL after having printed what is wrong. */
int stat_config_check(struct stat_config *config, char **argv);

void stat_config_free(struct stat_config *config);

#endif
