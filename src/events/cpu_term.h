/* SPDX-License-Identifier: BSD-2-Clause */
/* The term cpu=LIST, which restricts an event to certain CPUs. */
#ifndef TALLY_EVENTS_CPU_TERM_H
#define TALLY_EVENTS_CPU_TERM_H

#include "events/parse.h"

/* Add a term to the list in spec->terms.cpus. The value is a list of CPUs, or the name of a PMU.
 * Returns 0, or -EINVAL or -ENOMEM with p->err set. */
int tally_cpu_term_apply(struct tally_event_parser *p, const struct tally_term *term,
			 struct tally_event_spec *spec);

/* Restrict the specs from index `first` on to the CPUs of their terms. A spec is removed if its PMU
 * has none of these CPUs. Returns 0, or an error with p->err set if no spec remains. */
int tally_cpu_terms_finish(struct tally_event_parser *p, size_t first, struct tally_word event);

#endif
