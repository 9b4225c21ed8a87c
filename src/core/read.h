/* SPDX-License-Identifier: BSD-2-Clause */
/* Read events. */
#ifndef TALLY_CORE_READ_H
#define TALLY_CORE_READ_H

#include "core/output.h"

/* Fill in the current counts, for PERF_SAMPLE_READ. Called in the overflow interrupt. */
void tally_read_sample(struct tally_output *output, struct tally_sample *sample);

/* Update the event's times, and read its counter to update its count. The caller must follow the
 * context rule (core_private.h). */
void tally_event_refresh(struct tally_core_cpu *cpu, struct tally_core_event *event);

/* Write the PERF_RECORD_READ of a child that is being closed, for inherit_stat. Called on the
 * event's CPU with interrupts off. */
void tally_read_record(struct tally_core_event *child, const struct tally_core_task *task);

#endif
