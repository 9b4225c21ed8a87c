/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Merge the records of several rings in the order of time. The records drained from each ring are
 * added in the order of that ring. A record is returned only if it is older than any record that
 * may still be added, as far as that can be known.
 */
#ifndef TALLY_CLI_RECORD_MERGE_H
#define TALLY_CLI_RECORD_MERGE_H

#include "base/vec.h"
#include "cli/recording/recording_live.h"

struct record_merge_ring {
	TALLY_VEC(uint8_t) bytes; /* complete records */
	size_t at;                /* offset of the next record */
	uint64_t time;            /* of the next record; UINT64_MAX: none */
};

/* Zeroed, except for `live`. */
struct record_merge {
	const struct tally_live *live; /* used to read the times of records */
	TALLY_VEC(struct record_merge_ring) rings;
	struct record_merge_ring *current; /* ring with the oldest record */
	uint64_t until;                    /* time of the oldest record in the other rings */
	uint64_t newest;                   /* latest time added so far */
	size_t left;                       /* bytes not yet returned */
};

/* Add the records drained from ring number `ring`. Takes the contents of `*from` and leaves it
 * empty. Returns 0 or -ENOMEM. */
int record_merge_add(struct record_merge *merge, size_t ring, struct record_merge_ring *from);

/* Return the oldest record, or NULL if its time is later than `limit` or no record is left. The
 * record is valid until more are added. */
const struct perf_event_header *record_merge_next(struct record_merge *merge, uint64_t limit);

/* Free the buffers of all rings. */
void record_merge_free(struct record_merge *merge);

#endif
