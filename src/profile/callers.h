/* SPDX-License-Identifier: BSD-2-Clause */
/* How callers in user space came into a callchain, and what becomes of them. */
#ifndef TALLY_PROFILE_CALLERS_H
#define TALLY_PROFILE_CALLERS_H

#include "abi/attr.h"

/* Frame pointers lead to where calls return to: its line is that of the call, which is before it.
 * An unwinder gives addresses within the calls. */
enum tally_callers_from {
	TALLY_CALLERS_JUDGED, /* frame pointers; TALLY_CUT takes the place of the first one to which
				 no return can lead, and of all behind it */
	TALLY_CALLERS_WALKED, /* frame pointers; they stay as they were recorded */
	TALLY_CALLERS_UNWOUND, /* as recorded as well */
};

/* How those of an event's samples came; `is_raw`: they are to stay as they were recorded. */
static inline enum tally_callers_from tally_callers_from(const struct perf_event_attr *attr,
							 bool is_raw)
{
	if (!tally_attr_walks_user(attr))
		return TALLY_CALLERS_UNWOUND;
	return is_raw ? TALLY_CALLERS_WALKED : TALLY_CALLERS_JUDGED;
}

#endif
