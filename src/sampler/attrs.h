/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to the sampler: construct the events' attrs. */
#ifndef TALLY_SAMPLER_ATTRS_H
#define TALLY_SAMPLER_ATTRS_H

#include "sampler/sampler.h"

/* Fill in the attrs of all specs, with perf's defaults. Returns 0, or reports an error and returns
 * -EINVAL or -ENOENT. */
int sampler_attrs(struct tally_sampler *sampler);

#endif
