/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/session_events.h"

#include <errno.h>
#include <inttypes.h>

#include "base/arith.h"

int tally_check_events(const struct tally_session *session, const struct tally_profile *profile)
{
	const uint64_t limit = 1ull << 31;
	uint64_t each = profile->buckets.len + profile->frames.all.len, nr = 0;

	tally_vec_for_each (total, &profile->totals)
		nr += total->nr != 0;
	if (nr < 2 || nr * each <= limit)
		return 0;
	tally_message_error(session->options.messages,
			    "%s: %" PRIu64 " events with %" PRIu64
			    " distinct locations: the product exceeds the limit of %" PRIu64,
			    session->name, nr, each, limit);
	tally_message_hint(
		session->options.messages,
		"use 'tally script', or select fewer samples with --comms, --dsos or --cpu");
	return -E2BIG;
}

int tally_check_event_number(const struct tally_session *session, uint64_t chosen)
{
	size_t nr = tally_perfdata_nr_events(session->data);

	if (chosen <= nr)
		return 0;
	tally_message_error(session->options.messages,
			    "option '--event-number': no event %" PRIu64
			    "; the recording has %zu event%s (see 'tally evlist')",
			    chosen, nr, tally_plural(nr));
	return -EINVAL;
}

int tally_check_sides(const struct tally_messages *to, const bool has_samples[2], bool has_common)
{
	for (int side = 0; side < 2; side++) {
		if (has_samples[side])
			continue;
		tally_message_error(to, "side %c has no samples", 'A' + side);
		tally_message_hint(
			to, "the filters rejected all samples, or nothing ran; 'tally evlist "
			    "-v' shows what was recorded");
		return -ENODATA;
	}
	if (has_common)
		return 0;
	tally_message_error(to, "no event was recorded on both sides");
	tally_message_hint(to, "'tally evlist' shows the events; record both with the same -e");
	return -ENODATA;
}
