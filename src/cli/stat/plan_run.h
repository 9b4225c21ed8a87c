/* SPDX-License-Identifier: BSD-2-Clause */
/* Run a plan by opening its events on a simulated PMU. */
#ifndef TALLY_CLI_STAT_PLAN_RUN_H
#define TALLY_CLI_STAT_PLAN_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tally/events.h"

/* An event in the plan. */
struct stat_plan_event {
	const struct tally_event_spec *spec;
	struct tally_event_counters can; /* usable counters; none if no counter is needed */
	size_t leader;                   /* index of its group's first event */
	/* Results of stat_plan_run(). */
	int refused;  /* -errno from opening the event in its group, or 0 */
	bool alone;   /* counted outside its weak group, which did not fit */
	double share; /* fraction of time on a counter, 0 to 1 */
};

struct stat_plan {
	struct tally_event_counters all;
	struct stat_plan_event *events;
	size_t nr;
	uint32_t passes; /* number of time slices until every event has been counted once */
};

/* Open the events on a simulated machine with these counters, let its core schedule the events, and
 * measure how long each event is counted. Returns 0; -E2BIG if there are more kinds of constraints
 * than the machine supports; or an error from tally_sim_create(). */
int stat_plan_run(struct stat_plan *plan);

#endif
