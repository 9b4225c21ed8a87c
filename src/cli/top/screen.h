/* SPDX-License-Identifier: BSD-2-Clause */
/* tally top on a terminal: the browser of recordings, over what happens now. */
#ifndef TALLY_CLI_TOP_SCREEN_H
#define TALLY_CLI_TOP_SCREEN_H

#include "cli/browser/view.h"
#include "cli/top/top.h"

/* Show it as a screen until its end, which is told. 0 or -errno. `signals`: signalfd. */
int top_screen_run(struct top *top, int signals);

/* The keys that a recording has not, and a line of help for each. */
extern const struct browser_key top_keys[];
extern const size_t top_nr_keys;
extern const char *const top_keys_help[];
extern const size_t top_nr_keys_help;

#endif
