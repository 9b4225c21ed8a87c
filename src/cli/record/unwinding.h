/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stack dumps unwound during the recording. The rings are copied immediately, so that they do not
 * fill up. A thread sorts the records by time, follows tasks and maps, and replaces dumps by
 * callchains. It keeps a dump that it cannot unwind in time, because unwind rules are still being
 * loaded or too much data is waiting.
 */
#ifndef TALLY_CLI_RECORD_UNWINDING_H
#define TALLY_CLI_RECORD_UNWINDING_H

#include "cli/record/record.h"

/* Return true if stacks are to be unwound during this recording: it has stack dumps of a supported
 * architecture, and --keep-stacks was not given. */
bool record_unwinding_is_wanted(const struct record *record);

/* Start unwinding, after the counters are open. Returns 0, the error of pthread_create(3), or
 * -ENOMEM. */
int record_unwinding_start(struct record *record);

/* Process synthesized records of existing tasks and maps, before the first drain. Returns 0 or
 * -ENOMEM. */
int record_unwinding_feed(struct record *record, const char *records, size_t len);

/* Copy the contents of the rings, and write the records that are ready; with `flush`, all of them.
 * Returns 0, or -errno of writing or of the thread. */
int record_unwinding_drain(struct record *record, bool flush);

/* Get the number of stacks unwound, of those unwound to the outermost frame, and of those kept as
 * dumps. */
void record_unwinding_counts(const struct record *record, uint64_t *ret_unwound,
			     uint64_t *ret_whole, uint64_t *ret_kept);

/* Stop the threads and free everything. Does nothing if unwinding was not started. */
void record_unwinding_stop(struct record *record);

#endif
