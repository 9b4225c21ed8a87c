/* SPDX-License-Identifier: BSD-2-Clause */
/* The context: the sysfs and tracefs roots, and the data read from below them. */
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
	events->sysfs = tally_arena_strndup(&events->arena, sysfs, strlen(sysfs));
	if (tracefs)
		events->tracefs = tally_arena_strndup(&events->arena, tracefs, strlen(tracefs));
	if (!devices || !events->sysfs || (tracefs && !events->tracefs)) {
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
	tally_vec_free(&events->cores);
	tally_tables_free(&events->tables);
	tally_arena_free(&events->arena);
	free(events);
}

int tally_events_set_tables(struct tally_events *events, const char *path,
			    tally_events_diagnostic_fn *diagnostic, void *data)
{
	const char *copy = tally_arena_strndup(&events->arena, path, strlen(path));

	if (!copy)
		return -ENOMEM;
	events->tables.path = copy;
	events->tables.diagnostic = diagnostic;
	events->tables.data = data;
	return 0;
}

int tally_events_set_metric_pmu(struct tally_events *events, const char *pmu)
{
	const char *copy = pmu ? tally_arena_strndup(&events->arena, pmu, strlen(pmu)) : NULL;

	if (pmu && !copy)
		return -ENOMEM;
	events->metric_pmu = copy;
	return 0;
}

int tally_events_set_cpu(struct tally_events *events, enum tally_events_cpu whose,
			 const char *cpuid)
{
	const char *copy = tally_arena_strndup(&events->arena, cpuid, strlen(cpuid));

	if (!copy)
		return -ENOMEM;
	events->tables.whose = whose;
	events->tables.asked = copy;
	return 0;
}
