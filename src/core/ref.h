/* SPDX-License-Identifier: BSD-2-Clause */
/* Reference counts that can be changed from any CPU. */
#ifndef TALLY_CORE_REF_H
#define TALLY_CORE_REF_H

#include "core/atomic.h"

/* Take a reference. The caller must already hold a reference, or otherwise prevent the object from
 * being freed. */
static inline void tally_ref_get(uint32_t *refs)
{
	tally_fetch_add(refs, 1);
}

/* Take a reference if at least one is still held. Otherwise return false, because the object is
 * being freed. */
static inline bool tally_ref_get_live(uint32_t *refs)
{
	uint32_t have = tally_load_relaxed(refs);

	while (have) {
		if (tally_compare_exchange(refs, &have, have + 1))
			return true;
	}
	return false;
}

/* Release a reference. Return true if it was the last one; in that case, all changes that other
 * holders made to the object are visible. */
static inline bool tally_ref_put(uint32_t *refs)
{
	uint32_t have = tally_load_relaxed(refs);

	while (!tally_compare_exchange(refs, &have, have - 1))
		;
	return have == 1;
}

#endif
