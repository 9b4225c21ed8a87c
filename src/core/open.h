/* SPDX-License-Identifier: BSD-2-Clause */
/* Code shared by opening and modifying events. */
#ifndef TALLY_CORE_OPEN_H
#define TALLY_CORE_OPEN_H

#include "core/core_private.h"

/* Copy the whole attr from user memory, whatever its size, and check the bytes beyond the size
 * known to the core. Return NULL or the reason for failure. Called without locks. */
const struct tally_core_refusal *tally_open_copy_attr(struct tally_core *core, uint8_t *user,
						      struct perf_event_attr *ret_attr);

/* Return the refusal for an error that a PMU returned. */
const struct tally_core_refusal *tally_open_by_pmu(int error);

#endif
