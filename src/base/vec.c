/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/vec.h"

#include <stdint.h>

void *tally_vec_grow(void *data, size_t *cap, size_t size, size_t need)
{
	size_t want = *cap ? *cap : 8, bytes;
	void *grown;

	while (want < need) {
		if (__builtin_mul_overflow(want, (size_t)2, &want))
			return NULL;
	}
	if (__builtin_mul_overflow(want, size, &bytes))
		return NULL;
	grown = realloc(data, bytes);
	if (grown)
		*cap = want;
	return grown;
}
