/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An entry: a JSON object in a tree. Its known keys are looked up, and missing values are filled in
 * from the architecture's standard events. Internal to jevents.
 */
#ifndef TALLY_JEVENTS_ENTRY_H
#define TALLY_JEVENTS_ENTRY_H

#include <stdbool.h>

#include "base/vec.h"
#include "jevents/diagnostic.h"
#include "jevents/json_read.h"

/* All known keys, sorted by strcasecmp(3), because trees do not use case consistently. Other keys
 * are ignored; trees have many keys that are not needed. */
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
	const char *topic;                   /* from the file name */
	const struct tally_json_value *self; /* the entry's JSON object */
	const struct tally_json_value *values[TALLY_KEY_NR];
};

/* The events that entries refer to with ArchStdEvent. An all-zero structure is an empty set. */
struct tally_standard {
	TALLY_VEC(struct tally_entry) entries;
};

/* Add all objects in a file, or none on error. The file must live as long as the set. Call
 * tally_standard_sort() after the last file. Returns 0, -EINVAL (reported) or -ENOMEM. */
int tally_standard_add(struct tally_standard *standard, const struct tally_source *source,
		       const struct tally_json_value *root);
void tally_standard_sort(struct tally_standard *standard);
void tally_standard_free(struct tally_standard *standard);

/* Return the list of objects in a file: the top-level list or, in a file from Intel, the list named
 * "Events" or "Metrics". Returns NULL if the file contains no such list. */
const struct tally_json_value *tally_entry_list(const struct tally_json_value *root);

/* Read one object. Returns 0, or -EINVAL (reported) if it is not an object, a known key does not
 * have a string value, or a standard event does not exist or refers to itself in a cycle. */
int tally_entry_read(const struct tally_source *source, const char *topic,
		     const struct tally_json_value *object, const struct tally_standard *standard,
		     struct tally_entry *ret_entry);

/* Return the value of a key as text, or "" if the key is missing. */
const char *tally_entry_text(const struct tally_entry *entry, enum tally_entry_key key);

/* Return `text`, or NULL if it is one of the strings that mean "no value" in trees: "", "0",
 * "null", "na", "None". */
const char *tally_value_of(const char *text);

/* Return the value of a key as text, or NULL if the key has no value. */
const char *tally_entry_value(const struct tally_entry *entry, enum tally_entry_key key);

/* Return the key with this name, ignoring case, or -1. */
int tally_entry_key_find(const char *name);

/* Get the number at the start of a key's value, decimal or 0x hexadecimal; in a list, this is the
 * first number. `*ret_value` is 0 if the key has no value. Returns 0, or -EINVAL (reported) if the
 * value does not start with a number or the number does not fit in 64 bits. */
int tally_entry_number(const struct tally_entry *entry, enum tally_entry_key key,
		       uint64_t *ret_value);

/* Return the offset to use in messages about a key: the offset of its value, or of the object if
 * the key is missing. */
size_t tally_entry_offset(const struct tally_entry *entry, enum tally_entry_key key);

#endif
