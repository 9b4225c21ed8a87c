/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Event names found in the file. An event and its name may be read in either order. Each source is
 * indexed once, and a name is copied once even if several events share it, so the cost is linear in
 * the number of bytes read. Where a name can match any number of events, the number of matches is
 * limited.
 */
#ifndef TALLY_PERFDATA_NAMES_H
#define TALLY_PERFDATA_NAMES_H

#include "perfdata/perfdata_events.h"

/* Maximum number of events checked when names are assigned by config, summed over all names in a
 * file. It allows for 100 events with the same config and 40,000 names. */
enum { TALLY_NAMINGS_MAX = 1 << 22 };

/* Maximum length of an event name. Names are printed with every sample, so longer names are
 * truncated. */
enum { TALLY_EVENT_NAME_MAX = 1023 };

#define TALLY_ANY_TYPE UINT32_MAX

struct tally_perfdata;

/* An EVENT_DESC entry. */
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
	struct tally_map by_id; /* maps a first ID to its entry */
};

/* Entry for a tracepoint: the first format with its ID. */
struct tally_trace_entry {
	const struct tally_perfdata_trace_format *format;
	const char *name; /* NULL if there is no printable name */
};

struct tally_names {
	struct tally_descs descs;
	struct tally_map formats; /* maps a tracepoint ID to its index in `tracepoints` */
	TALLY_VEC(struct tally_trace_entry) tracepoints;
	bool has_formats; /* the formats have been indexed */
	uint64_t namings;
	bool lacks_attrs, lacks_ids; /* missing from the file; may be in EVENT_DESC */
};

/* Copy a name. The copy lives until the file is closed. Returns NULL when out of memory. */
const char *tally_names_copy(struct tally_perfdata *data, const void *name, size_t len);

/* Set the name of all events with this type (or TALLY_ANY_TYPE) and config. Returns 0 or -ENOMEM.
 */
int tally_names_by_config(struct tally_perfdata *data, uint32_t type, uint64_t config,
			  enum tally_name_rank rank, struct tally_perfdata_slice name);

void tally_names_free(struct tally_names *names);

#endif
