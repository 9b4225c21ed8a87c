/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TALLY_BASE_CLOCK_H
#define TALLY_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Return the current CLOCK_MONOTONIC time in ns, for intervals, deadlines and comparisons with
 * sample timestamps. */
static inline uint64_t tally_clock_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

#endif
