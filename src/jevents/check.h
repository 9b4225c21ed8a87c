/* SPDX-License-Identifier: BSD-2-Clause */
/* Metric expressions of a model, checked while it is built. Internal to jevents. */
#ifndef TALLY_JEVENTS_CHECK_H
#define TALLY_JEVENTS_CHECK_H

#include "jevents/event.h"
#include "jevents/model.h"

/* Bring expressions and thresholds into canonical form, in the arena. One that is no expression is
 * told, as a warning and kept as it is, or with `strict` as an error. 0, -EINVAL or -ENOMEM. */
int tally_metrics_canonical(struct tally_raw_event *raws, size_t nr, struct tally_arena *arena,
			    bool strict);

/* Tell of metrics that cannot be computed: they name what the model does not have, or themselves in
 * a circle. `metrics` are the raw rows of the model's metrics, in its order. 0, or with `strict`
 * -EINVAL; or -ENOMEM. */
int tally_metrics_check(const struct tally_model *model,
			const struct tally_raw_event *const *metrics, size_t nr, bool strict);

#endif
