/* SPDX-License-Identifier: BSD-2-Clause */
/* Events of PMUs that count for several CPUs: moved when theirs is off line. */
#ifndef TALLY_CORE_MIGRATE_H
#define TALLY_CORE_MIGRATE_H

#include "core/private.h"

#if TALLY_CORE_SEVERAL_CPUS

/* The family of events that move: -ENOMEM. */
int tally_migrate_init(struct tally_core *core);
void tally_migrate_exit(struct tally_core *core);

/* The CPU on line that the PMU, which has a cpu_of(), names for this one; -1: none. */
int32_t tally_migrate_target(struct tally_core *core, struct tally_core_pmu *pmu, uint32_t cpu);

/* A group that moves goes to the CPU that its PMU names, if its own is off line and another is to
 * be had: what it counted stays. The family's lock, of an event that moves. */
void tally_migrate_group(struct tally_core_event *leader);

/* The same for the group of an event that may be of any kind. Without locks. */
void tally_migrate_event(struct tally_core_event *event);

/* A CPU went or came: the same for all events that were opened. Where the machine may sleep,
 * without locks. */
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
