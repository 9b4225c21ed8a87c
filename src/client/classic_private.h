/* SPDX-License-Identifier: BSD-2-Clause */
/* Declarations shared by classic*.c; private to client/. */
#ifndef TALLY_CLIENT_CLASSIC_PRIVATE_H
#define TALLY_CLIENT_CLASSIC_PRIVATE_H

#include "base/vec.h"
#include "tally/classic.h"
#include "tally/client.h"

struct classic_event {
	int fd, leader; /* `leader` equals `fd` unless the event was opened into a group */
	int32_t pid;    /* task; the opener's TID if the event was opened with pid 0 */
	struct tally_classic_attr attr;
	uint64_t id;
	struct classic_mapping *mapping; /* or NULL */
};

/* An event's two rings, and tally_classic_next()'s position in the classic ring. */
struct classic_mapping {
	struct tally_classic_ring ring;
	size_t len;      /* size of the classic ring, including its header page */
	uint32_t tail;   /* position of the next record to return */
	uint64_t seen;   /* records returned or lost */
	uint64_t missed; /* records overwritten before they were returned */
};

struct tally_classic {
	const struct tally_transport *transport;
	TALLY_VEC(struct classic_event) events;
	struct tally_classic_error why;
	int32_t pid;      /* process that mapped the rings; fork(2) children do not have them */
	uint8_t *scratch; /* TALLY_CLASSIC_SCRATCH bytes shared by all rings, plus one record */
};

struct classic_event *classic_event_find(const struct tally_classic *classic, int fd);

/* Unmap both rings. `mapping` may be NULL. */
void classic_mapping_free(struct tally_classic *classic, struct classic_mapping *mapping);

#endif
