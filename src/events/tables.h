/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to events/: a CPU's event tables, built in or loaded at run time. */
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
	const char *core; /* PMU that "default_core" refers to, or NULL for every core PMU */
};

struct tally_tables {
	const char *path; /* NULL for the built-in tables */
	tally_events_diagnostic_fn *diagnostic;
	void *data;
	enum tally_events_cpu whose;
	const char *asked; /* the requested CPU, or NULL for this machine's CPU */

	/* Set by tally_tables_open(). */
	bool open;
	int error; /* result of opening the tables */
	struct tally_models builtin, *loaded;
	const struct tally_models *models;
	const char *arch, *cpuid;
	TALLY_VEC(struct tally_table) list;
	TALLY_VEC(struct tally_pmu *) made_up; /* PMUs not in sysfs, created on demand */
};

/* Find the tables for this machine or the requested CPU. Returns 0 or an error; later calls return
 * the result of the first call. */
int tally_tables_open(struct tally_events *events);
void tally_tables_free(struct tally_tables *tables);

/* Return the name of the table, such as "cascadelakex", or "" if there is no table. */
const char *tally_tables_name(const struct tally_tables *tables);

/* Return true if the table is for all CPUs of an architecture. */
bool tally_tables_architectural(const struct tally_tables *tables);

/* An event in a table. */
struct tally_table_event {
	const struct tally_table *table;
	const struct tally_model_event *row;
};

/* Iterate over the rows with this name, starting with an all-zero cursor. Returns false at the end.
 * The tables must be open. */
struct tally_table_cursor {
	size_t table;
	uint32_t pos;
};
bool tally_table_next(struct tally_events *events, struct tally_table_cursor *cursor,
		      struct tally_word name, struct tally_table_event *ret_event);

/* Return true if a PMU on this machine corresponds to `name` in a table. */
bool tally_table_pmu_fits(struct tally_events *events, const struct tally_table *table,
			  const char *name, const char *compat, const struct tally_pmu *pmu);

/* Return the name of a row's PMU in the tables. */
const char *tally_table_row_pmu(const struct tally_table_event *event);

/* Return true if the row applies to a PMU on this machine. */
bool tally_table_row_fits(struct tally_events *events, const struct tally_table_event *event,
			  const struct tally_pmu *pmu);

/* Find the table row with this name for this PMU. Returns 1 if found, 0 if not, or an error if the
 * tables cannot be opened. */
int tally_table_describe(struct tally_events *events, const struct tally_pmu *pmu,
			 struct tally_word name, struct tally_table_event *ret_event);

/* Create a PMU that is not in sysfs, with its driver's formats: the core PMU ("cpu" or
 * "default_core"), or another PMU with events in the tables. `name` is the name in the tables or
 * the name of an instance ("uncore_cha_3"), either with or without "uncore_". Returns 0, -ENOENT,
 * -ENOMEM, or an error from tally_tables_open(). */
int tally_table_pmu_build(struct tally_events *events, const char *name,
			  struct tally_pmu **ret_pmu);

/* Fill in events->cores for another machine's CPU if it has several kinds of core. Returns 0 or an
 * error from tally_table_pmu_build(). */
int tally_table_cores_build(struct tally_events *events);

/* For a PMU created from the tables, return the terms of an event that only the PMU's driver
 * defines, or NULL if the event is unknown. */
const char *tally_table_alias(const struct tally_pmu *pmu, struct tally_word name);

/* Get the ID of a CPU on this machine in the form used in tables. `*ret_cpuid` is "" if it is not
 * available. Returns 0 or -errno. */
int tally_identity_get(struct tally_events *events, uint32_t cpu, const char **ret_arch,
		       const char **ret_cpuid);

/* Do the same as tally_identity_get(), using the contents of /proc/cpuinfo. `*ret_cpuid` is
 * allocated in the arena. It is "" if the file does not contain the CPU ID on this architecture.
 * Returns 0 or -ENOMEM. */
int tally_identity_parse(const char *arch, const char *cpuinfo, struct tally_arena *arena,
			 const char **ret_cpuid);

/* Return the architecture for a machine name from uname(2): "x86" for "x86_64". Unknown names are
 * returned unchanged. */
const char *tally_identity_arch(const char *machine);

#endif
