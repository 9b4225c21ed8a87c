/* SPDX-License-Identifier: BSD-2-Clause */
/* A file's attrs, with their IDs, names and sample layouts, and functions that find a record's
 * attr. */
#ifndef TALLY_PERFDATA_EVENTS_H
#define TALLY_PERFDATA_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/abi_sample.h"
#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "tally/perfdata.h"

/* Source of an event's name, worst first. A name from a better source replaces a name from a worse
 * source. */
enum tally_name_rank {
	TALLY_NAME_GENERATED,
	TALLY_NAME_TRACING,
	TALLY_NAME_UPDATE,
	TALLY_NAME_EVENT_TYPE,
	TALLY_NAME_META,
	TALLY_NAME_EVENT_DESC,
};

struct tally_event {
	struct tally_perfdata_event pub;
	struct tally_sample_layout layout;
	TALLY_VEC(uint64_t) ids;
	enum tally_name_rank rank;
	/* Index + 1 of the previous event with the same config, or 0 if this is the first. */
	uint32_t same_config;
};

struct tally_perfdata_events {
	TALLY_VEC(struct tally_event *) list;
	struct tally_map by_id;     /* maps sample IDs to indexes */
	struct tally_map by_config; /* maps a config to the last event added with it */
	struct tally_arena texts;
	/* Result of the last lookup: ID and event. Consecutive samples often have the same ID. */
	uint64_t last_id;
	struct tally_event *last;
};

/* Decode an attr from a file. `len` bytes are available; the attr's size field may be smaller,
 * larger or 0. Returns 0, or -EINVAL if `len` is less than 64. */
int tally_perfdata_events_decode_attr(const uint8_t *bytes, size_t len, bool swap,
				      struct perf_event_attr *ret_attr);

/* Add an event with a generated name. `ids` points to `nr` unaligned u64 values. Returns 0,
 * -ENOMEM, or -E2BIG if there are too many events. */
int tally_perfdata_events_append(struct tally_perfdata_events *events,
				 const struct perf_event_attr *attr, const uint8_t *ids, size_t nr,
				 bool swap, struct tally_event **ret_event);

/* Add an event like tally_perfdata_events_append(). Used for pipes, which may repeat an attr: if an
 * event already has the first of the IDs, return that event. */
int tally_perfdata_events_add(struct tally_perfdata_events *events,
			      const struct perf_event_attr *attr, const uint8_t *ids, size_t nr,
			      bool swap, struct tally_event **ret_event);

/* Return the event with this sample ID, or NULL. */
struct tally_event *tally_perfdata_events_by_id(const struct tally_perfdata_events *events,
						uint64_t id);

/* Add `nr` IDs, stored as unaligned u64 values, to an event that does not have any yet. Returns 0
 * or -ENOMEM. */
int tally_perfdata_events_add_ids(struct tally_perfdata_events *events, struct tally_event *event,
				  const uint8_t *ids, size_t nr, bool swap);

/* Return the last event added with this config, or the event with the same config added before
 * `event`. Returns NULL if there is no such event. */
struct tally_event *tally_perfdata_events_by_config(const struct tally_perfdata_events *events,
						    uint64_t config);
struct tally_event *tally_perfdata_events_same_config(const struct tally_perfdata_events *events,
						      const struct tally_event *event);

/* Set the name of an event unless it already has a name from a better source. `name` is not copied
 * and must live until the events are freed; several events may share it. */
void tally_perfdata_events_name(struct tally_event *event, enum tally_name_rank rank,
				const char *name);

/* Return the event that a record of `len` bytes belongs to. If `swap` is set, the body has the
 * opposite byte order. The event is found by the record's ID; if the record has no known ID, it
 * belongs to the first event. Returns NULL for user-space records and while there are no events. */
struct tally_event *tally_perfdata_events_find(struct tally_perfdata_events *events, uint32_t type,
					       const uint8_t *record, size_t len, bool swap);

/* Return a record's timestamp, or 0 if it has none. The record must be in host byte order. */
uint64_t tally_perfdata_events_time(const struct tally_event *event, uint32_t type,
				    const uint8_t *record, size_t len);

void tally_perfdata_events_free(struct tally_perfdata_events *events);

#endif
