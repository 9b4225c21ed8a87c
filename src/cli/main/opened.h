/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TALLY_CLI_MAIN_OPENED_H
#define TALLY_CLI_MAIN_OPENED_H

#include "sampler/sampler.h"

/* The events of a sampler that is open on stderr, a line each; `verbose` with their attrs, and the
 * number of counters and rings. */
void tally_opened_print(const struct tally_sampler *sampler, bool verbose);

#endif
