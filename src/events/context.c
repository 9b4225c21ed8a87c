/* SPDX-License-Identifier: BSD-2-Clause */
/* The context: the roots of sysfs and tracefs, and what was read below them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "events/pmu.h"

#define DEVICES "/bus/event_source/devices"

int tally_events_new(const char *sysfs, const char *tracefs, struct tally_events **ret_events)
{
	struct tally_events *events = calloc(1, sizeof(*events));
	char *devices;

	if (!events)
		return -ENOMEM;
	if (!sysfs)
		sysfs = "/sys";
	devices = tally_arena_bytes(&events->arena, strlen(sysfs) + sizeof(DEVICES));
	if (tracefs)
		events->tracefs = tally_arena_strndup(&events->arena, tracefs, strlen(tracefs));
	if (!devices || (tracefs && !events->tracefs)) {
		tally_events_free(events);
		return -ENOMEM;
	}
	stpcpy(stpcpy(devices, sysfs), DEVICES);
	events->devices = devices;
	*ret_events = events;
	return 0;
}

void tally_events_free(struct tally_events *events)
{
	if (!events)
		return;
	tally_vec_for_each (pmu, &events->pmus)
		tally_pmu_free(*pmu);
	tally_vec_free(&events->pmus);
	tally_vec_free(&events->pmu_names);
	tally_arena_free(&events->arena);
	free(events);
}
