/* SPDX-License-Identifier: BSD-2-Clause */
/* Progress line on stderr for long operations; shown only on a terminal, and only after half a
 * second. */
#ifndef TALLY_CLI_MAIN_PROGRESS_H
#define TALLY_CLI_MAIN_PROGRESS_H

#include "base/messages.h"

/* Show the line unless stdout is a terminal, because the line would disturb the output there. */
extern const struct tally_progress tally_progress_line;

/* Show the line even then, because the result is not written to stdout. */
extern const struct tally_progress tally_progress_line_elsewhere;

#endif
