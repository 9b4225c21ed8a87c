/* SPDX-License-Identifier: BSD-2-Clause */
/* Interactive diff in a terminal, controlled with the keyboard and the mouse. */
#ifndef TALLY_CLI_DIFF_BROWSE_H
#define TALLY_CLI_DIFF_BROWSE_H

#include "cli/diff/compare.h"

/* Return true if the browser should be used, that is, if no option selects text output and there is
 * a terminal. */
bool diff_wants_browser(const struct diff_config *config);

/* Return the view that the options select for an event. */
struct tally_diff_view diff_view(const struct diff_config *config,
				 const struct comparison_event *event);

/* Show the events that can be compared, with verdicts, until the user quits. Return 0, or print an
 * error and return -errno. */
int diff_browse(const struct diff_config *config, struct comparison *comparison);

#endif
