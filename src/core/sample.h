/* SPDX-License-Identifier: BSD-2-Clause */
/* PERF_RECORD_SAMPLE. */
#ifndef TALLY_CORE_SAMPLE_H
#define TALLY_CORE_SAMPLE_H

#include "core/private.h"

/* Write a sample of `event`, whose last period is event->hw.last_period; `raw` is what a
 * tracepoint recorded, or NULL. True when somebody has to be woken. In the overflow interrupt. */
bool tally_sample_write(struct tally_core_event *event,
			const struct tally_core_sample_data *sample_data,
			const struct tally_bytes *raw);

#endif
