/* SPDX-License-Identifier: BSD-2-Clause */
/* Counting without sampling: default events, and how counters are opened. */
#ifndef TALLY_SAMPLER_COUNTING_H
#define TALLY_SAMPLER_COUNTING_H

#include <stdbool.h>

#include "base/str.h"
#include "tally/client.h"
#include "tally/events.h"

struct tally_counting {
	const struct tally_transport *transport; /* NULL: Linux */
	bool system_wide;                        /* count CPUs, not tasks */
	bool on_exec;      /* count tasks from the exec of the held command on */
	bool no_inherit;   /* do not count children of tasks */
	bool read_group;   /* read members together with their leader */
	int32_t cgroup_fd; /* -1 or 0: none */
};

/* Append the default events of perf stat on this machine, for CPUs (`system_wide`) or for tasks. */
void tally_counting_events(bool system_wide, struct tally_str *out);

/* Return the options for opening counters: disabled, and without events that the machine lacks. */
struct tally_open_options tally_counting_options(const struct tally_counting *counting);

/* Open counters for the list. If the leader of a group is rejected, the next member becomes the
 * leader, which changes `list`. Returns 0, or an error of tally_counters_open() with `*ret_why`. */
int tally_counting_open(const struct tally_counting *counting, struct tally_event_list *list,
			const struct tally_cpus *cpus, const struct tally_threads *threads,
			struct tally_counters **ret_counters, struct tally_refusal *ret_why);

#endif
