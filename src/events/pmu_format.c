/* SPDX-License-Identifier: BSD-2-Clause */
/* Parser for files in format/: "config:0-7,32-35" lists the bits of an attr field that a term
 * sets. */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/arith.h"
#include "base/scan.h"
#include "base/text.h"
#include "events/pmu.h"

static const struct {
	const char *name;
	uint16_t offset;
} fields[] = {
	{"config", offsetof(struct perf_event_attr, config)},
	{"config1", offsetof(struct perf_event_attr, config1)},
	{"config2", offsetof(struct perf_event_attr, config2)},
	{"config3", offsetof(struct perf_event_attr, config3)},
};

/* Parse a bit number and advance `*text`. Returns -1 if there is no number below 64. */
static int bit_parse(const char **text)
{
	struct tally_scan scan = tally_scan_of(*text, strlen(*text));
	uint64_t bit;
	int ret = tally_scan_number(&scan, 10, &bit);

	*text = scan.at;
	return !ret && bit < 64 ? (int)bit : -1;
}

static int ranges_parse(const char *text, uint64_t *ret_mask)
{
	uint64_t mask = 0;

	do {
		int first = bit_parse(&text), last = first;

		if (*text == '-') {
			text++;
			last = bit_parse(&text);
		}
		if (first < 0 || last < first)
			return -EINVAL;
		mask |= (~0ull >> (63 - (last - first))) << first;
	} while (*text++ == ',');
	text--;
	while (isspace((unsigned char)*text))
		text++;
	if (*text)
		return -EINVAL;
	*ret_mask = mask;
	return 0;
}

int tally_pmu_format_parse(const char *text, uint8_t *ret_field, uint64_t *ret_mask)
{
	const char *colon = strchr(text, ':');

	for (size_t i = 0; colon && i < TALLY_ARRAY_SIZE(fields); i++) {
		if (!tally_text_is(fields[i].name, text, (size_t)(colon - text)))
			continue;
		if (ranges_parse(colon + 1, ret_mask))
			return -EINVAL;
		*ret_field = (uint8_t)i;
		return 0;
	}
	return -EINVAL;
}

const struct tally_pmu_format *tally_pmu_format_find(const struct tally_pmu *pmu, const char *name,
						     size_t len)
{
	for (size_t i = 0; i < pmu->formats.len; i++)
		if (tally_text_is(pmu->formats.data[i].name, name, len))
			return &pmu->formats.data[i];
	return NULL;
}

uint64_t tally_pmu_format_max(const struct tally_pmu_format *format)
{
	return ~0ull >> (64 - __builtin_popcountll(format->mask));
}

void tally_pmu_format_set(const struct tally_pmu_format *format, uint64_t value,
			  struct perf_event_attr *attr)
{
	uint64_t *field = (uint64_t *)(void *)((char *)attr + fields[format->field].offset);

	for (uint64_t mask = format->mask; mask; mask &= mask - 1, value >>= 1)
		if (value & 1)
			*field |= mask & -mask;
}
