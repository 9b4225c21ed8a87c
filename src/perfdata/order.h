/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sorts records by time.
 *
 * A recorder empties one ring buffer after another and then writes a FINISHED_ROUND, so records
 * arrive as a few ascending runs, one after another. Each record is added to the run with the
 * latest tail that is not after the record; if there is no such run, a new run is started. A heap
 * of the runs' first records returns the records in order. With N ring buffers, there are about N
 * runs: adding a record takes one or two comparisons, and removing a record takes about log2 N. No
 * data is moved or allocated per record.
 */
#ifndef TALLY_PERFDATA_ORDER_H
#define TALLY_PERFDATA_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct tally_chunk;

/* Width of an event index in bits, enough for the maximum number of events in a file. */
enum { TALLY_ORDER_EVENT_BITS = 26 };

/* A queued record. */
struct tally_order_entry {
	uint64_t time;
	uint64_t number; /* number of records before this one in the file; breaks ties in time */
	const uint8_t *data;
	struct tally_chunk *chunk; /* holds the data; NULL if the file is mapped */
	uint64_t offset;
	uint32_t event : TALLY_ORDER_EVENT_BITS; /* event index + 1, or 0 if there is none */
	uint32_t flags : 32 - TALLY_ORDER_EVENT_BITS;
	uint16_t size; /* size as validated; a mapped file may change later */
	uint16_t file;
};

struct tally_order_block;

struct tally_order_run {
	struct tally_order_entry *head;         /* first queued record; NULL if the run is empty */
	struct tally_order_block *first, *last; /* `head` points into the first block */
	uint64_t tail; /* timestamp of the last record added, kept when the run is empty */
};

struct tally_order {
	/* Sorted by tail, in descending order. A record is added to the first run with a tail that
	 * is not after the record's time. */
	TALLY_VEC(struct tally_order_run) runs;
	TALLY_VEC(uint32_t) heap; /* non-empty runs; the one with the earliest head is on top */
	struct tally_order_block *idle;
	size_t current;     /* run that the last record was added to */
	uint64_t limit;     /* records up to this time may be removed */
	bool is_unbound;    /* ignore the limit */
	uint64_t rounds[2]; /* latest timestamps seen by the end of each of the last two rounds */
	uint64_t max;       /* latest timestamp in the runs cleared so far */
	uint64_t taken;     /* latest timestamp of a removed record */
	uint64_t used;      /* size of the runs' blocks in bytes */
};

/* Add a record with this timestamp and number. All other fields of the entry are zero, and the
 * caller must fill them in before the next call. Returns NULL when out of memory, with nothing
 * changed. */
struct tally_order_entry *tally_order_add(struct tally_order *order, uint64_t time,
					  uint64_t number);

/* Remove the earliest record if its timestamp is within the limit. */
bool tally_order_pop(struct tally_order *order, struct tally_order_entry *ret_entry);

/* End a round. Records up to the latest timestamp seen two rounds ago are final. One round should
 * suffice for perf's files, but records in flight on other CPUs sometimes arrive later. */
void tally_order_round(struct tally_order *order);

/* Ignore the limit until tally_order_limit_apply() is called. Used if the queued records take too
 * much memory. Records added later may be older than records already removed. */
void tally_order_limit_ignore(struct tally_order *order);
void tally_order_limit_apply(struct tally_order *order);

/* Allow all records to be removed. Call this when no more records will be added. */
void tally_order_end(struct tally_order *order);

/* Drop all records, unreference their chunks, and free the memory. An all-zero structure is an
 * empty queue. */
void tally_order_free(struct tally_order *order);

#endif
