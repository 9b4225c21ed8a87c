/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A model: the events and metrics of one CPU directory, as one block of constant data.
 *
 * All references are offsets from the start of the block. A generated model therefore needs no
 * relocations, and a model read at run time has the same type. The strings of a model read at run
 * time follow its rows. All generated models of a program share one string pool after the last
 * model, because most names are common to many CPUs. Rows are sorted by PMU and name. With the
 * small hash index, looking up a name touches only three cache lines: slot, row and string. The
 * functions never modify a model or allocate memory, so any number of threads may share a model.
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
		1, /* from a "sys" directory; rows are selected by `compat`, not by CPU */
};

struct tally_model {
	uint32_t size;  /* size of the block in bytes, without a shared pool */
	uint32_t flags; /* enum tally_model_flag */
	uint32_t arch;  /* string such as "x86" */
	uint32_t name;  /* "silvermont", "arm/cortex-a53", "arm/cmn/sys" */
	struct tally_model_span pmus, events, traits, metrics, groups;
	struct tally_model_span slots; /* hash index of event names; 1.5 slots per event */
	struct tally_model_span pool;  /* NUL-terminated strings; offset 0 is "" */
};

/* In the rows below, 16-bit and 32-bit members that refer to strings are offsets into the pool. */
struct tally_model_pmu {
	uint32_t name; /* "default_core", "cpu_atom", "uncore_imc", "hisi_sccl,ddrc" */
	uint32_t first_event, nr_events;
	uint32_t first_metric, nr_metrics;
};

enum tally_event_flag {
	TALLY_EVENT_DEPRECATED = 1,
	TALLY_EVENT_PER_PACKAGE = 2,  /* counts for a whole package, whichever CPU reads it */
	TALLY_EVENT_PRECISE = 4,      /* can be sampled precisely */
	TALLY_EVENT_MUST_PRECISE = 8, /* is meaningful only if sampled precisely */
	TALLY_EVENT_ADDRESS = 16,     /* provides a data address if sampled precisely */
	TALLY_EVENT_ALONE = 32,       /* only one such event can be scheduled at a time */
};

struct tally_model_event {
	uint32_t name;   /* in lower case, followed by two strings: see tally_model_event_desc() */
	uint32_t terms;  /* terms for pmu/terms/: "event=0xc0,period=2000003" */
	uint16_t pmu;    /* index of the PMU */
	uint16_t traits; /* index of the traits */
};

/* Properties shared by many events. */
struct tally_model_traits {
	/* Bit n is set if generic counter n can count the event. If this and `fixed` are both 0, no
	 * limit is known. */
	uint32_t counters;
	uint16_t topic;  /* "floating point" */
	uint16_t unit;   /* scale and unit, such as "64Bytes"; "" for a plain count */
	uint16_t compat; /* regular expression for a system PMU's identifier, or "" */
	uint8_t fixed;   /* bit n is set if fixed counter n can count the event */
	uint8_t flags;   /* enum tally_event_flag */
};

/* Constraints on grouping a metric's events, as declared in the JSON files. */
enum tally_metric_constraint {
	TALLY_METRIC_GROUPED = 0,      /* in one group; the default */
	TALLY_METRIC_NO_GROUP = 1,     /* never in a group */
	TALLY_METRIC_NO_GROUP_NMI = 2, /* not in a group while the NMI watchdog uses a counter */
	TALLY_METRIC_NO_GROUP_SMT = 3, /* not in a group while SMT is on */
};

enum tally_metric_aggregation {
	TALLY_METRIC_PER_CPU = 0,
	TALLY_METRIC_PER_CHIP = 1,
	TALLY_METRIC_PER_CORE = 2,
};

struct tally_model_metric {
	uint32_t name;
	uint32_t expr;      /* in canonical form */
	uint32_t threshold; /* expression that is nonzero if the value needs attention, or "" */
	uint32_t desc, long_desc;
	uint32_t groups;        /* "Frontend;TopdownL1" */
	uint16_t no_groups;     /* metric groups in which the events are not grouped, or "" */
	uint16_t default_group; /* group in which the metric is displayed by default, or "" */
	uint16_t unit;          /* scale and unit: "100%" */
	uint16_t compat;        /* same meaning as an event's `compat` */
	uint16_t pmu;
	uint8_t constraint;  /* enum tally_metric_constraint */
	uint8_t aggregation; /* enum tally_metric_aggregation */
};

struct tally_model_group {
	uint32_t name, desc;
};

