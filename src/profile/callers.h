/* SPDX-License-Identifier: BSD-2-Clause */
/* Origin of the user-space callers in a callchain, and whether they are validated. */
#ifndef TALLY_PROFILE_CALLERS_H
#define TALLY_PROFILE_CALLERS_H

#include "abi/attr.h"

/* Frame pointers lead to return addresses, so the source line is that of the call before the
 * address. An unwinder returns addresses inside the calls. */
enum tally_callers_from {
	TALLY_CALLERS_VALIDATED, /* frame pointers; TALLY_CUT replaces the first address that no return
	                       * can lead to, and all after it */
	TALLY_CALLERS_RAW,       /* frame pointers, kept as recorded */
	TALLY_CALLERS_UNWOUND, /* unwound, kept as recorded */
};

/* Return the origin of callers in an event's samples. `is_raw`: keep them as recorded. */
static inline enum tally_callers_from tally_callers_from(const struct perf_event_attr *attr,
							 bool is_raw)
{
	if (!tally_attr_walks_user(attr))
		return TALLY_CALLERS_UNWOUND;
	return is_raw ? TALLY_CALLERS_RAW : TALLY_CALLERS_VALIDATED;
}

#endif
