/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TALLY_CLI_MAIN_PRINT_EVENTS_H
#define TALLY_CLI_MAIN_PRINT_EVENTS_H

#include "sampler/sampler.h"

/* Print the events of an open sampler to stderr, one per line; with `verbose`, also their attrs. */
void tally_events_print(const struct tally_sampler *sampler, bool verbose);

/* Print the events with their attrs and the number of counters and rings, for -v. */
void tally_events_print_verbose(const struct tally_sampler *sampler);

#endif
