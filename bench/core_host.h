/* SPDX-License-Identifier: BSD-2-Clause */
/* A host that costs nothing itself, to measure the core on: see core.c. */
#ifndef TALLY_BENCH_CORE_MACHINE_H
#define TALLY_BENCH_CORE_MACHINE_H

#include "tally/core.h"

enum { BENCH_COUNTERS = 64, BENCH_CPUS = 256 };

struct host {
	struct tally_core *core;
	struct tally_core_pmu pmu;
	uint32_t cpu; /* the one that code runs on */
	struct tally_core_hw *owner[BENCH_CPUS][BENCH_COUNTERS];
	uint64_t taken[BENCH_CPUS]; /* counters, as bits */
	uint64_t value[BENCH_COUNTERS];
	struct tally_core_task *task; /* whom the next open means */
	uint64_t calls, locks, bytes; /* of other CPUs; of sleeping locks; held */
};

extern struct host host;

/* The host's clock: the processor's cycle counter where it has one. */
uint64_t machine_clock(void *m);

/* A new core, all CPUs on line. Exits where that fails. With record_max 0: Linux's. */
void machine_boot(uint32_t nr_cpus, uint8_t nr_counters, uint32_t record_max);

#endif
