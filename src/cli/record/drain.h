/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TALLY_CLI_RECORD_DRAIN_H
#define TALLY_CLI_RECORD_DRAIN_H

#include "cli/record/record.h"

/* Write out what the rings hold, and close the round; all there is with `is_all`: of rings that
 * are overwritten, too, and what waits to be unwound. 0 or the error of writing. */
int record_drain(struct record *record, bool is_all);

#endif
