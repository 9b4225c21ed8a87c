/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of a model's metric expressions, performed while the model is built. Internal to
 * jevents. */
#ifndef TALLY_JEVENTS_CHECK_H
#define TALLY_JEVENTS_CHECK_H

#include "jevents/jevents_event.h"
#include "jevents/jevents_model.h"

/* Convert expressions and thresholds to canonical form, allocated in the arena. An invalid
 * expression is left unchanged and reported as a warning; with `strict` it is an error. Returns 0,
 * -EINVAL or -ENOMEM. */
int tally_metrics_canonical(struct tally_raw_event *raws, size_t nr, struct tally_arena *arena,
			    bool strict);

/* Report metrics that cannot be computed because they refer to unknown names or, in a cycle, to
 * each other. `metrics` are the raw rows of the model's metrics, in the same order. Returns 0,
 * -ENOMEM, or -EINVAL if `strict` is set and a metric was reported. */
int tally_metrics_check(const struct tally_model *model,
			const struct tally_raw_event *const *metrics, size_t nr, bool strict);

#endif
