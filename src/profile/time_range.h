/* SPDX-License-Identifier: BSD-2-Clause */
/* A part of a recording's time, as people write it. */
#ifndef TALLY_PROFILE_TIME_RANGE_H
#define TALLY_PROFILE_TIME_RANGE_H

#include <stdbool.h>
#include <stdint.h>

struct tally_time_range {
	uint64_t first, last; /* ns, both in it; once it is resolved */
	double from, to;      /* if it is a share: in percent */
	bool is_share;        /* of the time from the first sample to the last */
};

/* Parse "start,end" in seconds, of which either may be left out, or "10%-20%". 0 or -EINVAL,
 * `*ret_range` left alone. A range in seconds is resolved. */
int tally_time_range_parse(const char *text, struct tally_time_range *ret_range);

/* Make times of shares: samples lie between `first` and `last` ns. Other ranges stay as they are.
 */
void tally_time_range_resolve(struct tally_time_range *range, uint64_t first, uint64_t last);

static inline bool tally_time_range_has(const struct tally_time_range *range, uint64_t time)
{
	return time >= range->first && time <= range->last;
}

#endif
