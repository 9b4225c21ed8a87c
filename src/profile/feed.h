/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records into a machine, one by one and in the order of time: the one way from what the kernel
 * wrote to threads, maps and weighed samples, whether a file is read, rings are drained or a
 * recorder looks which files were hit. Not thread-safe.
 *
 * It does not: find out which event a record is of, or put records into order.
 */
#ifndef TALLY_PROFILE_FEED_H
#define TALLY_PROFILE_FEED_H

#include <stddef.h>
#include <stdint.h>

#include "abi/sample.h"
#include "profile/machine.h"

/* What a feed met. Records of tasks and maps that are damaged are in tally_machine_stats(). */
struct tally_feed_counts {
	uint64_t samples; /* that could be read */
	uint64_t damaged; /* samples that could not, and what tally_feed_damaged() was told */
	uint64_t damaged_samples; /* of the damaged records */
	uint64_t lost_records;    /* by LOST: of any kind */
	uint64_t lost_samples;    /* by LOST_SAMPLES */
	uint64_t throttled;       /* times */
};

/* All zero but for the machine, which is borrowed. */
struct tally_feed {
	struct tally_machine *machine;
	struct tally_feed_counts counts;
};

/* What records of an event look like. Both borrowed. All NULL: not known, samples are damaged. */
struct tally_feed_event {
	const struct tally_sample_layout *layout;
	const struct perf_event_attr *attr;
};

/* Whose a sample is, where, and what it counts for. */
struct tally_feed_sample {
	struct tally_thread *thread;
	uint64_t weight; /* the sample's period, else the attr's, else 1 */
	uint8_t cpumode; /* PERF_RECORD_MISC_* */
};

/* Take in one record of `size` bytes in host order. 1 for a sample that could be read, which points
 * into the record; 0 for other records and damaged samples, which are counted; -ENOMEM. Both
 * outputs mean something only with 1: the sample is large, and decoded where it is wanted. */
int tally_feed_record(struct tally_feed *feed, const struct tally_feed_event *event,
		      const void *record, size_t size, struct tally_sample *ret_sample,
		      struct tally_feed_sample *ret_facts);

/* Count a record of `type` that the caller found damaged and does not feed. */
void tally_feed_damaged(struct tally_feed *feed, uint32_t type);

#endif
