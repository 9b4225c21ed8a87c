/* SPDX-License-Identifier: BSD-2-Clause */
#include "sampler/counting.h"

#include <stdio.h>
#include <unistd.h>

#include "base/arith.h"

/* Return true if the CPU's PMU has the event in sysfs. Not all PMUs can count stalled cycles. */
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

struct tally_open_options tally_counting_options(const struct tally_counting *counting)
{
	return (struct tally_open_options){
		.disabled = true,
		.enable_on_exec = counting->on_exec,
		.inherit = !counting->system_wide && !counting->no_inherit,
		.read_group = counting->read_group,
		.skip_unsupported = true,
		.cgroup_fd = counting->cgroup_fd,
	};
}

/* If the leader of a group was rejected, make the next member the leader. Return true if there was
 * such a group. */
static bool promote_members(struct tally_event_list *list, const struct tally_counters *counters)
{
	bool changed = false;

	for (size_t i = 0; i < list->nr; i++) {
		uint32_t next = 0;

		if (!tally_counters_refusal(counters, i) || list->specs[i].leader != i)
			continue;
		for (size_t member = i + 1; member < list->nr; member++) {
			struct tally_event_spec *spec = &list->specs[member];

			if (spec->leader != i || tally_counters_refusal(counters, member))
				continue;
			next = next ? next : (uint32_t)member;
			spec->leader = next;
			changed = true;
		}
	}
	return changed;
}

int tally_counting_open(const struct tally_counting *counting, struct tally_event_list *list,
			const struct tally_cpus *cpus, const struct tally_threads *threads,
			struct tally_counters **ret_counters, struct tally_refusal *ret_why)
{
	const struct tally_open_options options = tally_counting_options(counting);
	struct tally_counters *counters;

	for (int attempt = 0;; attempt++) {
		int ret = tally_counters_open(counting->transport ? counting->transport
								  : tally_transport_linux(),
					      list, cpus, threads, &options, &counters, ret_why);

		if (ret)
			return ret;
		if (attempt || !counting->read_group || !promote_members(list, counters))
			break;
		tally_counters_close(counters);
	}
	*ret_counters = counters;
	return 0;
}
