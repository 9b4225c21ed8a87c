/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A model: the events and metrics of one CPU directory, as one block of constant data.
 *
 * Everything is an offset from the block's own start, so a generated model needs no relocation and
 * one that was read at run time is the same type. The texts of a model that was read follow its
 * rows; all generated ones of a program share one pool of texts behind the last of them, as CPUs
 * have most of their names in common. Rows are sorted by PMU and name; a small hash index finds a
 * name in three cache lines: slot, row, text. All functions only read: any number of threads may
 * share a model. Nothing here allocates.
 */
#ifndef TALLY_JEVENTS_MODEL_H
#define TALLY_JEVENTS_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `nr` rows, the first of them `at` bytes behind the start of the model. */
struct tally_model_span {
	uint32_t at, nr;
};

enum tally_model_flag {
	TALLY_MODEL_SYSTEM =
		1, /* of a "sys" directory: not found by the CPU but by each row's `compat` */
};

struct tally_model {
	uint32_t size;  /* bytes of the block, a shared pool not among them */
	uint32_t flags; /* enum tally_model_flag */
	uint32_t arch;  /* texts: "x86", */
	uint32_t name;  /* "silvermont", "arm/cortex-a53", "arm/cmn/sys" */
	struct tally_model_span pmus, events, traits, metrics, groups;
	struct tally_model_span slots; /* hash index of event names; half as many again, or none */
	struct tally_model_span pool;  /* texts, NUL-terminated; offset 0 is "" */
};

/* All 16 and 32 bit members called after texts are offsets into the pool. */
struct tally_model_pmu {
	uint32_t name; /* "default_core", "cpu_atom", "uncore_imc", "hisi_sccl,ddrc" */
	uint32_t first_event, nr_events;
	uint32_t first_metric, nr_metrics;
};

enum tally_event_flag {
	TALLY_EVENT_DEPRECATED = 1,
	TALLY_EVENT_PER_PACKAGE = 2,  /* counts a whole package, however many CPUs read it */
	TALLY_EVENT_PRECISE = 4,      /* can be sampled precisely */
	TALLY_EVENT_MUST_PRECISE = 8, /* means nothing unless it is */
	TALLY_EVENT_ADDRESS = 16,     /* has a data address when precise */
	TALLY_EVENT_ALONE = 32,       /* must be the only event of its kind at a time */
};

struct tally_model_event {
	uint32_t name;   /* lower case; two texts follow it: tally_model_event_desc() */
	uint32_t terms;  /* "event=0xc0,period=2000003": what goes between the PMU's slashes */
	uint16_t pmu;    /* index into the PMUs */
	uint16_t traits; /* index into the traits */
};

/* What many events have in common. */
struct tally_model_traits {
	uint32_t counters; /* bit n: generic counter n can count it; 0 with `fixed` 0: no limit is
			      known */
	uint16_t topic;    /* "floating point" */
	uint16_t unit;     /* "64Bytes": scale and unit of a count; "" for a plain count */
	uint16_t compat;   /* regular expression over the identifier of a system PMU, or "" */
	uint8_t fixed;     /* bit n: fixed counter n can */
	uint8_t flags;     /* enum tally_event_flag */
};

enum tally_metric_constraint { /* what the tree says of grouping a metric's events */
			       TALLY_METRIC_GROUPED = 0,  /* as one group, the usual way */
			       TALLY_METRIC_NO_GROUP = 1, /* never */
			       TALLY_METRIC_NO_GROUP_NMI =
				       2, /* not while the NMI watchdog has a counter */
			       TALLY_METRIC_NO_GROUP_SMT = 3, /* not while SMT is on */
};

enum tally_metric_aggregation {
	TALLY_METRIC_PER_CPU = 0,
	TALLY_METRIC_PER_CHIP = 1,
	TALLY_METRIC_PER_CORE = 2,
};

struct tally_model_metric {
	uint32_t name;
	uint32_t expr;      /* canonical form: as few parentheses and blanks as it takes */
	uint32_t threshold; /* expression that is not 0 where the value deserves attention, or "" */
	uint32_t desc, long_desc;
	uint32_t groups;        /* "Frontend;TopdownL1" */
	uint16_t no_groups;     /* of those, whose members are not counted together, or "" */
	uint16_t default_group; /* group under which it is shown by default, or "" */
	uint16_t unit;          /* "100%": scale and unit */
	uint16_t compat;        /* as an event's */
	uint16_t pmu;
	uint8_t constraint;  /* enum tally_metric_constraint */
	uint8_t aggregation; /* enum tally_metric_aggregation */
};

struct tally_model_group {
	uint32_t name, desc;
};

/* Row `index` of a span's rows; the index must be below the span's `nr`. */
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

/* The text at an offset that a row of this model holds; never NULL, lives as long as the model. */
static inline const char *tally_model_text(const struct tally_model *model, uint32_t offset)
{
	return (const char *)model + model->pool.at + offset;
}

/* What is known of an event beyond its name and code. */
static inline const struct tally_model_traits *
tally_model_traits(const struct tally_model *model, const struct tally_model_event *event)
{
	return tally_model_at(model, &model->traits, sizeof(struct tally_model_traits),
			      event->traits);
}

/* The event in one line, without full stop, and at length; "" where nothing is said of it. Both
 * live as long as the model. */
const char *tally_model_event_desc(const struct tally_model *model,
				   const struct tally_model_event *event);
const char *tally_model_event_long_desc(const struct tally_model *model,
					const struct tally_model_event *event);

/* Index of the PMU of exactly this name, or -1. */
int tally_model_pmu_find(const struct tally_model *model, const char *name);

/* The event whose name is the `len` bytes at `name`, in any case. With `pmu` -1 on any PMU,
 * otherwise on the PMU of that index. `*pos` is 0 at first and is moved on: calling again gives the
 * same name's event on the next PMU. NULL when there is none (left). Where a tree has a name twice
 * on a PMU, the first one is found; the other one is the next row. */
const struct tally_model_event *tally_model_event_find(const struct tally_model *model, int pmu,
						       const char *name, size_t len, uint32_t *pos);

/* The rows of one PMU whose names start with the `len` bytes at `prefix` (lower case): they are
 * neighbours. `*ret_first` is the first one's index; the return value how many, perhaps 0. */
uint32_t tally_model_event_prefix(const struct tally_model *model, uint32_t pmu, const char *prefix,
				  size_t len, uint32_t *ret_first);

/* The metric of this name, in any case, on the PMU of index `pmu`; NULL when there is none. Metrics
 * of hybrid CPUs have one row a PMU. */
const struct tally_model_metric *tally_model_metric_find(const struct tally_model *model,
							 uint32_t pmu, const char *name);

/* What the tree says of a metric group, or NULL. */
const char *tally_model_group_desc(const struct tally_model *model, const char *name);

/* Hash of an event name for the index, ASCII case ignored: the same on every machine. */
uint32_t tally_model_hash(const char *name, size_t len);

/* A slot of the index: 0 is empty, otherwise a tag of the hash over the row's index + 1. */
enum {
	TALLY_SLOT_ROW_BITS = 20,
	TALLY_SLOT_ROW_MASK = (1 << TALLY_SLOT_ROW_BITS) - 1,
};

/* The first slot of `nr` to look at, by the bits of the hash that the tag has not. */
static inline uint32_t tally_slot_of(uint32_t hash, uint32_t nr)
{
	return (uint64_t)(uint32_t)(hash << (32 - TALLY_SLOT_ROW_BITS)) * nr >> 32;
}

#endif
