/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to events/: the kernel's own description of its PMUs and tracepoints. */
#ifndef TALLY_EVENTS_PMU_H
#define TALLY_EVENTS_PMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"
#include "events/tables.h"
#include "tally/events.h"

/* A file of format/: which bits of which attr field a term fills. */
struct tally_pmu_format {
	const char *name;
	uint8_t field; /* 0..3: config, config1, config2, config3 */
	uint64_t mask; /* filled from the value's lowest bit up; never 0 */
};

struct tally_pmu {
	const char *name;
	uint32_t type;
	bool uncore;     /* has cpumask */
	bool hybrid;     /* has cpus: one of several kinds of core */
	bool core;       /* counts the generic hardware events */
	bool made_up;    /* not of this machine: sysfs knows nothing of it */
	int max_precise; /* caps/max_precise, -1 without */
	TALLY_VEC(struct tally_pmu_format) formats;
	TALLY_VEC(uint32_t) cpus;
};

typedef TALLY_VEC(const char *) tally_name_vec;

struct tally_events {
	struct tally_arena arena; /* of all names below */
	const char *sysfs;
	const char *devices;      /* SYSFS/bus/event_source/devices */
	const char *tracefs;      /* as given, NULL: look for it */
	const char *found;        /* the tracefs root that was found */
	bool listed;              /* pmu_names is filled */
	tally_name_vec pmu_names; /* sorted */
	TALLY_VEC(struct tally_pmu *) pmus;
	bool several_known, several; /* there may be several kinds of cores */
	bool cores_known;            /* cores is filled */
	TALLY_VEC(struct tally_pmu *) cores;
	struct tally_tables tables;
};

/* Names of the entries of a directory, sorted, without those that start with a dot; copied to
 * `arena`. 0 or the error of opendir(3). The caller frees the vector. */
int tally_dir_names(const char *path, struct tally_arena *arena, tally_name_vec *ret_names);

/* The names of all PMUs. 0, or the error of opendir(3) or -ENOMEM. */
int tally_pmu_names(struct tally_events *events, const tally_name_vec **ret_names);

/* The PMU of that name, read on first use, owned by `events`. 0; -ENOENT; -EINVAL when its
 * files make no sense; -ENOMEM. */
int tally_pmu_get(struct tally_events *events, const char *name, size_t len,
		  struct tally_pmu **ret_pmu);
void tally_pmu_free(struct tally_pmu *pmu);

/* The PMUs of this machine's cores, one for each kind of core; none where there is no PMU, or of
 * another machine. events->cores is filled. 0 or -ENOMEM. */
int tally_pmu_cores(struct tally_events *events);

/* Whether there may be several: a look, without reading what sysfs says of them. */
bool tally_pmu_several_cores(struct tally_events *events);

/* uncore_cbox_0 answers to its name, to patterns (`glob`), and to uncore_cbox and cbox. */
bool tally_pmu_fits(const char *name, const char *pattern, bool glob);

/* Read DEVICES/pmu/file (at most 4 KiB, NUL-terminated, blanks at the end cut) into `arena`.
 * 0 or -errno. */
int tally_pmu_read(struct tally_events *events, const char *pmu, const char *dir, const char *file,
		   const char *suffix, struct tally_arena *arena, const char **ret_text);

/* Parse "config1:0-7,32-35". 0 or -EINVAL. */
int tally_pmu_format_parse(const char *text, uint8_t *ret_field, uint64_t *ret_mask);
const struct tally_pmu_format *tally_pmu_format_find(const struct tally_pmu *pmu, const char *name,
						     size_t len);

/* The largest value that fits the format. */
uint64_t tally_pmu_format_max(const struct tally_pmu_format *format);

/* Or `value` into its bits of the attr, as perf does: a term given twice adds up. */
void tally_pmu_format_set(const struct tally_pmu_format *format, uint64_t value,
			  struct perf_event_attr *attr);

/* True for the entries of events/ that describe another one (.scale .unit .per-pkg .snapshot). */
bool tally_pmu_is_attribute(const char *file);

/* Whether an event is a part of Intel's PERF_METRICS: the register is read with the counter of the
 * slots, which has to lead a group of them; parts take no counter of their own. */
bool tally_event_is_part(const struct tally_events *events, const struct tally_event_spec *spec);

/* `*` and `?` and [sets]. */
bool tally_glob_has(const char *text, size_t len);

#endif
