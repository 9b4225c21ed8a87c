/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to events/: the kernel's descriptions of PMUs and tracepoints. */
#ifndef TALLY_EVENTS_PMU_H
#define TALLY_EVENTS_PMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"
#include "events/tables.h"
#include "tally/events.h"

/* A file in format/, which lists the attr bits that a term sets. */
struct tally_pmu_format {
	const char *name;
	uint8_t field; /* 0..3: config, config1, config2, config3 */
	uint64_t mask; /* bits that receive the value, lowest bit first; never 0 */
};

struct tally_pmu {
	const char *name;
	uint32_t type;
	bool uncore;     /* has a cpumask file */
	bool hybrid;     /* has a cpus file: one of several kinds of core */
	bool core;       /* counts the generic hardware events */
	bool made_up;    /* not in sysfs, so created from the event tables */
	int max_precise; /* contents of caps/max_precise, or -1 if missing */
	TALLY_VEC(struct tally_pmu_format) formats;
	TALLY_VEC(uint32_t) cpus;
};

typedef TALLY_VEC(const char *) tally_name_vec;

struct tally_events {
	struct tally_arena arena; /* memory for all names below */
	const char *sysfs;
	const char *devices;      /* SYSFS/bus/event_source/devices */
	const char *tracefs;      /* as given by the caller, or NULL to search for it */
	const char *found;        /* root of tracefs, once found */
	bool listed;              /* pmu_names is valid */
	tally_name_vec pmu_names; /* sorted */
	TALLY_VEC(struct tally_pmu *) pmus;
	bool several_known, several; /* result of tally_pmu_several_cores() */
	bool cores_known;            /* `cores` is valid */
	TALLY_VEC(struct tally_pmu *) cores;
	struct tally_tables tables;
	const char *metric_pmu; /* only PMU for events of metrics, or NULL */
	const char *only_pmu;   /* the same while a metric is parsed; otherwise NULL */
};

/* List the entries in a directory, sorted, except those that start with a dot. Names are copied to
 * `arena`; the caller frees the vector. Returns 0, -ENOMEM, or an error from opendir(3). */
int tally_dir_names(const char *path, struct tally_arena *arena, tally_name_vec *ret_names);

/* Get the names of all PMUs. Returns 0, -ENOMEM, or an error from opendir(3). */
int tally_pmu_names(struct tally_events *events, const tally_name_vec **ret_names);

/* Get the PMU with this name. The PMU is read on first use and owned by `events`. Returns 0,
 * -ENOENT, -EINVAL if its files are invalid, or -ENOMEM. */
int tally_pmu_get(struct tally_events *events, const char *name, size_t len,
		  struct tally_pmu **ret_pmu);
void tally_pmu_free(struct tally_pmu *pmu);

/* Fill in events->cores with the core PMUs in sysfs. Returns 0 or -ENOMEM. */
int tally_pmu_cores_here(struct tally_events *events);

/* Fill in events->cores with this machine's core PMUs, one for each kind of core. The list stays
 * empty if there is no such PMU. If the tables are for another machine with several kinds of core,
 * a PMU is created for each kind. Returns 0 or -ENOMEM. */
int tally_pmu_cores(struct tally_events *events);

/* Return true if there may be several kinds of core. Only names are checked; the PMUs are not
 * read. */
bool tally_pmu_several_cores(struct tally_events *events);

/* Return true if the name is that of a PMU that may count the events of a core. */
bool tally_pmu_is_core(const char *name);

/* Return true if a pattern matches a PMU name. uncore_cbox_0 is matched by its full name, by
 * wildcards (if `glob`), and by uncore_cbox and cbox. */
bool tally_pmu_fits(const char *name, const char *pattern, bool glob);

/* Read DEVICES/pmu/file (at most 4 KiB) into `arena`, terminated by NUL and without trailing
 * blanks. Returns 0 or -errno. */
int tally_pmu_read(struct tally_events *events, const char *pmu, const char *dir, const char *file,
		   const char *suffix, struct tally_arena *arena, const char **ret_text);

/* Parse a format such as "config1:0-7,32-35". Returns 0 or -EINVAL. */
int tally_pmu_format_parse(const char *text, uint8_t *ret_field, uint64_t *ret_mask);
const struct tally_pmu_format *tally_pmu_format_find(const struct tally_pmu *pmu, const char *name,
						     size_t len);

/* Return the largest value that fits in the format's bits. */
uint64_t tally_pmu_format_max(const struct tally_pmu_format *format);

/* Store `value` in the attr bits that the format selects. As in perf, the values of a repeated term
 * are ORed. */
void tally_pmu_format_set(const struct tally_pmu_format *format, uint64_t value,
			  struct perf_event_attr *attr);

/* Return true for files in events/ that contain an attribute of another event (.scale, .unit,
 * .per-pkg, .snapshot). */
bool tally_pmu_is_attribute(const char *file);

/* Return true if an event is part of Intel's PERF_METRICS register. This register is read
 * together with the slots counter, so the slots event must lead the group. The parts do not need
 * counters. */
bool tally_event_is_topdown_part(const struct tally_events *events,
				 const struct tally_event_spec *spec);

/* Return true if the string contains the wildcards `*`, `?` or `[`. */
bool tally_glob_has(const char *text, size_t len);

#endif
