/* SPDX-License-Identifier: BSD-2-Clause */
/* Event names that a metric may use even if the model does not have them. */
#ifndef TALLY_JEVENTS_KNOWN_H
#define TALLY_JEVENTS_KNOWN_H

#include <stdbool.h>

#include "jevents/jevents_model.h"

/* Return true if `name`, which must already be decoded, may name an event: an event in the model,
 * possibly with modifiers after a colon or terms after a comma; an event that all kernels or this
 * program provide; or an event of a PMU that the model does not describe, written "pmu/name/". */
bool tally_event_is_known(const struct tally_model *model, const char *name);

#endif
