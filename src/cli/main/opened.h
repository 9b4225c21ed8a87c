/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TALLY_CLI_MAIN_OPENED_H
#define TALLY_CLI_MAIN_OPENED_H

#include "sampler/sampler.h"

/* The events of a sampler that is open on stderr, a line each; `verbose` with their attrs. */
void tally_events_print(const struct tally_sampler *sampler, bool verbose);

/* The same with attrs, and the number of counters and rings: -v. */
void tally_opened_print(const struct tally_sampler *sampler);

#endif
