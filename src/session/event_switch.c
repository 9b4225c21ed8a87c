/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/event_switch.h"

#include <stddef.h>
#include <string.h>

bool tally_event_switch_passes(const struct tally_event_switch *events, const char *event,
			       bool *is_off)
{
	const char *wanted = *is_off ? events->on : events->off;

	if (!wanted || strcmp(event, wanted) != 0)
		return !*is_off;
	*is_off = !*is_off;
	return events->shows;
}
