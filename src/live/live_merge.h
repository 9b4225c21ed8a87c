/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Merge the records of several rings in chronological order. Records drained from a ring are added
 * in that ring's order. Records are returned up to a time limit, which the caller chooses so that
 * no older records can still be added.
 */
#ifndef TALLY_LIVE_MERGE_H
#define TALLY_LIVE_MERGE_H

#include "base/vec.h"
#include "tally/rings.h"
#include "live/live_machine.h"

struct tally_merge_ring {
	TALLY_VEC(uint8_t) bytes; /* complete records */
	size_t at;                /* offset of the next record */
	uint64_t time;            /* timestamp of the next record, or UINT64_MAX */
};

/* Merge state. Must be zeroed except for `live`. */
struct tally_merge {
	const struct tally_live *live; /* decodes the records' timestamps */
	TALLY_VEC(struct tally_merge_ring) rings;
	struct tally_merge_ring *current; /* ring with the oldest record */
	uint64_t until;                   /* timestamp of the oldest record in the other rings */
	uint64_t newest;                  /* latest timestamp added so far */
	size_t left;                      /* bytes not yet returned */
};

/* Append the contents of a ring buffer to a ring's records. Returns 0 or -ENOMEM. */
int tally_merge_ring_take(struct tally_merge_ring *ring, const struct tally_ring_data *data);

/* Add the records drained from ring number `ring`. Takes the contents of `*from` and leaves it
 * empty. Returns 0 or -ENOMEM. */
int tally_merge_add(struct tally_merge *merge, size_t ring, struct tally_merge_ring *from);

/* Return the oldest record, or NULL if its timestamp is after `limit` or no records remain. The
 * record is valid until more records are added. */
const struct perf_event_header *tally_merge_next(struct tally_merge *merge, uint64_t limit);

/* Free the buffers of all rings. */
void tally_merge_free(struct tally_merge *merge);

#endif
