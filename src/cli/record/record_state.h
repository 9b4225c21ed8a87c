/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The state of the recorded system (sampler/system_state.h), for recordings that write several
 * files or describe the processes at the end. Each file begins with the state at its start, which
 * may include data that the recorder was permitted to read only before it dropped its privileges.
 *
 * The rings are not sorted by time. Records wait until no older records can arrive, as in a
 * reader's rounds. Those that still wait at the start of a file are written to it with their times.
 */
#ifndef TALLY_CLI_RECORD_STATE_H
#define TALLY_CLI_RECORD_STATE_H

#include "cli/record/record.h"

/* Start to keep the state if it will be needed, beginning with the gathered records. Call this
 * before the first records are written. Returns 0 or -ENOMEM. */
int record_state_start(struct record *record);

/* Called for each record of the rings. Returns 0 or -ENOMEM. */
int record_state_add(struct record *record, const void *bytes, size_t len);

/* Called when all rings have been scanned. */
void record_state_round(struct record *record);

/* Add what the records have not reported: read the processes that are not known from procfs, and
 * all processes if records were lost. Call this before the last records of a file are drained.
 * Returns 0 or -errno. */
int record_state_refresh(struct record *record);

/* Called when the last records of a file have been drained. */
void record_state_mark(struct record *record);

/* Write the state at the mark. Returns 0, or an error from writing. */
int record_state_write(struct record *record);

/* Free the state. */
void record_state_free(struct record *record);

#endif
