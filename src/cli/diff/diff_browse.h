/* SPDX-License-Identifier: BSD-2-Clause */
/* Interactive diff on a terminal, with keys and a mouse. */
#ifndef TALLY_CLI_DIFF_BROWSE_H
#define TALLY_CLI_DIFF_BROWSE_H

#include "cli/diff/compare.h"

/* Return true if the browser is to be used: no option selected text output, and there is a
 * terminal. */
bool diff_wants_browser(const struct diff_config *config);

/* Return the view of an event according to the options. */
struct tally_diff_view diff_view(const struct diff_config *config,
				 const struct comparison_event *event);

/* Show the events that can be compared, with verdicts, until the user quits. Returns 0, or -errno
 * after an error message. */
int diff_browse(const struct diff_config *config, struct comparison *comparison);

#endif
