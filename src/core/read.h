/* SPDX-License-Identifier: BSD-2-Clause */
/* The value of events. */
#ifndef TALLY_CORE_READ_H
#define TALLY_CORE_READ_H

#include "core/output.h"

/* PERF_SAMPLE_READ: as the counts are now, in the overflow interrupt. */
void tally_read_sample(struct tally_output *output, struct tally_sample *sample);

/* Fold the running counter in and account for the time. A. */
void tally_event_refresh(struct tally_core_cpu *cpu, struct tally_core_event *event);

/* PERF_RECORD_READ of a child that ends, for inherit_stat. A. */
void tally_read_record(struct tally_core_event *child, const struct tally_core_task *task);

#endif
