/* SPDX-License-Identifier: BSD-2-Clause */
/* Records for existing tasks, maps and cgroups, at the beginning or the end of a file. */
#ifndef TALLY_CLI_RECORD_SYNTH_H
#define TALLY_CLI_RECORD_SYNTH_H

#include "cli/record/record.h"

/* Write synthesized records. If `tail` is false, write the event IDs and, unless --tail-synthesize
 * was given, records for existing tasks, maps and cgroups. If `tail` is true, at the end of the
 * recording, write the records for tasks, maps and cgroups if --tail-synthesize was given. Returns
 * 0, or an error from collecting or writing the records. */
int record_synthesize(struct record *record, bool tail);

/* Write the records in `record->sampler.synth.out`, and clear it. Returns 0 or -errno. */
int record_synth_write(struct record *record);

#endif
