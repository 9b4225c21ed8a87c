/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sort records by time.
 *
 * A recorder empties one ring buffer after another and then writes a FINISHED_ROUND, so records
 * arrive as a few ascending runs, one after another. Each record is added to the run with the
 * latest tail that is not after the record; without such a run, a new one is started. A heap of the
 * first records of the runs returns them in order. With N ring buffers there are about N runs:
 * adding takes one or two comparisons, removing takes about log2 N. Nothing is moved or allocated
 * per record.
 */
#ifndef TALLY_PERFDATA_ORDER_H
#define TALLY_PERFDATA_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct tally_chunk;

/* Bits of an event index; the limit is beyond the number of events that a file may have. */
enum { TALLY_ORDER_EVENT_BITS = 26 };

/* A queued record. */
struct tally_order_entry {
	uint64_t time;
	uint64_t number; /* number of records before it in the file; breaks ties of equal times */
	const uint8_t *data;
	struct tally_chunk *chunk; /* holds the data; NULL if the file is mapped */
	uint64_t offset;
	uint32_t event : TALLY_ORDER_EVENT_BITS; /* index + 1, 0 for none */
	uint32_t flags : 32 - TALLY_ORDER_EVENT_BITS;
	uint16_t size; /* as validated: a mapped file may change meanwhile */
	uint16_t file;
};

struct tally_order_block;

struct tally_order_run {
	struct tally_order_entry *head;         /* first queued record; NULL: the run is empty */
	struct tally_order_block *first, *last; /* head is in the first one */
	uint64_t tail; /* time of the last record added, kept when the run is empty */
};

struct tally_order {
	/* Sorted by tail, descending: a record is added to the first run with a tail that is not
	 * above its time. */
	TALLY_VEC(struct tally_order_run) runs;
	TALLY_VEC(uint32_t) heap; /* non-empty runs, earliest first record on top */
	struct tally_order_block *idle;
	size_t current;     /* run of the last addition */
	uint64_t limit;     /* records with times up to this may be removed */
	bool is_unbound;    /* ignore the limit */
	uint64_t rounds[2]; /* greatest time at the last round and the one before */
	uint64_t max;       /* greatest time in runs that have been cleared */
	uint64_t taken;     /* greatest time removed */
	uint64_t used;      /* bytes of the blocks of the runs */
};

/* Add a record with this time and number. All other fields of the entry are zero, and the caller
 * must fill them in before the next call. Returns NULL when out of memory, with nothing changed. */
struct tally_order_entry *tally_order_add(struct tally_order *order, uint64_t time,
					  uint64_t number);

/* Remove the earliest record if its time is within the limit. */
bool tally_order_pop(struct tally_order *order, struct tally_order_entry *ret_entry);

/* End a round: records up to the greatest time of two rounds ago are final. One round should
 * suffice for perf's files, but records in flight on other CPUs sometimes arrive later. */
void tally_order_round(struct tally_order *order);

/* Ignore the limit until tally_order_limit_apply(), because the queued records take too much
 * memory. Records added later may be older than those already removed. */
void tally_order_limit_ignore(struct tally_order *order);
void tally_order_limit_apply(struct tally_order *order);

/* No more records will be added: all may be removed. */
void tally_order_end(struct tally_order *order);

/* Drop all records, unreference their chunks, and free the memory. A zeroed structure is an empty
 * queue. */
void tally_order_free(struct tally_order *order);

#endif
