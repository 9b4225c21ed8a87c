/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Putting records into time order.
 *
 * A recorder empties one ring buffer after the other and then writes a FINISHED_ROUND, so
 * records arrive as a few ascending runs laid one behind the other. Every record is added
 * to the run whose last time is the nearest below it, a new run is begun when there is
 * none, and a heap of the runs' first records gives them back. With N rings there are about N
 * runs, adding is a comparison or two, taking costs log2 N of them, and nothing is
 * moved or allocated per record.
 */
#ifndef TALLY_PERFDATA_ORDER_H
#define TALLY_PERFDATA_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct tally_chunk;

/* Of an event's index: more events than a file may have. */
enum { TALLY_ORDER_EVENT_BITS = 26 };

/* A record that waits. */
struct tally_order_entry {
	uint64_t time;
	uint64_t number; /* of records before it in the file: decides between equal times */
	const uint8_t *data;
	struct tally_chunk *chunk; /* holds the data, NULL if the file is mapped */
	uint64_t offset;
	uint32_t event : TALLY_ORDER_EVENT_BITS; /* index + 1, 0 for none */
	uint32_t flags : 32 - TALLY_ORDER_EVENT_BITS;
	uint16_t size; /* as it was judged: a mapped file may change meanwhile */
	uint16_t file;
};

struct tally_order_block;

struct tally_order_run {
	struct tally_order_entry *head;         /* the first that waits; NULL: the run is empty */
	struct tally_order_block *first, *last; /* head is in the first */
	uint64_t tail; /* time of the last record added, also when the run is empty */
};

struct tally_order {
	/* Sorted by tail, descending: the first run whose tail is not above a time is the
	 * nearest one below it. */
	TALLY_VEC(struct tally_order_run) runs;
	TALLY_VEC(uint32_t) heap; /* runs that are not empty, earliest first record on top */
	struct tally_order_block *idle;
	size_t current;     /* the run added to last */
	uint64_t limit;     /* times up to this may be taken */
	bool is_unbound;    /* all times may */
	uint64_t rounds[2]; /* greatest time at the last round and the one before */
	uint64_t max;       /* greatest time added before the runs that are there */
	uint64_t taken;     /* greatest time taken */
	uint64_t used;      /* bytes of the blocks of the runs */
};

/* Add a record with this time and number. The caller fills in what else its entry has, which is
 * set to nothing, at once. NULL when out of memory, nothing changed. */
struct tally_order_entry *tally_order_add(struct tally_order *order, uint64_t time,
					  uint64_t number);

/* Take the earliest record if its time is within the limit. */
bool tally_order_pop(struct tally_order *order, struct tally_order_entry *ret_entry);

/* A round ended: what was the greatest time two rounds ago is final. perf promises so for one
 * round, but records in flight on other CPUs break the promise now and then. */
void tally_order_round(struct tally_order *order);

/* There is no room for all that waits: let everything be taken, until tally_order_bound() puts an
 * end to it. What is added then may be older than what was taken. */
void tally_order_unbind(struct tally_order *order);
void tally_order_bound(struct tally_order *order);

/* No more records come: everything may be taken. */
void tally_order_end(struct tally_order *order);

/* Drop all records, unreferencing their chunks, and free. All zero is an empty queue. */
void tally_order_free(struct tally_order *order);

#endif
