/* SPDX-License-Identifier: BSD-2-Clause */
/* Origin and validation of the user-space callers in a callchain. */
#ifndef TALLY_PROFILE_CALLERS_H
#define TALLY_PROFILE_CALLERS_H

#include "abi/attr.h"

/* Sources of callers. Frame pointers yield return addresses, so the source line is looked up for
 * the call before the address. An unwinder returns addresses inside the call instructions. */
enum tally_callers_from {
	/* Frame pointers. The first address that cannot be a return address, and everything after
	 * it, is replaced with TALLY_CUT. */
	TALLY_CALLERS_VALIDATED,
	TALLY_CALLERS_RAW,     /* frame pointers, kept as recorded */
	TALLY_CALLERS_UNWOUND, /* unwound, kept as recorded */
};

/* Return the origin of callers in an event's samples. If `is_raw` is set, callers are kept as
 * recorded. */
static inline enum tally_callers_from tally_callers_from(const struct perf_event_attr *attr,
							 bool is_raw)
{
	if (!tally_attr_walks_user(attr))
		return TALLY_CALLERS_UNWOUND;
	return is_raw ? TALLY_CALLERS_RAW : TALLY_CALLERS_VALIDATED;
}

#endif
