/* SPDX-License-Identifier: BSD-2-Clause */
/* tally top on a terminal: the browser with a live profile. */
#ifndef TALLY_CLI_TOP_SCREEN_H
#define TALLY_CLI_TOP_SCREEN_H

#include "cli/browser/browser_view.h"
#include "cli/top/top.h"

/* Run until the user quits or the tasks exit, and print the reason. `signals` is a signalfd.
 * Returns 0 or -errno. */
int top_screen_run(struct top *top, int signals);

/* Keys in addition to the browser's keys, and their help lines. */
extern const struct browser_key top_keys[];
extern const size_t top_nr_keys;
extern const char *const top_keys_help[];
extern const size_t top_nr_keys_help;

#endif
