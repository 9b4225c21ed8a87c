/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records into a machine, one by one and in the order of time: the one way from what the kernel
 * wrote to threads, maps and weighed samples, whether a file is read, rings are drained or a
 * recorder looks which files were hit. Not thread-safe.
 *
 * Samples whose callers in user space come later (see deferred.h) wait for them, if that is asked
 * for. Then before each record, and after the last one:
 *
 *	ret = tally_feed_release(&feed, &event, record, size); or tally_feed_end(&feed);
 *	while (ret >= 0 && (ret = tally_feed_next(&feed, &waited, &sample, &facts)) > 0)
 *		use(&sample, &facts, waited.tag);
 *
 * It does not: find out which event a record is of, or put records into order.
 */
#ifndef TALLY_PROFILE_FEED_H
#define TALLY_PROFILE_FEED_H

#include <stddef.h>
#include <stdint.h>

#include "abi/sample.h"
#include "base/vec.h"
#include "profile/deferred.h"
#include "profile/machine.h"

/* What a feed met. Records of tasks and maps that are damaged are in tally_machine_stats(). */
struct tally_feed_counts {
	uint64_t samples; /* that could be read */
	uint64_t damaged; /* samples that could not, and what tally_feed_damaged() was told */
	uint64_t damaged_samples; /* of the damaged records */
	uint64_t lost_records;    /* by LOST: of any kind */
	uint64_t lost_samples;    /* by LOST_SAMPLES */
	uint64_t throttled;       /* times */
	uint64_t unjoined;        /* samples that waited for callers which did not come */
};

/* All zero but for the machine, which is borrowed, and `joins`. */
struct tally_feed {
	struct tally_machine *machine;
	struct tally_feed_counts counts;
	bool joins; /* samples wait for their callers; otherwise they come as they are */
	struct tally_deferred deferred;
	TALLY_VEC(uint64_t) chain; /* of the sample that waited */
};

/* What records of an event look like. Both borrowed, as long as samples wait. All NULL: not known,
 * samples are damaged. */
struct tally_feed_event {
	const struct tally_sample_layout *layout;
	const struct perf_event_attr *attr;
	const void *tag; /* copied for a sample that waits */
	size_t tag_size;
};

/* Whose a sample is, where, and what it counts for. */
struct tally_feed_sample {
	struct tally_thread *thread;
	uint64_t weight; /* the sample's period, else the attr's, else 1 */
	uint8_t cpumode; /* PERF_RECORD_MISC_* */
};

/* A sample that waits no more. */
struct tally_feed_waited {
	const void *record, *tag;
	size_t size;
};

/* Take in one record of `size` bytes in host order. 1 for a sample that could be read, which points
 * into the record; 0 for other records, samples that wait, and damaged ones, which are counted;
 * -ENOMEM. Both outputs mean something only with 1: the sample is large, and decoded where it is
 * wanted. */
int tally_feed_record(struct tally_feed *feed, const struct tally_feed_event *event,
		      const void *record, size_t size, struct tally_sample *ret_sample,
		      struct tally_feed_sample *ret_facts);

/* Find out for which samples the waiting ends with a record: their callers are in it, or they will
 * not come any more. To be called before the record is fed: until then their thread is what it
 * was. 0 or -ENOMEM. */
int tally_feed_release(struct tally_feed *feed, const struct tally_feed_event *event,
		       const void *record, size_t size);

/* No more records come: nothing waits any more. */
void tally_feed_end(struct tally_feed *feed);

/* The next sample that waits no more, in the order in which the waiting ended, valid until the next
 * call; without callers in user space if these did not come. 1, 0 if there is none, -ENOMEM. */
int tally_feed_next(struct tally_feed *feed, struct tally_feed_waited *ret_waited,
		    struct tally_sample *ret_sample, struct tally_feed_sample *ret_facts);

/* Free what waits. */
void tally_feed_free(struct tally_feed *feed);

/* Count a record of `type` that the caller found damaged and does not feed. */
void tally_feed_damaged(struct tally_feed *feed, uint32_t type);

#endif
