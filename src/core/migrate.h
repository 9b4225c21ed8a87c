/* SPDX-License-Identifier: BSD-2-Clause */
/* Events of PMUs that count for several CPUs: moved when theirs goes off line. */
#ifndef TALLY_CORE_MIGRATE_H
#define TALLY_CORE_MIGRATE_H

#include "core/private.h"

#if TALLY_CORE_SEVERAL_CPUS

/* The CPU is off line: what its events of such PMUs counted stays, and they go on elsewhere. Where
 * the machine may sleep, without locks. */
void tally_migrate(struct tally_core *core, uint32_t from);

#else

static inline void tally_migrate(struct tally_core *core, uint32_t from)
{
}

#endif

#endif