/* Return row `index` of a span. The index must be less than the span's `nr`. */
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

/* Return the string at an offset found in a row of this model. The result is never NULL and lives
 * as long as the model. */
static inline const char *tally_model_text(const struct tally_model *model, uint32_t offset)
{
	return (const char *)model + model->pool.at + offset;
}

/* Return an event's properties, except for its name and terms. */
static inline const struct tally_model_traits *
tally_model_traits(const struct tally_model *model, const struct tally_model_event *event)
{
	return tally_model_at(model, &model->traits, sizeof(struct tally_model_traits),
			      event->traits);
}

/* Return an event's one-line description, without a final full stop, and its long description,
 * respectively. Missing descriptions are "". Both strings live as long as the model. */
const char *tally_model_event_desc(const struct tally_model *model,
				   const struct tally_model_event *event);
const char *tally_model_event_long_desc(const struct tally_model *model,
					const struct tally_model_event *event);

/* Return the index of the PMU with exactly this name, or -1. */
int tally_model_pmu_find(const struct tally_model *model, const char *name);

/* Find the event named by the `len` bytes at `name`, ignoring case. If `pmu` is -1, events of all
 * PMUs are found, otherwise only events of the PMU with this index. `*pos` must initially be 0. It
 * is advanced by each call, so the next call finds the event with the same name on the next PMU.
 * Returns NULL if there are no further events. If a tree has the same name twice on a PMU, the
 * first event is found, and the second is in the next row. */
const struct tally_model_event *tally_model_event_find(const struct tally_model *model, int pmu,
						       const char *name, size_t len, uint32_t *pos);

/* Find the events of one PMU that have names starting with `prefix` (`len` bytes, in lower case).
 * Their rows are contiguous, and `*ret_first` is the index of the first row. Returns the number of
 * rows, possibly 0. */
uint32_t tally_model_event_prefix(const struct tally_model *model, uint32_t pmu, const char *prefix,
				  size_t len, uint32_t *ret_first);

/* Find the metric with this name, ignoring case, on the PMU with index `pmu`. Returns NULL if not
 * found. On hybrid CPUs, a metric has one row per PMU. */
const struct tally_model_metric *tally_model_metric_find(const struct tally_model *model,
							 uint32_t pmu, const char *name);

/* Return the description of a metric group, or NULL. */
const char *tally_model_group_desc(const struct tally_model *model, const char *name);

/* Return the hash of an event name for the index, ignoring ASCII case. The hash is the same on
 * every machine. */
uint32_t tally_model_hash(const char *name, size_t len);

/* Layout of an index slot. 0 means empty. Otherwise the lower bits are the row's index + 1, and the
 * upper bits are a tag from the hash. Slots have 16 bits if this leaves 3 bits or more for the tag,
 * otherwise 32 bits. */
enum {
	TALLY_SLOT_ROWS_MAX = (1 << 20) - 2,
	TALLY_SLOT_NARROW_ROWS_MAX = (1 << 13) - 1,
};

/* Return the mask of the bits for the row in each slot of a table with `nr_rows` rows. */
static inline uint32_t tally_slot_row_mask(uint32_t nr_rows)
{
	return nr_rows > TALLY_SLOT_NARROW_ROWS_MAX ? (1u << 20) - 1
						    : (1u << (32 - __builtin_clz(nr_rows | 1))) - 1;
}

/* Return the tag of a name in its place in a slot. */
static inline uint32_t tally_slot_tag(uint32_t hash, uint32_t nr_rows)
{
	uint32_t bits = nr_rows > TALLY_SLOT_NARROW_ROWS_MAX ? hash : hash >> 16;

	return bits & ~tally_slot_row_mask(nr_rows);
}

/* Return the index of the slot at which to start searching a table of `nr` slots. The index is
 * computed from the lower hash bits, which are not in the tag of a table of eight rows or more. */
static inline uint32_t tally_slot_of(uint32_t hash, uint32_t nr)
{
	return (uint64_t)(uint32_t)(hash << 12) * nr >> 32;
}

/* Return the value of slot `index`. The index must be less than `slots.nr`. */
static inline uint32_t tally_model_slot(const struct tally_model *model, uint32_t index)
{
	const void *slots = (const char *)model + model->slots.at;

	return model->events.nr > TALLY_SLOT_NARROW_ROWS_MAX ? ((const uint32_t *)slots)[index]
							     : ((const uint16_t *)slots)[index];
}

#endif
