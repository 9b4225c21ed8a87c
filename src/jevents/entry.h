/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An entry: one JSON object of a tree, its known keys looked up and what it leaves out filled in
 * from the architecture's standard events. Internal to jevents.
 */
#ifndef TALLY_JEVENTS_ENTRY_H
#define TALLY_JEVENTS_ENTRY_H

#include <stdbool.h>

#include "base/vec.h"
#include "jevents/diagnostic.h"
#include "jevents/json_read.h"

/* All keys that mean something, in the order of strcasecmp(3): trees are not strict about case.
 * Others are ignored, as trees have many that describe how an event came about. */
#define TALLY_ENTRY_KEYS(K)       \
	K(AggregationMode)        \
	K(AnyThread)              \
	K(ArchStdEvent)           \
	K(BriefDescription)       \
	K(Compat)                 \
	K(ConfigCode)             \
	K(Counter)                \
	K(CounterMask)            \
	K(Data_LA)                \
	K(DefaultMetricgroupName) \
	K(Deprecated)             \
	K(EdgeDetect)             \
	K(EnAllCores)             \
	K(EnAllSlices)            \
	K(Errata)                 \
	K(EventCode)              \
	K(EventidCode)            \
	K(EventName)              \
	K(ExtSel)                 \
	K(FCMask)                 \
	K(Filter)                 \
	K(Invert)                 \
	K(MetricConstraint)       \
	K(MetricExpr)             \
	K(MetricGroup)            \
	K(MetricgroupNoGroup)     \
	K(MetricName)             \
	K(MetricThreshold)        \
	K(MSRIndex)               \
	K(MSRValue)               \
	K(NodeType)               \
	K(PEBS)                   \
	K(PerPkg)                 \
	K(PortMask)               \
	K(PublicDescription)      \
	K(RdWrMask)               \
	K(SampleAfterValue)       \
	K(ScaleUnit)              \
	K(SliceId)                \
	K(TakenAlone)             \
	K(ThreadMask)             \
	K(UMask)                  \
	K(UMaskExt)               \
	K(Unit)

enum tally_entry_key {
#define TALLY_ENTRY_KEY(name) TALLY_KEY_##name,
	TALLY_ENTRY_KEYS(TALLY_ENTRY_KEY)
#undef TALLY_ENTRY_KEY
		TALLY_KEY_NR
};

struct tally_entry {
	const struct tally_source *source;
	const char *topic;                   /* from the file's name */
	const struct tally_json_value *self; /* the object */
	const struct tally_json_value *values[TALLY_KEY_NR];
};

/* The events that entries refer to by ArchStdEvent. All zero is an empty set. */
struct tally_standard {
	TALLY_VEC(struct tally_entry) entries;
};

/* Add a file's objects, which live as long as the set is used: all of them, or none after an error.
 * After the last file, sort. 0, -EINVAL (told) or -ENOMEM. */
int tally_standard_add(struct tally_standard *standard, const struct tally_source *source,
		       const struct tally_json_value *root);
void tally_standard_sort(struct tally_standard *standard);
void tally_standard_free(struct tally_standard *standard);

/* The list of objects in a file: its top level, or what an Intel file has under "Events" or
 * "Metrics". NULL if it has none of these. */
const struct tally_json_value *tally_entry_list(const struct tally_json_value *root);

/* Read one object. 0; -EINVAL (told): no object, a known key whose value is no string, no such
 * standard event, or standard events that refer to each other in a circle. */
int tally_entry_read(const struct tally_source *source, const char *topic,
		     const struct tally_json_value *object, const struct tally_standard *standard,
		     struct tally_entry *ret_entry);

/* The text of a key, "" if the entry has none. */
const char *tally_entry_text(const struct tally_entry *entry, enum tally_entry_key key);

/* `text`, but NULL for the many ways in which trees say "nothing": "", "0", "null", "na", "None".
 */
const char *tally_value_of(const char *text);

/* The text of a key, NULL for nothing. */
const char *tally_entry_value(const struct tally_entry *entry, enum tally_entry_key key);

/* The key of this name in any case, or -1. */
int tally_entry_key_find(const char *name);

/* The number that a key's text starts with, 0x for hexadecimal; of a list the first one counts.
 * `*ret_value` is 0 if there is none. 0, or -EINVAL (told): neither number nor nothing, or over 64
 * bits. */
int tally_entry_number(const struct tally_entry *entry, enum tally_entry_key key,
		       uint64_t *ret_value);

/* Where to point a message about a key: its value, or the object if it has none. */
size_t tally_entry_offset(const struct tally_entry *entry, enum tally_entry_key key);

#endif
