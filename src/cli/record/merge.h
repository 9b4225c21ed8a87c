/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records of several rings in the order of time. What was drained of each ring is added as it came;
 * what is handed out is older than anything that may still come, as far as that can be known.
 */
#ifndef TALLY_CLI_RECORD_MERGE_H
#define TALLY_CLI_RECORD_MERGE_H

#include "base/vec.h"
#include "cli/recording/live.h"

struct record_merge_ring {
	TALLY_VEC(uint8_t) bytes; /* whole records */
	size_t at;                /* of the next one */
	uint64_t time;            /* its time; UINT64_MAX: there is none */
};

/* All zero, but for `live`. */
struct record_merge {
	const struct tally_live *live; /* which tells times */
	TALLY_VEC(struct record_merge_ring) rings;
	struct record_merge_ring *current; /* has the oldest record */
	uint64_t until;                    /* the next of another ring */
	uint64_t newest;                   /* time that was added */
	size_t left;                       /* bytes that were not handed out */
};

/* Add what ring number `ring` gave: `*bytes` is taken, and something empty is left in its place. 0
 * or -ENOMEM. */
int record_merge_add(struct record_merge *merge, size_t ring, struct record_merge_ring *from);

/* The oldest record; NULL if there is none up to the time `limit`. Valid until more is added. */
const struct perf_event_header *record_merge_next(struct record_merge *merge, uint64_t limit);

void record_merge_free(struct record_merge *merge);

#endif
