/* SPDX-License-Identifier: BSD-2-Clause */
/* Software events: what the host tells of, counted where it happens. */
#ifndef TALLY_CORE_SOFTWARE_H
#define TALLY_CORE_SOFTWARE_H

#include "core/private.h"

/* Set up the PMUs that need no hardware: clocks; software events and tracepoints, and their lists
 * on a CPU. */
void tally_clock_init(struct tally_core *core);

#if TALLY_CORE_SOFTWARE_EVENTS

void tally_software_init(struct tally_core *core);
void tally_software_cpu_init(struct tally_core_cpu *cpu);

/* One of the core's own: a context switch, a migration. With interrupts off. */
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

/* Count `nr` for an event that is on, and write the samples that are due. */
void tally_software_count(struct tally_core_event *event, uint64_t nr,
			  const struct tally_core_sample_data *sample_data,
			  const struct tally_bytes *raw);

/* Whether the attr leaves out what happens in this mode. */
bool tally_software_excludes(const struct perf_event_attr *attr,
			     const struct tally_core_sample_data *sample_data);

#if TALLY_CORE_TRACEPOINTS

/* Lists of tracepoint events by id. */
static inline struct tally_list *tally_tracepoint_bucket(struct tally_core_cpu *cpu, uint64_t id)
{
	return &cpu->tracepoints[id % TALLY_CORE_BUCKETS];
}

#endif

#endif
