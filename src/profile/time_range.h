/* SPDX-License-Identifier: BSD-2-Clause */
/* A range of time in a recording, as users type it. */
#ifndef TALLY_PROFILE_TIME_RANGE_H
#define TALLY_PROFILE_TIME_RANGE_H

#include <stdbool.h>
#include <stdint.h>

struct tally_time_range {
	uint64_t first, last; /* ns, inclusive; valid once resolved */
	double from, to;      /* if it is a share: in percent */
	bool is_share;        /* of the time from the first to the last sample */
};

/* Parse "start,end" in seconds, either of which may be omitted, or "10%-20%". Returns 0, or -EINVAL
 * with `*ret_range` unchanged. A range in seconds is already resolved. */
int tally_time_range_parse(const char *text, struct tally_time_range *ret_range);

/* Convert a share to times; samples are between `first` and `last` ns. Leave other ranges as they
 * are. */
void tally_time_range_resolve(struct tally_time_range *range, uint64_t first, uint64_t last);

static inline bool tally_time_range_has(const struct tally_time_range *range, uint64_t time)
{
	return time >= range->first && time <= range->last;
}

#endif
