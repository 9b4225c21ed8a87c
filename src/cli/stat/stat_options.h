/* SPDX-License-Identifier: BSD-2-Clause */
/* Command-line options of tally stat. */
#ifndef TALLY_CLI_STAT_OPTIONS_H
#define TALLY_CLI_STAT_OPTIONS_H

#include "cli/stat/stat.h"

/* The command-line options, which set the fields of struct stat_config. */
extern const struct tally_option stat_options[];

/* Check for options that exclude or require each other, and parse string options. `argv` is the
 * command, or NULL. Returns 0, or -EINVAL after printing an error. */
int stat_config_check(struct stat_config *config, char **argv);

/* Choose the aggregation mode. Returns 0, or -EINVAL after printing an error if several are
 * given. */
int stat_aggr_check(struct stat_config *config);

/* Free the lists in `config`. */
void stat_config_free(struct stat_config *config);

#endif
