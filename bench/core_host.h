/* SPDX-License-Identifier: BSD-2-Clause */
/* A host with negligible costs for measuring the core; see bench_core.c. */
#ifndef TALLY_BENCH_CORE_MACHINE_H
#define TALLY_BENCH_CORE_MACHINE_H

#include "tally/core.h"

enum { BENCH_COUNTERS = 64, BENCH_CPUS = 256 };

struct host {
	struct tally_core *core;
	struct tally_core_pmu pmu;
	uint32_t cpu; /* current CPU */
	struct tally_core_hw *owner[BENCH_CPUS][BENCH_COUNTERS];
	uint64_t taken[BENCH_CPUS]; /* bit mask of the counters in use */
	uint64_t value[BENCH_COUNTERS];
	struct tally_core_task *task; /* task that the next open refers to */
	uint64_t calls, locks, bytes; /* cross-CPU calls; sleeping locks; memory in use */
};

extern struct host host;

/* Read the host's clock, which is the processor's cycle counter if there is one. */
uint64_t machine_clock(void *m);

/* Create a new core with all CPUs online. Exits on failure. If record_max is 0, use Linux's
 * value. */
void machine_boot(uint32_t nr_cpus, uint8_t nr_counters, uint32_t record_max);

#endif
