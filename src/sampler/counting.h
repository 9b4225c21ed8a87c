/* SPDX-License-Identifier: BSD-2-Clause */
/* Counting without samples: which events by default, and how their counters are opened. */
#ifndef TALLY_SAMPLER_COUNTING_H
#define TALLY_SAMPLER_COUNTING_H

#include <stdbool.h>

#include "base/str.h"
#include "tally/client.h"
#include "tally/events.h"

struct tally_counting {
	const struct tally_transport *transport; /* NULL: Linux */
	bool system_wide;                        /* CPUs are counted, not tasks */
	bool on_exec;      /* tasks are counted from the exec of the command that is held */
	bool no_inherit;   /* not the children that tasks make */
	bool read_group;   /* members are read together with their leader */
	int32_t cgroup_fd; /* -1 or 0: none */
};

/* Append the events that are counted where none are named, for CPUs (`system_wide`) or tasks: those
 * of perf stat on this machine. */
void tally_counting_events(bool system_wide, struct tally_str *out);

/* What counters are opened with: disabled, and without the events that the machine does not have.
 */
struct tally_open_options tally_counting_options(const struct tally_counting *counting);

/* Open counters for the list. A group whose leader is refused is led by its next member: leaders in
 * `list` are changed to that. 0 or the errors of tally_counters_open(), with `*ret_why`. */
int tally_counting_open(const struct tally_counting *counting, struct tally_event_list *list,
			const struct tally_cpus *cpus, const struct tally_threads *threads,
			struct tally_counters **ret_counters, struct tally_refusal *ret_why);

#endif
