/* SPDX-License-Identifier: BSD-2-Clause */
#include "sampler/stuck.h"

bool tally_stuck_warn(const struct tally_transport *transport, const char *name,
		      const struct perf_event_attr *attr, const char *what,
		      const struct tally_messages *messages)
{
	if (tally_probe_fires(transport, attr, tally_probe_work_spin()) != TALLY_PROBE_NO)
		return false;
	tally_message_warn(messages, "%s: %s: %s can be opened here but never fire%s", name, what,
			   tally_probe_fires_name(attr),
			   attr->type == PERF_TYPE_SOFTWARE ? "" : ", as under some hypervisors");
	return true;
}
