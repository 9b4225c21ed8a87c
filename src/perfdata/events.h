/* SPDX-License-Identifier: BSD-2-Clause */
/* The attrs of a file: their ids, names and layouts, and which one a record belongs to. */
#ifndef TALLY_PERFDATA_EVENTS_H
#define TALLY_PERFDATA_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/sample.h"
#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "tally/perfdata.h"

/* Where a name came from; a better source replaces a worse one. */
enum tally_name_rank {
	TALLY_NAME_MADE,
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
	uint32_t same_config; /* index + 1 of the one added before with this config; 0: none */
};

struct tally_perfdata_events {
	TALLY_VEC(struct tally_event *) list;
	struct tally_map by_id;     /* sample id to index */
	struct tally_map by_config; /* config to the index of the last one added */
	struct tally_arena texts;
	uint64_t last_id; /* the id looked up last and its event: samples come in bursts */
	struct tally_event *last;
};

/* Read an attr of a file: `len` bytes are there, its own size may be less, more or 0.
 * 0 or -EINVAL (under 64 bytes). */
int tally_perfdata_events_decode_attr(const uint8_t *bytes, size_t len, bool swap,
				      struct perf_event_attr *ret_attr);

/* Add an event with a made-up name. `ids` are `nr` unaligned words. 0 or -ENOMEM. */
int tally_perfdata_events_append(struct tally_perfdata_events *events,
				 const struct perf_event_attr *attr, const uint8_t *ids, size_t nr,
				 bool swap, struct tally_event **ret_event);

/* The same for a pipe, where one attr may come twice: find the one that has the first of the ids
 * already. */
int tally_perfdata_events_add(struct tally_perfdata_events *events,
			      const struct perf_event_attr *attr, const uint8_t *ids, size_t nr,
			      bool swap, struct tally_event **ret_event);

/* NULL if none. */
struct tally_event *tally_perfdata_events_by_id(const struct tally_perfdata_events *events,
						uint64_t id);

/* Ids for an event that has none yet: `nr` unaligned words. 0 or -ENOMEM. */
int tally_perfdata_events_add_ids(struct tally_perfdata_events *events, struct tally_event *event,
				  const uint8_t *ids, size_t nr, bool swap);

/* The event with this config that was added last, and the one before it; NULL if there is none. */
struct tally_event *tally_perfdata_events_by_config(const struct tally_perfdata_events *events,
						    uint64_t config);
struct tally_event *tally_perfdata_events_same_config(const struct tally_perfdata_events *events,
						      const struct tally_event *event);

/* Name an event unless it has a name from a better source. `name` stays where it is until the
 * events are freed: many events may have one copy. */
void tally_perfdata_events_name(struct tally_event *event, enum tally_name_rank rank,
				const char *name);

/* The event of a record of `len` bytes whose body may be foreign (`swap`): by its id, else
 * the first; NULL for records of user space and while there are no events. */
struct tally_event *tally_perfdata_events_find(struct tally_perfdata_events *events, uint32_t type,
					       const uint8_t *record, size_t len, bool swap);

/* The time in a record in host order, 0 if it has none. */
uint64_t tally_perfdata_events_time(const struct tally_event *event, uint32_t type,
				    const uint8_t *record, size_t len);

void tally_perfdata_events_free(struct tally_perfdata_events *events);

#endif
