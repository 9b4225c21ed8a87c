/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A model: the events and metrics of one CPU directory, as one block of constant data.
 *
 * All references are offsets from the start of the block, so a generated model does not need
 * relocations and a model read at run time has the same type. The texts of a model read at run time
 * follow its rows. All generated models of a program share one pool of texts after the last model,
 * because CPUs have most names in common. Rows are sorted by PMU and name. A small hash index finds
 * a name with three cache lines: slot, row, text. All functions only read, so any number of threads
 * may share a model. None of them allocates memory.
 */
#ifndef TALLY_JEVENTS_MODEL_H
#define TALLY_JEVENTS_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `nr` rows, starting `at` bytes after the start of the model. */
struct tally_model_span {
	uint32_t at, nr;
};

enum tally_model_flag {
	TALLY_MODEL_SYSTEM =
		1, /* of a "sys" directory: selected by the `compat` of each row, not by CPU */
};

struct tally_model {
	uint32_t size;  /* bytes of the block, without a shared pool */
	uint32_t flags; /* enum tally_model_flag */
	uint32_t arch;  /* texts: "x86" */
	uint32_t name;  /* "silvermont", "arm/cortex-a53", "arm/cmn/sys" */
	struct tally_model_span pmus, events, traits, metrics, groups;
	struct tally_model_span slots; /* hash index of event names; 1.5 slots per event */
	struct tally_model_span pool;  /* texts, NUL-terminated; offset 0 is "" */
};

/* All 16 and 32 bit members named after texts are offsets into the pool. */
struct tally_model_pmu {
	uint32_t name; /* "default_core", "cpu_atom", "uncore_imc", "hisi_sccl,ddrc" */
	uint32_t first_event, nr_events;
	uint32_t first_metric, nr_metrics;
};

enum tally_event_flag {
	TALLY_EVENT_DEPRECATED = 1,
	TALLY_EVENT_PER_PACKAGE = 2,  /* counts a whole package, on any CPU that reads it */
	TALLY_EVENT_PRECISE = 4,      /* can be sampled precisely */
	TALLY_EVENT_MUST_PRECISE = 8, /* is meaningful only if sampled precisely */
	TALLY_EVENT_ADDRESS = 16,     /* has a data address if sampled precisely */
	TALLY_EVENT_ALONE = 32,       /* must be the only event of its kind at any time */
};

struct tally_model_event {
	uint32_t name;   /* lower case; two texts follow it: see tally_model_event_desc() */
	uint32_t terms;  /* "event=0xc0,period=2000003": the terms for pmu/terms/ */
	uint16_t pmu;    /* index of the PMU */
	uint16_t traits; /* index of the traits */
};

/* Properties shared by many events. */
struct tally_model_traits {
	/* Bit n: generic counter n can count the event. If this and `fixed` are 0, no limit is
	 * known. */
	uint32_t counters;
	uint16_t topic;  /* "floating point" */
	uint16_t unit;   /* "64Bytes": scale and unit of a count; "" for a plain count */
	uint16_t compat; /* regular expression for the identifier of a system PMU, or "" */
	uint8_t fixed;   /* bit n: fixed counter n can count it */
	uint8_t flags;   /* enum tally_event_flag */
};

/* Constraints of the tree on grouping the events of a metric. */
enum tally_metric_constraint {
	TALLY_METRIC_GROUPED = 0,      /* as one group, the default */
	TALLY_METRIC_NO_GROUP = 1,     /* never */
	TALLY_METRIC_NO_GROUP_NMI = 2, /* not while the NMI watchdog uses a counter */
	TALLY_METRIC_NO_GROUP_SMT = 3, /* not while SMT is on */
};

enum tally_metric_aggregation {
	TALLY_METRIC_PER_CPU = 0,
	TALLY_METRIC_PER_CHIP = 1,
	TALLY_METRIC_PER_CORE = 2,
};

struct tally_model_metric {
	uint32_t name;
	uint32_t expr;      /* in canonical form */
	uint32_t threshold; /* expression that is nonzero if the value deserves attention, or "" */
	uint32_t desc, long_desc;
	uint32_t groups;        /* "Frontend;TopdownL1" */
	uint16_t no_groups;     /* groups with members that are not counted together, or "" */
	uint16_t default_group; /* group in which it is displayed by default, or "" */
	uint16_t unit;          /* "100%": scale and unit */
	uint16_t compat;        /* like that of an event */
	uint16_t pmu;
	uint8_t constraint;  /* enum tally_metric_constraint */
	uint8_t aggregation; /* enum tally_metric_aggregation */
};

