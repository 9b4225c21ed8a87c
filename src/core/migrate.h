/* SPDX-License-Identifier: BSD-2-Clause */
/* Migrate events on PMUs that count for several CPUs, when the event's CPU goes offline. */
#ifndef TALLY_CORE_MIGRATE_H
#define TALLY_CORE_MIGRATE_H

#include "core/core_private.h"

#if TALLY_CORE_SEVERAL_CPUS

/* Create or free the family of events that can migrate. Return 0 or -ENOMEM. */
int tally_migrate_init(struct tally_core *core);
void tally_migrate_exit(struct tally_core *core);

/* Return the online CPU that the PMU designates for `cpu`, or -1 if the PMU designates no online
 * CPU. The PMU must have a cpu_of(). */
int32_t tally_migrate_target(struct tally_core *core, struct tally_core_pmu *pmu, uint32_t cpu);

/* Move a group to the CPU that its PMU designates, if the group's CPU is offline and another is
 * available. The events keep their counts. Called with core->movers locked. */
void tally_migrate_group(struct tally_core_event *leader);

/* Migrate the event's group, if the event can migrate and its CPU is offline. Called without
 * locks. */
void tally_migrate_event(struct tally_core_event *event);

/* Migrate all opened events that can migrate. Called after a CPU has gone online or offline,
 * without locks, where sleeping is allowed. */
void tally_migrate(struct tally_core *core);

#else

static inline int tally_migrate_init(struct tally_core *core)
{
	return 0;
}

static inline void tally_migrate_exit(struct tally_core *core)
{
}

static inline int32_t tally_migrate_target(struct tally_core *core, struct tally_core_pmu *pmu,
					   uint32_t cpu)
{
	return -1;
}

static inline void tally_migrate_group(struct tally_core_event *leader)
{
}

static inline void tally_migrate_event(struct tally_core_event *event)
{
}

static inline void tally_migrate(struct tally_core *core)
{
}

#endif

#endif
