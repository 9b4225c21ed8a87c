/* SPDX-License-Identifier: BSD-2-Clause */
/* PERF_RECORD_SAMPLE. */
#ifndef TALLY_CORE_SAMPLE_H
#define TALLY_CORE_SAMPLE_H

#include "core/core_private.h"

/* Write a sample for `event`, with event->hw.last_period as its period. `raw` is tracepoint data,
 * or NULL. Return true if readers have to be woken. Called in the overflow interrupt. */
bool tally_sample_write(struct tally_core_event *event,
			const struct tally_core_sample_data *sample_data,
			const struct tally_bytes *raw);

#endif
