/* SPDX-License-Identifier: BSD-2-Clause */
/* The amount of work that a test does: all cases in the full tier or when run by hand, and some of
 * them in the quick tier (tests/README.md). */
#ifndef TALLY_TESTS_TIER_H
#define TALLY_TESTS_TIER_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Return the step for a loop over cases: `step` in the quick tier, otherwise 1. To cover all kinds
 * of cases, use a step that is coprime to the lengths of patterns that repeat among the cases. */
static inline size_t tier_step(size_t step)
{
	const char *tier = getenv("TALLY_TIER");

	return tier && !strcmp(tier, "quick") ? step : 1;
}

#endif
