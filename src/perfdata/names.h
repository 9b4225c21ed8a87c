/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of events that the file tells, whichever comes first, the event or its name. Each source is
 * read once into an index, and a name is copied once however many events have it: the cost is that
 * of the bytes. Where one name may be that of any number of events the product is limited.
 */
#ifndef TALLY_PERFDATA_NAMES_H
#define TALLY_PERFDATA_NAMES_H

#include "perfdata/events.h"

/* Events that are looked at for names by config, over all names of a file: 100 events of the same
 * config with 40,000 names. */
enum { TALLY_NAMINGS_MAX = 1 << 22 };

/* Names are printed with every sample: longer ones are cut. */
enum { TALLY_EVENT_NAME_MAX = 1023 };

#define TALLY_ANY_TYPE UINT32_MAX

struct tally_perfdata;

/* An entry of EVENT_DESC. */
struct tally_desc_entry {
	struct tally_perfdata_slice text; /* in the feature */
	const uint8_t *ids;
	const char *name; /* copied when it is first wanted */
	uint64_t config;
	uint32_t type, nr_ids;
};

/* What EVENT_DESC says. */
struct tally_descs {
	TALLY_VEC(struct tally_desc_entry) entries;
	struct tally_map by_id; /* first id to entry */
};

/* The first format of an id. */
struct tally_trace_entry {
	const struct tally_perfdata_trace_format *format;
	const char *name; /* NULL: none that can be shown */
};

struct tally_names {
	struct tally_descs descs;
	struct tally_map formats; /* id of a tracepoint to its entry below */
	TALLY_VEC(struct tally_trace_entry) tracepoints;
	bool has_formats; /* the index is made */
	uint64_t namings;
	bool lacks_attrs, lacks_ids; /* they are lost: EVENT_DESC may have them */
};

/* A copy of a name that stays until the file is closed. NULL when out of memory. */
const char *tally_names_copy(struct tally_perfdata *data, const void *name, size_t len);

/* Name all events with this type (or TALLY_ANY_TYPE) and config. 0 or -ENOMEM. */
int tally_names_by_config(struct tally_perfdata *data, uint32_t type, uint64_t config,
			  enum tally_name_rank rank, struct tally_perfdata_slice name);

/* An event is new, or came again with `nr` ids: give it its names, and note what cannot be read of
 * its samples. `offset` is the attr's. 0 or -ENOMEM. */
int tally_names_event_came(struct tally_perfdata *data, struct tally_event *event,
			   const uint8_t *ids, size_t nr, uint64_t offset);

void tally_names_free(struct tally_names *names);

#endif
