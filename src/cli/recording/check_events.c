/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/recording/check_events.h"

#include <errno.h>
#include <inttypes.h>

#include "base/arith.h"
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

int tally_check_event_number(const struct tally_session *session, uint64_t chosen)
{
	size_t nr = tally_perfdata_nr_events(session->data);

	if (chosen <= nr)
		return 0;
	tally_print_error("option '--event-number': there is no event %" PRIu64
			  ", but %zu event%s, which 'tally evlist' lists",
			  chosen, nr, tally_plural(nr));
	return -EINVAL;
}

int tally_check_sides(const bool has_samples[2], bool has_common)
{
	for (int side = 0; side < 2; side++) {
		if (has_samples[side])
			continue;
		tally_print_error("side %c has no samples", 'A' + side);
		tally_print_hint(
			"filters leave none, or nothing ran: 'tally evlist -v' shows what was "
			"recorded");
		return -ENODATA;
	}
	if (has_common)
		return 0;
	tally_print_error("no event was recorded on both sides");
	tally_print_hint("record both with the same -e");
	return -ENODATA;
}
