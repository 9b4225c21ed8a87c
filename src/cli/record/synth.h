/* SPDX-License-Identifier: BSD-2-Clause */
/* What existed before, at the beginning or the end of a file. */
#ifndef TALLY_CLI_RECORD_SYNTH_H
#define TALLY_CLI_RECORD_SYNTH_H

#include "cli/record/record.h"

/* Write the ids of the events and, unless that is left to the end of the recording, records of the
 * tasks, maps and cgroups that there are. With `tail`, at that end: the latter, if it was left to
 * it. 0; the error of gathering or of writing. */
int record_synthesize(struct record *record, bool tail);

#endif
