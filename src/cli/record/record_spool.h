/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rings are not drained while a file is finished and its symbols are embedded. A thread
 * therefore copies their contents to memory. The next drain writes the copies to the next file.
 * Overwrite rings are not copied.
 */
#ifndef TALLY_CLI_RECORD_SPOOL_H
#define TALLY_CLI_RECORD_SPOOL_H

#include "cli/record/record.h"

/* Start the thread. Until record_spool_stop(), only the thread may use the rings, the scan state
 * and the state of the system. If the thread cannot be started, the rings are not copied. */
void record_spool_start(struct record *record);

/* Stop the thread. Returns 0, or -ENOMEM if it could not copy a record. */
int record_spool_stop(struct record *record);

/* Get the copy of a ring's contents. Returns false if there is none. */
bool record_spool_data(const struct record *record, size_t ring, struct tally_ring_data *ret_data);

/* Return true if there are copies, which must be written before the contents of the rings. */
bool record_spool_has_data(const struct record *record);

/* Free the copies. */
void record_spool_free(struct record *record);

#endif
