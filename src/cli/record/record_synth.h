/* SPDX-License-Identifier: BSD-2-Clause */
/* Records of existing tasks, maps and cgroups, at the beginning or the end of a file. */
#ifndef TALLY_CLI_RECORD_SYNTH_H
#define TALLY_CLI_RECORD_SYNTH_H

#include "cli/record/record.h"

/* Without `tail`: write the ids of the events and, unless --tail-synthesize was given, records of
 * existing tasks, maps and cgroups. With `tail`, at the end of the recording: write these records
 * if --tail-synthesize was given. Returns 0, or the error of collecting or writing. */
int record_synthesize(struct record *record, bool tail);

#endif
