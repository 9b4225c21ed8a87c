/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unwind stack dumps during the recording. The rings are copied immediately so that they do not
 * fill up. A thread sorts the records by time, tracks tasks and maps, and replaces dumps with
 * callchains. The thread keeps a dump that it cannot unwind in time, either because unwind rules
 * are still being loaded or because too much data is waiting.
 */
#ifndef TALLY_CLI_RECORD_UNWINDING_H
#define TALLY_CLI_RECORD_UNWINDING_H

#include "cli/record/record.h"

/* Return true if stacks will be unwound during this recording: the recording has stack dumps from a
 * supported architecture, and --keep-stacks was not given. */
bool record_unwinding_is_wanted(const struct record *record);

/* Start unwinding. Call this after opening the counters. Returns 0, an error from
 * pthread_create(3), or -ENOMEM. */
int record_unwinding_start(struct record *record);

/* Process synthesized records for existing tasks and maps. Call this before the first drain.
 * Returns 0 or -ENOMEM. */
int record_unwinding_feed(struct record *record, const char *records, size_t len);

/* Copy the contents of the rings and write the records that are ready; with `flush`, unwind and
 * write all records. Returns 0, a write error, or an error from the unwinding thread. */
int record_unwinding_drain(struct record *record, bool flush);

/* Get the number of stacks unwound, the number of stacks unwound to the outermost frame, and the
 * number of stacks kept as dumps. */
void record_unwinding_counts(const struct record *record, uint64_t *ret_unwound,
			     uint64_t *ret_whole, uint64_t *ret_kept);

/* Stop the threads and free everything. Does nothing if unwinding was not started. */
void record_unwinding_stop(struct record *record);

#endif
