/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of events from the file, whether the event or its name is read first. Each source is
 * indexed once, and a name is copied once even if several events have it, so the cost is linear in
 * the bytes read. Where a name can match any number of events, the number of matches is limited.
 */
#ifndef TALLY_PERFDATA_NAMES_H
#define TALLY_PERFDATA_NAMES_H

#include "perfdata/perfdata_events.h"

/* Limit of the events checked for names by config, summed over all names of a file. It permits 100
 * events of the same config with 40,000 names. */
enum { TALLY_NAMINGS_MAX = 1 << 22 };

/* Names are printed with every sample, so longer ones are truncated. */
enum { TALLY_EVENT_NAME_MAX = 1023 };

#define TALLY_ANY_TYPE UINT32_MAX

struct tally_perfdata;

/* An entry of EVENT_DESC. */
struct tally_desc_entry {
	struct tally_perfdata_slice text; /* points into the feature */
	const uint8_t *ids;
	const char *name; /* copied on first use */
	uint64_t config;
	uint32_t type, nr_ids;
};

/* Contents of EVENT_DESC. */
struct tally_descs {
	TALLY_VEC(struct tally_desc_entry) entries;
	struct tally_map by_id; /* first ID to entry */
};

/* The first format with a given ID. */
struct tally_trace_entry {
	const struct tally_perfdata_trace_format *format;
	const char *name; /* NULL: there is no printable name */
};

struct tally_names {
	struct tally_descs descs;
	struct tally_map formats; /* ID of a tracepoint to index in `tracepoints` */
	TALLY_VEC(struct tally_trace_entry) tracepoints;
	bool has_formats; /* the formats have been indexed */
	uint64_t namings;
	bool lacks_attrs, lacks_ids; /* lost in the file; EVENT_DESC may have them */
};

/* Copy a name; the copy lives until the file is closed. Returns NULL when out of memory. */
const char *tally_names_copy(struct tally_perfdata *data, const void *name, size_t len);

/* Set the name of all events with this type (or TALLY_ANY_TYPE) and config. Returns 0 or -ENOMEM.
 */
int tally_names_by_config(struct tally_perfdata *data, uint32_t type, uint64_t config,
			  enum tally_name_rank rank, struct tally_perfdata_slice name);

/* Called for a new event, or for an event repeated with `nr` IDs: set its names, and note sample
 * fields that cannot be read. `offset` is that of the attr. Returns 0 or -ENOMEM. */
int tally_names_event_added(struct tally_perfdata *data, struct tally_event *event,
			    const uint8_t *ids, size_t nr, uint64_t offset);

void tally_names_free(struct tally_names *names);

#endif
