/* SPDX-License-Identifier: BSD-2-Clause */
/* Event names that a metric may use without the model having them. */
#ifndef TALLY_JEVENTS_KNOWN_H
#define TALLY_JEVENTS_KNOWN_H

#include <stdbool.h>

#include "jevents/model.h"

/* Whether `name`, decoded, can be an event: one of the model, with or without modifiers behind a
 * colon or terms behind a comma; one that kernels or this program have everywhere; or one of a PMU
 * that the model knows nothing of, written "pmu/name/". */
bool tally_event_is_known(const struct tally_model *model, const char *name);

#endif
