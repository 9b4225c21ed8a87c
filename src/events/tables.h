/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to events/: tables of the events of a CPU, built in or loaded at run time. */
#ifndef TALLY_EVENTS_TABLES_H
#define TALLY_EVENTS_TABLES_H

#include "base/arena.h"
#include "base/vec.h"
#include "jevents/models.h"
#include "tally/events.h"

struct tally_pmu;
struct tally_word;

/* A table (model) that applies to the CPU. */
struct tally_table {
	const struct tally_model *model;
	const char *core; /* PMU that "default_core" refers to; NULL: that of every core */
};

struct tally_tables {
	const char *path; /* NULL: the built-in tables */
	tally_events_diagnostic_fn *diagnostic;
	void *data;
	enum tally_events_cpu whose;
	const char *asked; /* the requested CPU; NULL: that of this machine */

	/* Set by tally_tables_open(). */
	bool open;
	int error; /* error of opening the tables */
	struct tally_models builtin, *loaded;
	const struct tally_models *models;
	const char *arch, *cpuid;
	TALLY_VEC(struct tally_table) list;
	TALLY_VEC(struct tally_pmu *) made_up; /* PMUs without sysfs entry, made on demand */
};

/* Find the tables of the machine or of the requested CPU. Returns 0 or an error; later calls return
 * the result of the first one. */
int tally_tables_open(struct tally_events *events);
void tally_tables_free(struct tally_tables *tables);

/* Return the name of the table such as "cascadelakex", or "" without a table. */
const char *tally_tables_name(const struct tally_tables *tables);

/* Return true if the table is for all CPUs of an architecture. */
bool tally_tables_architectural(const struct tally_tables *tables);

/* An event in a table. */
struct tally_table_event {
	const struct tally_table *table;
	const struct tally_model_event *row;
};

/* Iterate over the rows with this name, starting with a zeroed cursor. Returns false at the end.
 * Tables must be open. */
struct tally_table_cursor {
	size_t table;
	uint32_t pos;
};
bool tally_table_next(struct tally_events *events, struct tally_table_cursor *cursor,
		      struct tally_word name, struct tally_table_event *ret_event);

/* Return true if a PMU of this machine is the one called `name` in a table. */
bool tally_table_pmu_fits(struct tally_events *events, const struct tally_table *table,
			  const char *name, const char *compat, const struct tally_pmu *pmu);

/* Make a PMU that is not in sysfs, with the formats of its driver: the PMU of the cores ("cpu" or
 * "default_core"), or another one with events in the tables. `name` is its name there, that of an
 * instance ("uncore_cha_3"), or either without "uncore_". Returns 0, -ENOENT, -ENOMEM, or an error
 * of tally_tables_open(). */
int tally_table_pmu_build(struct tally_events *events, const char *name,
			  struct tally_pmu **ret_pmu);

/* Fill events->cores for another machine's CPU if it has several kinds of core. Returns 0 or an
 * error of tally_table_pmu_build(). */
int tally_table_cores_build(struct tally_events *events);

/* Return the terms of an event that a driver names and no table contains, for a PMU made from
 * tables. NULL if unknown. */
const char *tally_table_alias(const struct tally_pmu *pmu, struct tally_word name);

/* Get the CPU ID of a CPU of this machine in the form used in tables. `*ret_cpuid` is "" if
 * unavailable. Returns 0 or -errno. */
int tally_identity_get(struct tally_events *events, uint32_t cpu, const char **ret_arch,
		       const char **ret_cpuid);

/* Like tally_identity_get(), from the text of /proc/cpuinfo. `*ret_cpuid` is allocated in the
 * arena. It is "" if the architecture does not have its CPU ID there. Returns 0 or -ENOMEM. */
int tally_identity_parse(const char *arch, const char *cpuinfo, struct tally_arena *arena,
			 const char **ret_cpuid);

/* Return the architecture of a machine name of uname(2): "x86" for "x86_64". Unknown names are
 * returned unchanged. */
const char *tally_identity_arch(const char *machine);

#endif
