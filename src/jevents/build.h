/* SPDX-License-Identifier: BSD-2-Clause */
/* From entries to a model in memory: what is emitted as C or used as it is. Internal to jevents. */
#ifndef TALLY_JEVENTS_BUILD_H
#define TALLY_JEVENTS_BUILD_H

#include "jevents/model.h"
#include "jevents/reading.h"

/* Make the model of a reading. `system` for a directory called "sys". The caller frees the model
 * with free(3). Events whose name is there twice and metrics that cannot be computed are told as
 * warnings; with `strict` as errors. 0; -EINVAL (told) for an entry that is wrong; -E2BIG (told)
 * for more than a table holds; -ENOMEM. */
int tally_model_build(struct tally_reading *reading, const char *arch, const char *name,
		      bool system, bool strict, struct tally_model **ret_model);

#endif
