/* SPDX-License-Identifier: BSD-2-Clause */
/* tally annotate on a terminal. */
#ifndef TALLY_CLI_ANNOTATE_BROWSE_H
#define TALLY_CLI_ANNOTATE_BROWSE_H

#include "cli/annotate/annotate.h"

/* Return true if the terminal browser should be used: the output is a terminal, and no option asks
 * for text or for a detail that only text has. */
bool annotate_wants_browser(const struct annotate_config *config);

/* Run the terminal browser. Return its exit status. */
int annotate_browse(const struct annotate_config *config);

#endif
