/* SPDX-License-Identifier: BSD-2-Clause */
/* Events and groups on machines with several kinds of core. */
#ifndef TALLY_EVENTS_CORES_H
#define TALLY_EVENTS_CORES_H

#include "events/parse.h"

/* Add an event for each kind of core. Returns 1 if there are several kinds and specs for all of
 * them were added, 0 otherwise, or an error. */
int tally_cores_parse(struct tally_event_parser *p, const struct tally_event_spec *spec);

/* Split a group, the specs from index `first` on, into one group for each kind of core. The members
 * of a group must be on the same core. Returns 0 or -ENOMEM. */
int tally_cores_split(struct tally_event_parser *p, size_t first);

#endif
