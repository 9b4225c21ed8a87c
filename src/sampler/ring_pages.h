/* SPDX-License-Identifier: BSD-2-Clause */
/* How large ring buffers are: what -m says, or as much of the default as may be locked. */
#ifndef TALLY_SAMPLER_RING_PAGES_H
#define TALLY_SAMPLER_RING_PAGES_H

#include <stdbool.h>
#include <stddef.h>

#include "client/rings.h"
#include "sampler/messages.h"

/* The argument of -m, a number of pages or a size, to data pages: rounded up to a power of two,
 * which is told unless `quiet`. NULL: 0 pages, the choice is ours. 0, or -EINVAL after having said
 * why. */
int tally_ring_pages_parse(const char *text, bool quiet, const struct tally_messages *messages,
			   size_t *ret_pages);

struct tally_ring_pages {
	struct tally_rings *rings; /* that are mapped */
	size_t asked;              /* data pages of each ring, by the user; 0: ours to choose */
	size_t wanted; /* what we choose where nothing stands against it; a power of two */
	size_t usual;  /* fewer than this are told */
	size_t mapped; /* data pages of each ring, once they are mapped */
	bool quiet;    /* do not tell that rings are smaller than wanted */
	const struct tally_messages *messages; /* NULL: nobody is told */
	const struct tally_access *access;     /* the limits; NULL: read here */
};

/* Map the rings: as many pages as asked for, or the most that are allowed. Called with capabilities
 * raised. 0, or the error of tally_rings_map(), which has been told with its reason and remedies.
 * `*ret_why` is set with it, and when there is less than wanted. */
int tally_ring_pages_map(struct tally_ring_pages *rings, struct tally_refusal *ret_why);

#endif
