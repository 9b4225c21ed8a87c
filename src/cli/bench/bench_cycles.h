/* SPDX-License-Identifier: BSD-2-Clause */
/* Count of the CPU cycles that the calling thread uses. */
#ifndef TALLY_CLI_BENCH_CYCLES_H
#define TALLY_CLI_BENCH_CYCLES_H

#include <stdint.h>

struct tally_counters;

/* An all-zero structure has no counter. */
struct bench_cycles {
	struct tally_counters *counters;
};

/* Start to count. Returns 0, or -errno after printing an error. */
int bench_cycles_start(struct bench_cycles *cycles);

/* Read the count and close the counter. Returns 0, or -errno after printing an error. */
int bench_cycles_finish(struct bench_cycles *cycles, uint64_t *ret_cycles);

#endif
