/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to events/: tables of a CPU's events, built in or read at run time. */
#ifndef TALLY_EVENTS_TABLES_H
#define TALLY_EVENTS_TABLES_H

#include "base/arena.h"
#include "base/vec.h"
#include "jevents/models.h"
#include "tally/events.h"

struct tally_pmu;
struct tally_word;

/* A model that this CPU has. */
struct tally_table {
	const struct tally_model *model;
	const char *core; /* the PMU that "default_core" stands for; NULL: every core's */
};

struct tally_tables {
	const char *path; /* NULL: those built in */
	tally_events_diagnostic_fn *diagnostic;
	void *data;
	enum tally_events_cpu whose;
	const char *asked; /* the CPU that was set; NULL: the one that is here */

	/* From here on filled by tally_tables_open(). */
	bool open;
	int error; /* of opening */
	struct tally_models builtin, *loaded;
	const struct tally_models *models;
	const char *arch, *cpuid;
	TALLY_VEC(struct tally_table) list;
	TALLY_VEC(struct tally_pmu *) made_up; /* PMUs without sysfs, as they were needed */
};

/* The machine's or the chosen CPU's tables, found at the first call. 0 or the error, always the
 * same one. */
int tally_tables_open(struct tally_events *events);
void tally_tables_free(struct tally_tables *tables);

/* "cascadelakex", or "" without a table. */
const char *tally_tables_name(const struct tally_tables *tables);

/* Whether the CPU's table is one of all CPUs of its architecture. */
bool tally_tables_architectural(const struct tally_tables *tables);

/* An event of a table. */
struct tally_table_event {
	const struct tally_table *table;
	const struct tally_model_event *row;
};

/* Walk over the rows of this name: start with a zeroed cursor. False at the end. Tables must be
 * open. */
struct tally_table_cursor {
	size_t table;
	uint32_t pos;
};
bool tally_table_next(struct tally_events *events, struct tally_table_cursor *cursor,
		      struct tally_word name, struct tally_table_event *ret_event);

/* Whether a PMU of this machine is the one that a table calls `name`. */
bool tally_table_pmu_fits(struct tally_events *events, const struct tally_table *table,
			  const char *name, const char *compat, const struct tally_pmu *pmu);

/* The PMU to use where sysfs describes none, programmed as its driver would have it: the core's
 * ("cpu" or "default_core"), or another one that the tables have events of: by its name there, by a
 * name of one of several ("uncore_cha_3"), and without "uncore_". 0, -ENOENT, -ENOMEM, or that of
 * tally_tables_open(). */
int tally_table_pmu_make(struct tally_events *events, const char *name, struct tally_pmu **ret_pmu);

/* The kinds of cores of another machine's CPU, where it has several: events->cores is filled. 0 or
 * that of tally_table_pmu_make(). */
int tally_table_cores_make(struct tally_events *events);

/* What an event of a PMU that was made up is, where the driver names it and no table does; NULL. */
const char *tally_table_alias(const struct tally_pmu *pmu, struct tally_word name);

/* The identity of a CPU of this machine as tables have it. `*ret_cpuid` is "" where the machine
 * does not tell. 0 or -ENOMEM. */
int tally_identity_get(struct tally_events *events, uint32_t cpu, const char **ret_arch,
		       const char **ret_cpuid);

/* The same out of the text of /proc/cpuinfo: of an architecture that has its identity there, or
 * "" . `*ret_cpuid` lives in the arena. 0 or -ENOMEM. */
int tally_identity_parse(const char *arch, const char *cpuinfo, struct tally_arena *arena,
			 const char **ret_cpuid);

/* The architecture of a machine as uname(2) calls it: "x86" for "x86_64"; the name itself if it is
 * not known. */
const char *tally_identity_arch(const char *machine);

#endif
