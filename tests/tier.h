/* SPDX-License-Identifier: BSD-2-Clause */
/* Amount of work of a test: everything in the tier "full" and when run by hand, a part in the tier
 * "quick" (tests/README.md). */
#ifndef TALLY_TESTS_TIER_H
#define TALLY_TESTS_TIER_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Return the step of a loop over cases: `step` in the quick tier, 1 in full. To cover all kinds of
 * cases, use a step that is coprime to the lengths of patterns that repeat among the cases. */
static inline size_t tier_step(size_t step)
{
	const char *tier = getenv("TALLY_TIER");

	return tier && !strcmp(tier, "quick") ? step : 1;
}

#endif
