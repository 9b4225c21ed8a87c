/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The classic tables that `tally-jevents --classic` generates: one table of events for each CPU
 * directory and a map of CPUs to tables. Both end with a row whose first member is NULL. Members
 * that a row does not have are NULL.
 */
#ifndef PMU_EVENTS_H
#define PMU_EVENTS_H

struct pmu_event {
	const char *name;  /* "pm_1plus_ppc_cmpl"; NULL for a metric alone */
	const char *event; /* "event=0x100f2" */
	const char *desc;  /* one line */
	const char *topic; /* "floating point" */
	const char *long_desc;
	const char *pmu;    /* "uncore_imc"; NULL for the core's */
	const char *unit;   /* "64Bytes" */
	const char *perpkg; /* "1": counts a whole package */
	const char *metric_expr;
	const char *metric_name;
	const char *metric_group;
};

struct pmu_events_map {
	const char *cpuid;   /* "GenuineIntel-6-37", or a regular expression */
	const char *version; /* of the events, "V13" */
	const char *type;    /* "core" or "uncore" */
	struct pmu_event *table;
};

/* In the generated file. */
extern struct pmu_events_map pmu_events_map[];

#endif
