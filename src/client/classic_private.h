/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the classic calls share. */
#ifndef TALLY_CLIENT_CLASSIC_PRIVATE_H
#define TALLY_CLIENT_CLASSIC_PRIVATE_H

#include "base/vec.h"
#include "tally/classic.h"
#include "tally/client.h"

struct classic_event {
	int fd, leader; /* `leader` is `fd` itself unless the event was opened into a group */
	int32_t pid;    /* the task; of the opener, its thread */
	struct tally_classic_attr attr;
	uint64_t id;
	struct classic_mapping *mapping; /* NULL: none */
};

/* The two rings of an event, and what tally_classic_next() returned of the classic one. */
struct classic_mapping {
	struct tally_classic_ring ring;
	size_t len;      /* of the classic one, with its page */
	uint32_t tail;   /* the next record to return */
	uint64_t seen;   /* records returned or lost */
	uint64_t missed; /* records that were overwritten before they were returned */
};

struct tally_classic {
	const struct tally_transport *transport;
	TALLY_VEC(struct classic_event) events;
	struct tally_classic_error why;
	int32_t pid;      /* who has the rings: a child of fork(2) has them not */
	uint8_t *scratch; /* TALLY_CLASSIC_SCRATCH bytes for all rings, then a record */
};

struct classic_event *classic_event_find(const struct tally_classic *classic, int fd);

/* Unmap both rings. NULL is allowed. */
void classic_mapping_free(struct tally_classic *classic, struct classic_mapping *mapping);

#endif
