/* SPDX-License-Identifier: BSD-2-Clause */
/* The specs of the events that have been parsed. */
#ifndef TALLY_EVENTS_SPECS_H
#define TALLY_EVENTS_SPECS_H

#include "events/parse.h"

/* Append a copy of `spec` as a group of its own. Returns 0, -E2BIG or -ENOMEM. */
int tally_parser_add(struct tally_event_parser *p, const struct tally_event_spec *spec);

/* Copy a PMU's CPUs into a spec. Returns 0 or -ENOMEM. */
int tally_spec_cpus(struct tally_event_parser *p, const struct tally_pmu *pmu,
		    struct tally_event_spec *spec);

/* Mark the specs from index `first` on as parts of a single event. */
void tally_specs_merge(struct tally_event_parser *p, size_t first);

#endif
