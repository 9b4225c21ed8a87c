/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The recorded threads that are running. Their number is the parallelism at that time. A thread
 * runs from a switch in, or from a sample if its switch in was not recorded, to its next switch out
 * or exit. Idle tasks do not count.
 */
#ifndef TALLY_PROFILE_PROCESS_RUNNING_H
#define TALLY_PROFILE_PROCESS_RUNNING_H

#include <stddef.h>
#include <stdint.h>

#include "abi/abi_sample.h"
#include "base/map.h"

/* An all-zero structure has no running thread. */
struct tally_running {
	struct tally_map threads; /* by TID */
	bool has_switches;        /* a context switch was seen */
};

/* Process a record that is not a sample. `layout` may be NULL if the record has no event. Records
 * of other types and damaged records are ignored. Returns 0 or -ENOMEM. */
int tally_running_record(struct tally_running *running, const struct tally_sample_layout *layout,
			 const void *record, size_t size);

/* Process a sample of the thread `tid`. `*ret_nr` is the number of running threads, at least 1.
 * Returns 0 or -ENOMEM. */
int tally_running_sample(struct tally_running *running, int32_t tid, size_t *ret_nr);

void tally_running_free(struct tally_running *running);

#endif
