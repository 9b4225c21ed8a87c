/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TALLY_CLI_TOP_END_H
#define TALLY_CLI_TOP_END_H

#include "cli/top/top.h"

/* Print the reason for terminating, unless the user requested it. `ret` is the main loop's result.
 * Returns 0 or the error to exit with. */
int top_explain_end(struct top *top, int ret);

#endif
