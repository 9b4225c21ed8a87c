/* SPDX-License-Identifier: BSD-2-Clause */
/* What a plan is made of: events that want counters, tried out on a simulated PMU. */
#ifndef TALLY_CLI_STAT_PLAN_RUN_H
#define TALLY_CLI_STAT_PLAN_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tally/events.h"

/* An event of the plan. */
struct stat_plan_event {
	const struct tally_event_spec *spec;
	struct tally_event_counters can; /* be on these; none: it needs no counter */
	size_t leader;                   /* index of its group's first event */
	/* Found out by stat_plan_run(). */
	int refused;  /* -errno of opening it in its group; 0: none */
	bool alone;   /* its group is weak and did not fit: it is counted by itself */
	double share; /* of the time that it has a counter, 0 to 1 */
};

struct stat_plan {
	struct tally_event_counters all;
	struct stat_plan_event *events;
	size_t nr;
	uint32_t passes; /* that it takes for every event to have had a counter */
};

/* Open the events on a simulated machine with these counters, let its core schedule them, and see
 * who runs how long. 0; -E2BIG for more kinds of constraints than the machine tells apart; or the
 * error of tally_sim_create(). */
int stat_plan_run(struct stat_plan *plan);

#endif
