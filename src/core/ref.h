/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts of references: words that any CPU may change. */
#ifndef TALLY_CORE_REF_H
#define TALLY_CORE_REF_H

#include "core/atomic.h"

/* One more, by who holds one or keeps the object from going otherwise. */
static inline void tally_ref_get(uint32_t *refs)
{
	tally_fetch_add(refs, 1);
}

/* One more unless there is none: then the object is on its way out, and false. */
static inline bool tally_ref_get_live(uint32_t *refs)
{
	uint32_t have = tally_load_relaxed(refs);

	while (have) {
		if (tally_compare_exchange(refs, &have, have + 1))
			return true;
	}
	return false;
}

/* One less: true when it was the last, and all that others did with the object is seen. */
static inline bool tally_ref_put(uint32_t *refs)
{
	uint32_t have = tally_load_relaxed(refs);

	while (!tally_compare_exchange(refs, &have, have - 1))
		;
	return have == 1;
}

#endif
