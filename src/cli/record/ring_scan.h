/* SPDX-License-Identifier: BSD-2-Clause */
/* Scan records in the rings before they are written to the file: pin the files of new mappings, and
 * count samples for --progress. */
#ifndef TALLY_CLI_RECORD_RING_SCAN_H
#define TALLY_CLI_RECORD_RING_SCAN_H

#include "cli/record/record.h"

/* Scan a ring's records before they are consumed. For an overwrite ring, scan all of `data`; for
 * other rings, scan only the records added since the last scan. Returns 0 or -ENOMEM. */
int record_scan_ring(struct record *record, size_t ring, const struct tally_ring_data *data);

/* Scan synthesized records. Returns 0 or -ENOMEM. */
int record_scan_records(struct record *record, const char *records, size_t len);

/* Scan all rings except overwrite rings, without draining them. A file may be removed, and its
 * process may exit, long before the rings are drained. The interval between scans is short after
 * files have been mapped, and grows while there are no new mappings. Returns 0 or -ENOMEM. */
int record_scan_rings(struct record *record);

/* Return the CLOCK_MONOTONIC time of the next scan, in ns, or UINT64_MAX if no scans are needed. */
uint64_t record_scan_next(const struct record *record);

/* Free the scan positions. */
void record_scan_free(struct record *record);

#endif
