/* SPDX-License-Identifier: BSD-2-Clause */
/* Build a model in memory from entries. The model is then emitted as C code or used directly.
 * Internal to jevents. */
#ifndef TALLY_JEVENTS_BUILD_H
#define TALLY_JEVENTS_BUILD_H

#include "jevents/jevents_model.h"
#include "jevents/reading.h"

/* Build a model from a reading. `system` is true for a directory named "sys". The caller frees the
 * model with free(3). Duplicate event names, and metrics that cannot be computed, are reported as
 * warnings; with `strict` such metrics are errors. Returns 0; -EINVAL (reported) for an invalid
 * entry; -E2BIG (reported) if a table exceeds its limit; -ENOMEM. */
int tally_model_build(struct tally_reading *reading, const char *arch, const char *name,
		      bool system, bool strict, struct tally_model **ret_model);

#endif
