/* SPDX-License-Identifier: BSD-2-Clause */
/* Counting without sampling: choose the default events and open the counters. */
#ifndef TALLY_SAMPLER_COUNTING_H
#define TALLY_SAMPLER_COUNTING_H

#include <stdbool.h>

#include "base/str.h"
#include "tally/client.h"
#include "tally/events.h"

struct tally_counting {
	const struct tally_transport *transport; /* NULL for Linux */
	bool system_wide;                        /* count per CPU, not per task */
	bool on_exec;      /* count per task, from when the waiting command calls exec */
	bool no_inherit;   /* do not count the tasks' children */
	bool read_group;   /* read members together with their leader */
	int32_t cgroup_fd; /* -1 or 0 if not used */
};

/* Append perf stat's default events for this machine, to count per CPU (`system_wide`) or per
 * task. */
void tally_counting_events(bool system_wide, struct tally_str *out);

/* Return options that open counters disabled and skip events that the machine does not have. */
struct tally_open_options tally_counting_options(const struct tally_counting *counting);

/* Open counters for the list. If the leader of a group is rejected, the next member becomes the
 * leader, which changes `list`. Returns 0, or an error from tally_counters_open() with `*ret_why`
 * set. */
int tally_counting_open(const struct tally_counting *counting, struct tally_event_list *list,
			const struct tally_cpus *cpus, const struct tally_threads *threads,
			struct tally_counters **ret_counters, struct tally_refusal *ret_why);

#endif
