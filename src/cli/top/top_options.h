/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of tally top. */
#ifndef TALLY_CLI_TOP_OPTIONS_H
#define TALLY_CLI_TOP_OPTIONS_H

#include "cli/top/top.h"

extern const struct tally_option top_options[];

/* Derive the settings that depend on other settings. Returns 0, or -EINVAL after printing an
 * error. */
int top_config_finish(struct top_config *config);

/* Print the words of --sort and --fields for shells. */
void top_print_sort(const char *before);
void top_print_fields(const char *before);

#endif
