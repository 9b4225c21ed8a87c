/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TALLY_CLI_TOP_END_H
#define TALLY_CLI_TOP_END_H

#include "cli/top/top.h"

/* Print why it ended, if that is not what was asked for. `ret` is what ended it; 0, or the error
 * that the command ends with. */
int top_explain_end(struct top *top, int ret);

#endif
