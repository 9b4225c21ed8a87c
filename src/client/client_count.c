/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/arith.h"
#include "tally/client.h"

const char *tally_quality_name(enum tally_quality quality)
{
	static const char *const names[] = {
		[TALLY_QUALITY_EXACT] = "exact",
		[TALLY_QUALITY_SCALED] = "scaled",
		[TALLY_QUALITY_NEVER_RAN] = "never ran",
		[TALLY_QUALITY_NOT_SUPPORTED] = "not supported",
		[TALLY_QUALITY_NOT_PERMITTED] = "not permitted",
		[TALLY_QUALITY_ESTIMATED] = "estimated",
	};

	return names[quality];
}

uint64_t tally_count_scaled(const struct tally_count *count)
{
	if (count->quality != TALLY_QUALITY_SCALED)
		return count->value;
	return tally_mul_div(count->value, count->enabled, count->running);
}

static bool has_value(enum tally_quality quality)
{
	return quality == TALLY_QUALITY_EXACT || quality == TALLY_QUALITY_SCALED ||
	       quality == TALLY_QUALITY_ESTIMATED;
}

static enum tally_quality quality_worse(enum tally_quality a, enum tally_quality b)
{
	if (has_value(a) != has_value(b))
		return has_value(a) ? a : b;
	return TALLY_MAX(a, b);
}

struct tally_count tally_count_add(struct tally_count a, struct tally_count b)
{
	return (struct tally_count){
		.value = a.value + b.value,
		.enabled = a.enabled + b.enabled,
		.running = a.running + b.running,
		.lost = a.lost + b.lost,
		.quality = quality_worse(a.quality, b.quality),
	};
}

struct tally_count tally_count_since(struct tally_count a, struct tally_count b)
{
	struct tally_count since = {
		.value = a.value - b.value,
		.enabled = a.enabled - b.enabled,
		.running = a.running - b.running,
		.lost = a.lost - b.lost,
		.quality = a.quality,
	};

	if (!has_value(a.quality))
		return since;
	if (!since.running)
		since.quality = TALLY_QUALITY_NEVER_RAN;
	else if (a.quality != TALLY_QUALITY_ESTIMATED)
		since.quality =
			since.running < since.enabled ? TALLY_QUALITY_SCALED : TALLY_QUALITY_EXACT;
	return since;
}
