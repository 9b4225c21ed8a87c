/* SPDX-License-Identifier: BSD-2-Clause */
/* A diff on a terminal, to look at with keys and a mouse. */
#ifndef TALLY_CLI_DIFF_BROWSE_H
#define TALLY_CLI_DIFF_BROWSE_H

#include "cli/diff/compare.h"

/* Whether it is shown so: asked for, or text was not and there is a terminal. */
bool diff_wants_browser(const struct diff_config *config);

/* The view of an event as it was asked for. */
struct tally_diff_view diff_view(const struct diff_config *config,
				 const struct comparison_event *event);

/* Show what can be compared, which is judged, until the user has seen enough. 0 or -errno, told. */
int diff_browse(const struct diff_config *config, struct comparison *comparison);

#endif
