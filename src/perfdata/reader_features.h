/* SPDX-License-Identifier: BSD-2-Clause */
/* Features of a file that is read, and what the reader takes from them. */
#ifndef TALLY_PERFDATA_READER_FEATURES_H
#define TALLY_PERFDATA_READER_FEATURES_H

#include <stddef.h>
#include <stdint.h>

#include "perfdata/reader.h"

/* Keep a feature; the last one of an id wins. Build-ids, event names and tracing data are
 * taken from it. 0 or -ENOMEM. */
int tally_features_add(struct tally_perfdata *data, uint32_t id, uint64_t offset,
		       struct tally_perfdata_slice bytes);

/* Read the table of build-ids. 0 or -ENOMEM. */
int tally_build_ids_read(struct tally_perfdata *data, uint64_t offset,
			 struct tally_perfdata_slice bytes);

/* Add one build-id record (header included) of `len` bytes; too short ones are ignored. */
int tally_build_ids_add(struct tally_perfdata *data, const uint8_t *record, size_t len);

/* Names from EVENT_DESC, which stays where it is, for events that are there and those to come; and
 * the attrs and ids that the file has lost. 0 or -ENOMEM. */
int tally_event_desc_apply(struct tally_perfdata *data, uint64_t offset,
			   struct tally_perfdata_slice bytes);

/* What EVENT_DESC says of an event that came with these ids. 0 or -ENOMEM. */
int tally_event_desc_name(struct tally_perfdata *data, struct tally_event *event,
			  const uint8_t *ids, size_t nr);

/* Names from simpleperf's META_INFO. 0 or -ENOMEM. */
int tally_meta_info_apply(struct tally_perfdata *data, struct tally_perfdata_slice bytes);

/* Names of tracepoints that have none, by the tracing data's formats. 0 or -ENOMEM. */
int tally_tracing_apply(struct tally_perfdata *data);

/* The same for one event; nothing happens while there is no tracing data. 0 or -ENOMEM. */
int tally_tracing_name(struct tally_perfdata *data, struct tally_event *event);

/* The feature with this id, NULL if absent. */
const struct tally_perfdata_feature *tally_features_find(const struct tally_perfdata *data,
							 uint32_t id);

#endif
