/* SPDX-License-Identifier: BSD-2-Clause */
/* What existed before, at the beginning or the end of a file. */
#ifndef TALLY_CLI_RECORD_SYNTH_H
#define TALLY_CLI_RECORD_SYNTH_H

#include "cli/record/record.h"

/* record_synth.c: what existed before, at the beginning or (tail) the end of a file. */
int record_synthesize(struct record *record, bool tail);

#endif
