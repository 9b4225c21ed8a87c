/* SPDX-License-Identifier: BSD-2-Clause */
/* Time range in a recording, as typed by users. */
#ifndef TALLY_PROFILE_TIME_RANGE_H
#define TALLY_PROFILE_TIME_RANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct tally_time_range {
	uint64_t first, last; /* ns, inclusive; valid once resolved */
	double from, to;      /* percentages, if is_share */
	bool is_share;        /* relative to the time between the first and last sample */
	bool is_since;        /* relative to the first sample, by these times in ns */
	uint64_t start, end;
};

/* Parse "start,end" in seconds, "+start,+end" in seconds since the first sample, or "10%-20%".
 * Start or end in seconds may be omitted. A range without "+" and "%" needs not be resolved.
 * Returns 0, or -EINVAL with `*ret_range` unchanged. */
int tally_time_range_parse(const char *text, struct tally_time_range *ret_range);

/* Several ranges. No range passes every time. */
struct tally_time_ranges {
	TALLY_VEC(struct tally_time_range) all;
};

/* Parse ranges as above, separated by blanks if they are in seconds, otherwise by commas. "10%/2"
 * is the second slice of 10 %, and "10%" the first. Returns 0, -EINVAL or -ENOMEM, on failure with
 * `*ret_ranges` unchanged. The caller frees the ranges with tally_time_ranges_free(). */
int tally_time_ranges_parse(const char *text, struct tally_time_ranges *ret_ranges);

/* Return true if the range, or any of the ranges, must be resolved: it depends on the times of the
 * first and the last sample. */
bool tally_time_range_is_relative(const struct tally_time_range *range);
bool tally_time_ranges_are_relative(const struct tally_time_ranges *ranges);

/* Convert relative ranges to timestamps, as tally_time_range_resolve(). */
void tally_time_ranges_resolve(struct tally_time_ranges *ranges, uint64_t first, uint64_t last);

bool tally_time_ranges_have(const struct tally_time_ranges *ranges, uint64_t time);

void tally_time_ranges_free(struct tally_time_ranges *ranges);

/* Convert a relative range to timestamps, given that the samples are between `first` and `last` ns.
 * Other ranges are not changed. A range may be resolved again. */
void tally_time_range_resolve(struct tally_time_range *range, uint64_t first, uint64_t last);

static inline bool tally_time_range_has(const struct tally_time_range *range, uint64_t time)
{
	return time >= range->first && time <= range->last;
}

static inline bool tally_time_range_overlaps(const struct tally_time_range *range, uint64_t first,
					     uint64_t last)
{
	return range->first <= last && range->last >= first;
}

#endif
