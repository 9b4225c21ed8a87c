/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/recording/check_events.h"

#include <inttypes.h>

#include "cli/main/print.h"

int tally_check_events(const struct tally_profile *profile, const char *path)
{
	const uint64_t limit = 1ull << 31;
	uint64_t each = profile->buckets.len + profile->frames.all.len, nr = 0;

	tally_vec_for_each (total, &profile->totals)
		nr += total->nr != 0;
	if (nr < 2 || nr * each <= limit)
		return 0;
	tally_print_error("%s: %" PRIu64 " events have samples, which fell in %" PRIu64
			  " places: their product is over the limit of %" PRIu64,
			  path, nr, each, limit);
	tally_print_hint("'tally script' shows them, or --comms, --dsos, --cpu fewer");
	return -E2BIG;
}
