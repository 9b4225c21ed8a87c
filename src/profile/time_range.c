/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/time_range.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
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

/* Parse "1.5" or "+1.5". */
static int parse_end(const char **text, struct tally_time_range *range, uint64_t *ret_ns)
{
	bool is_since = **text == '+';

	*text += is_since;
	range->is_since |= is_since;
	return parse_seconds(text, ret_ns);
}

/* Either both ends have a plus sign or none. */
static int parse_interval(const char *text, struct tally_time_range *range)
{
	bool has_first = *text != ',', is_since;
	int ret = has_first ? parse_end(&text, range, &range->first) : 0;

	is_since = range->is_since;
	if (!ret && *text == ',' && *++text) {
		if (has_first && is_since != (*text == '+'))
			return -EINVAL;
		ret = parse_end(&text, range, &range->last);
	}
	range->start = range->first;
	range->end = range->last;
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

/* Parse "10%/2" or "10%". */
static int parse_slice(const char *text, struct tally_time_range *range)
{
	double share;
	unsigned slice = 1;
	int used = 0;

	if (sscanf(text, "%lf%%%n/%u%n", &share, &used, &slice, &used) < 1 || !used || text[used] ||
	    !(share > 0 && share <= 100) || !slice)
		return -EINVAL;
	range->from = share * (slice - 1);
	range->to = range->from + share;
	range->is_share = true;
	return range->to <= 100 ? 0 : -EINVAL;
}

static int parse_one(const char *text, struct tally_time_range *ret_range)
{
	return tally_time_range_parse(text, ret_range) ? parse_slice(text, ret_range) : 0;
}

int tally_time_ranges_parse(const char *text, struct tally_time_ranges *ret_ranges)
{
	const char *separators = strchr(text, '%') ? ", " : " ";
	struct tally_time_ranges ranges = {0};
	char *copy = strdup(text), *rest = copy, *word;
	int ret = copy ? 0 : -ENOMEM;

	while (!ret && (word = strsep(&rest, separators))) {
		struct tally_time_range range = {.last = UINT64_MAX};

		ret = parse_one(word, &range);
		if (!ret && range.is_share != (strchr(text, '%') != NULL))
			ret = -EINVAL;
		if (!ret)
			ret = tally_vec_push(&ranges.all, range);
	}
	free(copy);
	if (ret)
		tally_time_ranges_free(&ranges);
	else
		*ret_ranges = ranges;
	return ret;
}

bool tally_time_range_is_relative(const struct tally_time_range *range)
{
	return range->is_share || range->is_since;
}

bool tally_time_ranges_are_relative(const struct tally_time_ranges *ranges)
{
	tally_vec_for_each (range, &ranges->all)
		if (tally_time_range_is_relative(range))
			return true;
	return false;
}

bool tally_time_ranges_have(const struct tally_time_ranges *ranges, uint64_t time)
{
	tally_vec_for_each (range, &ranges->all)
		if (tally_time_range_has(range, time))
			return true;
	return !ranges->all.len;
}

void tally_time_ranges_resolve(struct tally_time_ranges *ranges, uint64_t first, uint64_t last)
{
	tally_vec_for_each (range, &ranges->all)
		tally_time_range_resolve(range, first, last);
}

void tally_time_ranges_free(struct tally_time_ranges *ranges)
{
	tally_vec_free(&ranges->all);
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
	if (range->is_since) {
		range->first = range->last = first;
		tally_sum_add(&range->first, range->start);
		tally_sum_add(&range->last, range->end);
	}
	if (!range->is_share)
		return;
	range->first = time_at(first, last, range->from);
	range->last = time_at(first, last, range->to);
}
