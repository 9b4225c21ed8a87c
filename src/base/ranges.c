/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/ranges.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/scan.h"

int tally_list_number(const char **text, uint32_t *ret_number)
{
	/* Not the whole text, because lists are scanned number by number. */
	struct tally_scan scan = tally_scan_of(*text, strspn(*text, " \t0123456789"));
	uint64_t number;
	int ret;

	tally_scan_blanks(&scan);
	ret = tally_scan_number(&scan, 10, &number);
	*text = scan.at;
	if (ret || number > UINT32_MAX)
		return -EINVAL;
	*ret_number = (uint32_t)number;
	return 0;
}

int tally_list_next(const char **text)
{
	*text += strspn(*text, " \t");
	if (**text == ',')
		*text += 1 + strspn(*text + 1, " \t");
	else if (**text)
		return -EINVAL;
	return 0;
}

/* Parse one number or range, and advance `*text` past it and the following comma. */
static int parse_range(const char **text, struct tally_number_range *ret_range)
{
	struct tally_number_range range;
	int ret = tally_list_number(text, &range.first);

	range.last = range.first;
	if (!ret && **text == '-') {
		++*text;
		ret = tally_list_number(text, &range.last);
	}
	if (ret || range.last < range.first)
		return -EINVAL;
	*ret_range = range;
	return tally_list_next(text);
}

static int by_first(const void *a, const void *b)
{
	const struct tally_number_range *x = a, *y = b;

	return (x->first > y->first) - (x->first < y->first);
}

/* Sort the ranges and merge those that overlap or are adjacent. */
static void ranges_join(struct tally_ranges *ranges)
{
	struct tally_number_range *all = ranges->all.data;
	size_t kept = 0;

	qsort(all, ranges->all.len, sizeof(*all), by_first);
	for (size_t i = 1; i < ranges->all.len; i++) {
		if (all[i].first <= (uint64_t)all[kept].last + 1)
			all[kept].last = TALLY_MAX(all[kept].last, all[i].last);
		else
			all[++kept] = all[i];
	}
	ranges->all.len = kept + 1;
}

int tally_ranges_parse(const char *text, struct tally_ranges *ret_ranges)
{
	struct tally_ranges ranges = {0};
	struct tally_number_range range;
	int ret = *text ? 0 : -EINVAL;

	while (*text && !ret) {
		ret = parse_range(&text, &range);
		if (!ret)
			ret = tally_vec_push(&ranges.all, range);
	}
	if (ret) {
		tally_ranges_free(&ranges);
		return ret;
	}
	ranges_join(&ranges);
	*ret_ranges = ranges;
	return 0;
}

bool tally_ranges_have(const struct tally_ranges *ranges, uint32_t number)
{
	size_t low = 0, high = ranges->all.len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ranges->all.data[middle].last < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low < ranges->all.len && ranges->all.data[low].first <= number;
}

void tally_ranges_free(struct tally_ranges *ranges)
{
	tally_vec_free(&ranges->all);
}
