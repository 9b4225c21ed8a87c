/* SPDX-License-Identifier: BSD-2-Clause */
/* How much a test does: all of it in the tier "full", and by hand; a part in "quick"
 * (tests/README.md). */
#ifndef TALLY_TESTS_TIER_H
#define TALLY_TESTS_TIER_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* The step of a loop over cases: `step` in the quick tier, 1 in full. A step that is prime to the
 * length of what repeats among the cases has a bit of everything. */
static inline size_t tier_step(size_t step)
{
	const char *tier = getenv("TALLY_TIER");

	return tier && !strcmp(tier, "quick") ? step : 1;
}

#endif