struct tally_model_group {
	uint32_t name, desc;
};

/* Return row `index` of a span; the index must be below the span's `nr`. */
static inline const void *tally_model_at(const struct tally_model *model,
					 const struct tally_model_span *span, size_t size,
					 uint32_t index)
{
	return (const char *)model + span->at + size * index;
}

static inline const struct tally_model_pmu *tally_model_pmu(const struct tally_model *model,
							    uint32_t index)
{
	return tally_model_at(model, &model->pmus, sizeof(struct tally_model_pmu), index);
}

static inline const struct tally_model_event *tally_model_event(const struct tally_model *model,
								uint32_t index)
{
	return tally_model_at(model, &model->events, sizeof(struct tally_model_event), index);
}

static inline const struct tally_model_metric *tally_model_metric(const struct tally_model *model,
								  uint32_t index)
{
	return tally_model_at(model, &model->metrics, sizeof(struct tally_model_metric), index);
}

static inline const struct tally_model_group *tally_model_group(const struct tally_model *model,
								uint32_t index)
{
	return tally_model_at(model, &model->groups, sizeof(struct tally_model_group), index);
}

/* Return the text at an offset in a row of this model. Never NULL; lives as long as the model. */
static inline const char *tally_model_text(const struct tally_model *model, uint32_t offset)
{
	return (const char *)model + model->pool.at + offset;
}

/* Return the properties of an event other than its name and code. */
static inline const struct tally_model_traits *
tally_model_traits(const struct tally_model *model, const struct tally_model_event *event)
{
	return tally_model_at(model, &model->traits, sizeof(struct tally_model_traits),
			      event->traits);
}

/* Return the one-line description of an event, without a final full stop, or its long description.
 * Missing descriptions are "". Both texts live as long as the model. */
const char *tally_model_event_desc(const struct tally_model *model,
				   const struct tally_model_event *event);
const char *tally_model_event_long_desc(const struct tally_model *model,
					const struct tally_model_event *event);

/* Return the index of the PMU with exactly this name, or -1. */
int tally_model_pmu_find(const struct tally_model *model, const char *name);

/* Find the event with the name `name` of `len` bytes, ignoring case. If `pmu` is -1, events of all
 * PMUs are found, otherwise only those of the PMU with this index. `*pos` must be 0 initially and
 * is advanced: the next call finds the event with the same name on the next PMU. Returns NULL if
 * there are no more. If a tree has a name twice on a PMU, the first one is found; the other one is
 * the next row. */
const struct tally_model_event *tally_model_event_find(const struct tally_model *model, int pmu,
						       const char *name, size_t len, uint32_t *pos);

/* Find the rows of one PMU with names that start with `prefix` of `len` bytes, in lower case. These
 * rows are contiguous: `*ret_first` is the index of the first one. Returns their number, possibly
 * 0. */
uint32_t tally_model_event_prefix(const struct tally_model *model, uint32_t pmu, const char *prefix,
				  size_t len, uint32_t *ret_first);

/* Find the metric with this name, ignoring case, on the PMU with index `pmu`. Returns NULL if not
 * found. Metrics of hybrid CPUs have one row per PMU. */
const struct tally_model_metric *tally_model_metric_find(const struct tally_model *model,
							 uint32_t pmu, const char *name);

/* Return the description of a metric group, or NULL. */
const char *tally_model_group_desc(const struct tally_model *model, const char *name);

/* Return the hash of an event name for the index, ignoring ASCII case. It is the same on every
 * machine. */
uint32_t tally_model_hash(const char *name, size_t len);

/* A slot of the index: 0 is empty; otherwise the upper bits are a tag from the hash, and the lower
 * bits are the index + 1 of the row. */
enum {
	TALLY_SLOT_ROW_BITS = 20,
	TALLY_SLOT_ROW_MASK = (1 << TALLY_SLOT_ROW_BITS) - 1,
};

/* Return the index of the first slot to check among `nr` slots, from the hash bits that are not in
 * the tag. */
static inline uint32_t tally_slot_of(uint32_t hash, uint32_t nr)
{
	return (uint64_t)(uint32_t)(hash << (32 - TALLY_SLOT_ROW_BITS)) * nr >> 32;
}

#endif
