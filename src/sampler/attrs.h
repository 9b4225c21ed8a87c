/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to the sampler: the attr of each event. */
#ifndef TALLY_SAMPLER_ATTRS_H
#define TALLY_SAMPLER_ATTRS_H

#include "sampler/sampler.h"

/* Fill the attrs of all specs, with perf's defaults. 0, or -EINVAL and -ENOENT, which are told. */
int sampler_attrs(struct tally_sampler *sampler);

#endif
