/* SPDX-License-Identifier: BSD-2-Clause */
/* Migration of events of PMUs that count for several CPUs, when their CPU goes offline. */
#ifndef TALLY_CORE_MIGRATE_H
#define TALLY_CORE_MIGRATE_H

#include "core/core_private.h"

#if TALLY_CORE_SEVERAL_CPUS

/* Create or free the family of events that migrate. Return 0 or -ENOMEM. */
int tally_migrate_init(struct tally_core *core);
void tally_migrate_exit(struct tally_core *core);

/* Return the online CPU that the PMU, which has a cpu_of(), designates for this one; -1: none. */
int32_t tally_migrate_target(struct tally_core *core, struct tally_core_pmu *pmu, uint32_t cpu);

/* Move a group to the CPU that its PMU designates, if its own is offline and another is available.
 * It keeps its counts. Called with the lock of core->movers held. */
void tally_migrate_group(struct tally_core_event *leader);

/* The same for the group of any event, which may be one that does not migrate. Called without
 * locks. */
void tally_migrate_event(struct tally_core_event *event);

/* The same for all opened events, after a CPU went online or offline. Called where the machine may
 * sleep, without locks. */
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
