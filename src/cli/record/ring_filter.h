/* SPDX-License-Identifier: BSD-2-Clause */
/* Leave out samples that do not pass the filters of their events (sampler/sample_filter.h) when the
 * rings are written. */
#ifndef TALLY_CLI_RECORD_RING_FILTER_H
#define TALLY_CLI_RECORD_RING_FILTER_H

#include "cli/record/record.h"

/* Prepare the filters, if there are any; the counters must be open. Returns 0, or -errno after
 * printing an error. */
int record_filter_start(struct record *record);

/* Call `add` for the parts of a ring's data that are written, in order. Returns 0 or the value of
 * `add`. */
int record_filter_ring(struct record *record, const struct tally_ring_data *data,
		       int (*add)(struct record *record, const void *bytes, size_t len));

/* Return the number of samples that were left out. */
uint64_t record_filter_dropped(const struct record *record);

void record_filter_free(struct record *record);

#endif
