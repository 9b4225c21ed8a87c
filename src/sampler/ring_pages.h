/* SPDX-License-Identifier: BSD-2-Clause */
/* Size of ring buffers: the argument of -m, or as much of the default as may be locked. */
#ifndef TALLY_SAMPLER_RING_PAGES_H
#define TALLY_SAMPLER_RING_PAGES_H

#include <stdbool.h>
#include <stddef.h>

#include "client/rings.h"
#include "sampler/messages.h"

/* Convert the argument of -m, a number of pages or a size, to data pages. They are rounded up to a
 * power of two, with a message unless `quiet`. NULL gives 0 pages, which selects the default.
 * Returns 0, or -EINVAL after an error message. */
int tally_ring_pages_parse(const char *text, bool quiet, const struct tally_messages *messages,
			   size_t *ret_pages);

struct tally_ring_pages {
	struct tally_rings *rings;             /* to be mapped */
	size_t asked;                          /* requested data pages of each ring; 0: default */
	size_t wanted;                         /* default if no limit applies; a power of two */
	size_t usual;                          /* fewer pages than this cause a warning */
	size_t mapped;                         /* data pages of each ring, after mapping */
	bool quiet;                            /* do not warn of smaller rings */
	const struct tally_messages *messages; /* NULL: no messages */
	const struct tally_access *access;     /* limits; NULL: read here */
};

/* Map the rings with the requested number of pages, or the most that is permitted. Called with
 * capabilities raised. Returns 0, or the error of tally_rings_map(), reported with its reason and
 * fixes. `*ret_why` is set on error, and if rings are smaller than wanted. */
int tally_ring_pages_map(struct tally_ring_pages *rings, struct tally_refusal *ret_why);

#endif
