/* SPDX-License-Identifier: BSD-2-Clause */
/* The options before a command's name, and what depends on the name that tally was started by. */
#ifndef TALLY_CLI_MAIN_GLOBAL_OPTIONS_H
#define TALLY_CLI_MAIN_GLOBAL_OPTIONS_H

#include <stdbool.h>

#include "cli/main/command.h"

/* Apply the options in argv[1...]. Returns their number; or, if tally must exit, -1 - status.
 * `*ret_paginate` is set to true if a pager is requested for all output. */
int tally_global_options(int argc, char **argv, bool *ret_paginate);

/* Remember the name by which the program was started. */
void tally_started_as(const char *argv0);

/* Return true if the program was started as "perf", by a link or a copy with that name. Programs
 * that start perf then get perf's version text and exit statuses. */
bool tally_is_perf(void);

/* After a message that recommends perf: if the program was started as perf, print a hint that the
 * command is not perf's. */
void tally_hint_real_perf(const char *message);

/* Return the exit status that perf has where this command of tally has `status`. */
int tally_perf_status(const struct tally_command *command, int status);

/* Print the long names of a command's options, separated by blanks, as perf does for shells. */
void tally_print_option_names(const struct tally_command *command);

/* Print the words that an option takes (tally_command.words), or with "-", the words that the
 * arguments can be. `before` is the argument before the word, or NULL. If `option` is NULL, print
 * the options that have such words. */
void tally_print_words(const struct tally_command *command, const char *option, const char *before);

#endif
