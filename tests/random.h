/* SPDX-License-Identifier: BSD-2-Clause */
/* Random numbers for property tests. A run can be reproduced with its seed, which TALLY_SEED
 * sets. */
#ifndef TALLY_TESTS_RANDOM_H
#define TALLY_TESTS_RANDOM_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct random {
	uint64_t state;
};

/* Take the seed from TALLY_SEED, or use a fixed one. The seed is printed so that a failure can be
 * replayed. */
static inline struct random random_start(void)
{
	const char *text = getenv("TALLY_SEED");
	uint64_t seed = text ? strtoull(text, NULL, 0) : 0x5eed;

	printf("# TALLY_SEED=%#llx\n", (unsigned long long)seed);
	return (struct random){seed * 0x9e3779b97f4a7c15ull | 1};
}

static inline uint64_t random_u64(struct random *random)
{
	uint64_t x = random->state;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	random->state = x;
	return x * 0x2545f4914f6cdd1dull;
}

static inline uint64_t random_below(struct random *random, uint64_t limit)
{
	return random_u64(random) % limit;
}

static inline void random_fill(struct random *random, void *bytes, size_t len)
{
	for (uint8_t *at = bytes; len--; at++)
		*at = (uint8_t)random_u64(random);
}

#endif
