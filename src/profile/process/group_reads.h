/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Split the samples of a group's leader into one sample per member, from the counter values that
 * they contain (PERF_SAMPLE_READ, as with `-e '{a,b}:S'`). Not thread-safe.
 */
#ifndef TALLY_PROFILE_PROCESS_GROUP_READS_H
#define TALLY_PROFILE_PROCESS_GROUP_READS_H

#include "base/map.h"
#include "profile/process/feed.h"

/* Return the attr of the event with a sample ID, and set `*ret_event` to its number. Return NULL if
 * the ID is unknown. */
typedef const struct perf_event_attr *tally_group_find_fn(void *arg, uint64_t id,
							  uint32_t *ret_event);

struct tally_group_reads {
	struct tally_map counts; /* counter -> its value in the previous sample */
	tally_group_find_fn *find;
	void *arg; /* for `find` */
};

/* Return true if `sample` has counter values. */
bool tally_group_reads_has(const struct tally_feed_sample *sample);

/* Pass `sample` on. If it has counter values, pass it on once for each member with a changed value;
 * the period is the increase since the previous value. Sets `sample`'s event, attr and period.
 * Returns 0, -ENOMEM, or a nonzero value of `pass`, which ends the loop. */
int tally_group_reads_pass(struct tally_group_reads *reads, struct tally_feed_sample *sample,
			   tally_feed_fn *pass, void *pass_arg);

/* Forget all values. */
void tally_group_reads_free(struct tally_group_reads *reads);

#endif
