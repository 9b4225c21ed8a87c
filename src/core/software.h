/* SPDX-License-Identifier: BSD-2-Clause */
/* Software events, which the host reports and the core counts where they occur. */
#ifndef TALLY_CORE_SOFTWARE_H
#define TALLY_CORE_SOFTWARE_H

#include "core/core_private.h"

/* Set up the PMUs that need no hardware: clocks, software events and tracepoints.
 * tally_software_cpu_init() initializes a CPU's lists of software events and tracepoint events. */
void tally_clock_init(struct tally_core *core);

#if TALLY_CORE_SOFTWARE_EVENTS

void tally_software_init(struct tally_core *core);
void tally_software_cpu_init(struct tally_core_cpu *cpu);

/* Count a software event that the core itself detects: a context switch or migration. Called with
 * interrupts off. */
void tally_software_event(struct tally_core_cpu *cpu, uint32_t id);

#else

static inline void tally_software_init(struct tally_core *core)
{
}

static inline void tally_software_cpu_init(struct tally_core_cpu *cpu)
{
}

static inline void tally_software_event(struct tally_core_cpu *cpu, uint32_t id)
{
}

#endif

/* Add `nr` to the count of an event that is on, and write the samples that are due. */
void tally_software_count(struct tally_core_event *event, uint64_t nr,
			  const struct tally_core_sample_data *sample_data,
			  const struct tally_bytes *raw);

/* Return true if the attr excludes the mode that the sample was taken in. */
bool tally_software_excludes(const struct perf_event_attr *attr,
			     const struct tally_core_sample_data *sample_data);

#if TALLY_CORE_TRACEPOINTS

/* Return the list that contains, among others, the tracepoint events with this ID. */
static inline struct tally_list *tally_tracepoint_bucket(struct tally_core_cpu *cpu, uint64_t id)
{
	return &cpu->tracepoints[id % TALLY_CORE_BUCKETS];
}

#endif

#endif
