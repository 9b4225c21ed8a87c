/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/time_range.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/scan.h"

enum { NS_PER_SECOND = 1000000000 };

/* Parse seconds, e.g. "1.5", at `*text` and advance `*text` past them. Returns 0 or -EINVAL. */
static int parse_seconds(const char **text, uint64_t *ret_ns)
{
	struct tally_scan scan = tally_scan_of(*text, strlen(*text));
	uint64_t seconds, ns = 0;

	if (tally_scan_number(&scan, 10, &seconds) || seconds > UINT64_MAX / NS_PER_SECOND - 1)
		return -EINVAL;
	if (tally_scan_char(&scan, '.'))
		ns = tally_scan_fraction(&scan, NS_PER_SECOND);
	*text = scan.at;
	*ret_ns = seconds * NS_PER_SECOND + ns;
	return 0;
}

static int parse_share(const char *text, struct tally_time_range *range)
{
	int used = 0;

	if (sscanf(text, "%lf%%-%lf%%%n", &range->from, &range->to, &used) != 2 || !used ||
	    text[used])
		return -EINVAL;
	/* The condition is written so that it also rejects NaN. */
	if (!(range->from >= 0 && range->from <= range->to && range->to <= 100))
		return -EINVAL;
	range->is_share = true;
	return 0;
}

static int parse_interval(const char *text, struct tally_time_range *range)
{
	int ret = *text == ',' ? 0 : parse_seconds(&text, &range->first);

	if (!ret && *text == ',' && *++text)
		ret = parse_seconds(&text, &range->last);
	return ret || *text || range->first > range->last ? -EINVAL : 0;
}

int tally_time_range_parse(const char *text, struct tally_time_range *ret_range)
{
	struct tally_time_range range = {.last = UINT64_MAX};
	int ret = strchr(text, '%') ? parse_share(text, &range) : parse_interval(text, &range);

	if (!ret)
		*ret_range = range;
	return ret;
}

/* Return the timestamp at a given percentage of a range. A double cannot represent long ranges
 * exactly, so the result is limited to the end of the range. */
static uint64_t time_at(uint64_t first, uint64_t last, double percent)
{
	uint64_t span = last > first ? last - first : 0;
	double since = (double)span * percent / 100;

	return first + (since < (double)span ? (uint64_t)since : span);
}

void tally_time_range_resolve(struct tally_time_range *range, uint64_t first, uint64_t last)
{
	if (!range->is_share)
		return;
	range->first = time_at(first, last, range->from);
	range->last = time_at(first, last, range->to);
}
