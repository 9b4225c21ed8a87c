/* SPDX-License-Identifier: BSD-2-Clause */
/* The events of a recording that are exported. */
#ifndef TALLY_EXPORT_EVENTS_H
#define TALLY_EXPORT_EVENTS_H

#include "export/export.h"
#include "tally/perfdata.h"

/* Select the events that have samples. If `number`, which counts from 1, is not 0, select only that
 * event. If none has samples, select event `number`, or the first event. `events` has space for all
 * events of the recording; their strings belong to `data`. Returns the number of events selected.
 */
size_t tally_export_events(const struct tally_perfdata *data, const struct tally_profile *profile,
			   uint64_t number, struct tally_export_event *events);

#endif
