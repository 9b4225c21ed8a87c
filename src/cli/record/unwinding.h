/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stack dumps unwound while they are recorded. The rings are copied out at once, so that they do
 * not fill; a thread puts the records in the order of time, follows who runs and what is mapped,
 * and writes callchains in place of dumps. A dump that it cannot unwind in time stays one: where
 * rules are still being loaded, and when too much waits.
 */
#ifndef TALLY_CLI_RECORD_UNWINDING_H
#define TALLY_CLI_RECORD_UNWINDING_H

#include "cli/record/record.h"

/* Whether this recording is unwound while it is made: it has dumps, which were not asked to be
 * kept, of an architecture that is known. */
bool record_unwinding_is_wanted(const struct record *record);

/* Begin; the counters are open. 0; the error of pthread_create(3); -ENOMEM. */
int record_unwinding_start(struct record *record);

/* What existed before: synthesized records, before the first drain. 0 or -ENOMEM. */
int record_unwinding_feed(struct record *record, const char *records, size_t len);

/* Take what the rings hold and write what is ready: all of it with `flush`. 0 or -errno of writing
 * or of the thread. */
int record_unwinding_drain(struct record *record, bool flush);

/* How many stacks there were: `ret_kept` of them stayed dumps. */
void record_unwinding_counts(const struct record *record, uint64_t *ret_unwound,
			     uint64_t *ret_whole, uint64_t *ret_kept);

/* End the threads and free everything; also where it was not begun. */
void record_unwinding_stop(struct record *record);

#endif
