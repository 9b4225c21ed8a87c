/* SPDX-License-Identifier: BSD-2-Clause */
/* What opening an event and modifying it have in common. */
#ifndef TALLY_CORE_OPEN_H
#define TALLY_CORE_OPEN_H

#include "core/private.h"

/* Take the whole attr from user memory, however large the caller's is, and judge what is beyond the
 * one known here. NULL, or why not. No lock is held. */
const struct tally_core_refusal *tally_open_copy_attr(struct tally_core *core, uint8_t *user,
						      struct perf_event_attr *ret_attr);

/* What an error of a PMU means. */
const struct tally_core_refusal *tally_open_by_pmu(int error);

#endif
