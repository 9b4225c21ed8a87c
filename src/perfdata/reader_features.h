/* SPDX-License-Identifier: BSD-2-Clause */
/* Features of the file being read, and the data extracted from them. */
#ifndef TALLY_PERFDATA_READER_FEATURES_H
#define TALLY_PERFDATA_READER_FEATURES_H

#include <stddef.h>
#include <stdint.h>

#include "perfdata/reader.h"

/* Store a feature, replacing any feature with the same ID. Build IDs, event names and tracing data
 * are extracted from it. Returns 0 or -ENOMEM. */
int tally_features_add(struct tally_perfdata *data, uint32_t id, uint64_t offset,
		       struct tally_perfdata_slice bytes);

/* Read the build ID table. Returns 0 or -ENOMEM. */
int tally_build_ids_read(struct tally_perfdata *data, uint64_t offset,
			 struct tally_perfdata_slice bytes);

/* Add a build ID record of `len` bytes, including its header. Records that are too short are
 * ignored. Returns 0 or -ENOMEM. */
int tally_build_ids_add(struct tally_perfdata *data, const uint8_t *record, size_t len);

/* Apply the names from EVENT_DESC to existing and future events, and restore attrs and IDs that are
 * missing from the file. `bytes` is not copied. Returns 0 or -ENOMEM. */
int tally_event_desc_apply(struct tally_perfdata *data, uint64_t offset,
			   struct tally_perfdata_slice bytes);

/* Set the name of an event after its attr, which has `nr` IDs, has been read or reread. Also add a
 * note about sample fields that cannot be read. `offset` is the attr's offset. Returns 0 or
 * -ENOMEM. */
int tally_names_event_added(struct tally_perfdata *data, struct tally_event *event,
			    const uint8_t *ids, size_t nr, uint64_t offset);

/* Apply the names from simpleperf's META_INFO. Returns 0 or -ENOMEM. */
int tally_meta_info_apply(struct tally_perfdata *data, struct tally_perfdata_slice bytes);

/* Name unnamed tracepoints using the formats in the tracing data. Returns 0 or -ENOMEM. */
int tally_tracing_apply(struct tally_perfdata *data);

/* Name a single event in the same way as tally_tracing_apply(). Does nothing if there is no tracing
 * data yet. Returns 0 or -ENOMEM. */
int tally_tracing_name(struct tally_perfdata *data, struct tally_event *event);

/* Return the feature with this ID, or NULL. */
const struct tally_perfdata_feature *tally_features_find(const struct tally_perfdata *data,
							 uint32_t id);

#endif
