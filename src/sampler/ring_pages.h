/* SPDX-License-Identifier: BSD-2-Clause */
/* Ring buffer size: the argument of -m, or as much of the default as may be locked. */
#ifndef TALLY_SAMPLER_RING_PAGES_H
#define TALLY_SAMPLER_RING_PAGES_H

#include <stdbool.h>
#include <stddef.h>

#include "tally/rings.h"
#include "base/messages.h"

/* Convert the argument of -m, a number of pages or a size, to a number of data pages, rounded up to
 * a power of two. As in perf, the size of AUX areas can follow a comma; it is ignored. Rounding is
 * reported unless `quiet` is set. NULL results in 0 pages, which selects the default. Returns 0, or
 * reports an error and returns -EINVAL. */
int tally_ring_pages_parse(const char *text, bool quiet, const struct tally_messages *messages,
			   size_t *ret_pages);

struct tally_ring_pages {
	struct tally_rings *rings;             /* rings to map */
	size_t asked;                          /* data pages requested per ring; 0 for default */
	size_t wanted;                         /* default if no limit applies; a power of two */
	size_t usual;                          /* warn if there are fewer pages than this */
	size_t mapped;                         /* data pages per ring, set when they are mapped */
	bool quiet;                            /* do not warn about smaller rings */
	const struct tally_messages *messages; /* NULL to print no messages */
	const struct tally_access *access;     /* limits; NULL to read them when mapping */
};

/* Map the rings with the requested number of pages, or with as many as are permitted. Called with
 * capabilities raised. Returns 0, or the error from tally_rings_map(), after reporting it with its
 * reason and fixes. `*ret_why` is set on error, and if rings are smaller than wanted. */
int tally_ring_pages_map(struct tally_ring_pages *rings, struct tally_refusal *ret_why);

#endif
