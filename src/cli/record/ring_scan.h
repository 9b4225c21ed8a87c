/* SPDX-License-Identifier: BSD-2-Clause */
/* Scan records on their way from the rings to the file: pin the files of new mappings, and count
 * samples for --progress. */
#ifndef TALLY_CLI_RECORD_RING_SCAN_H
#define TALLY_CLI_RECORD_RING_SCAN_H

#include "cli/record/record.h"

/* Scan the records of a ring before they are consumed: those that have not been scanned yet, or all
 * of `data` for an overwrite ring. Returns 0 or -ENOMEM. */
int record_scan_ring(struct record *record, size_t ring, const struct tally_ring_data *data);

/* Scan synthesized records. Returns 0 or -ENOMEM. */
int record_scan_records(struct record *record, const char *records, size_t len);

/* Scan all rings except overwrite rings, without draining them. A file may be removed, and its
 * process may end, long before the rings are drained. The interval is short after files were
 * mapped, and grows while none are. Returns 0 or -ENOMEM. */
int record_scan_rings(struct record *record);

/* Return the time of the next scan in ns, CLOCK_MONOTONIC; UINT64_MAX for never. */
uint64_t record_scan_next(const struct record *record);

/* Free the scan positions. */
void record_scan_free(struct record *record);

#endif
