/* SPDX-License-Identifier: BSD-2-Clause */
#include "sampler/counting.h"

#include <stdio.h>
#include <unistd.h>

#include "base/arith.h"

/* Some PMUs say how often the pipeline waits; only their description tells. */
static bool cpu_has(const char *event)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/cpu/events/%s", event);
	return !access(path, R_OK);
}

void tally_counting_events(bool system_wide, struct tally_str *out)
{
	const struct {
		const char *events;
		bool wanted;
	} parts[] = {
		{"cpu-clock", system_wide},
		{"task-clock", !system_wide},
		{"context-switches,cpu-migrations,page-faults,cycles", true},
		{"stalled-cycles-frontend", cpu_has("stalled-cycles-frontend")},
		{"stalled-cycles-backend", cpu_has("stalled-cycles-backend")},
		{"instructions,branches,branch-misses", true},
	};
	const char *joint = "";

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(parts); i++) {
		if (!parts[i].wanted)
			continue;
		tally_str_addf(out, "%s%s", joint, parts[i].events);
		joint = ",";
	}
}
