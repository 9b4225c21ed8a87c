/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Feeding records to a machine, one by one and in time order. This is the only path from records of
 * the kernel to threads, maps and weighted samples, used when a file is read, when ring buffers are
 * drained, and when a recorder checks which files were hit. Not thread-safe.
 *
 * If enabled, samples with user-space callers that arrive later (see deferred.h) wait for them.
 * Then call, before each record and after the last one:
 *
 *	ret = tally_feed_release(&feed, &event, record, size); or tally_feed_end(&feed);
 *	while (ret >= 0 && (ret = tally_feed_next(&feed, &waited, &sample, &facts)) > 0)
 *		use(&sample, &facts, waited.tag);
 *
 * This module does not find the event of a record, and does not sort records.
 */
#ifndef TALLY_PROFILE_FEED_H
#define TALLY_PROFILE_FEED_H

#include <stddef.h>
#include <stdint.h>

#include "abi/abi_sample.h"
#include "base/vec.h"
#include "profile/deferred.h"
#include "profile/machine.h"

/* Counters of a feed. Damaged records of tasks and maps are counted in tally_machine_stats(). */
struct tally_feed_counts {
	uint64_t samples; /* decoded samples */
	uint64_t damaged; /* samples that could not be decoded, and calls of tally_feed_damaged() */
	uint64_t damaged_samples; /* samples among the damaged records */
	uint64_t lost_records;    /* reported by LOST: records of any kind */
	uint64_t lost_samples;    /* reported by LOST_SAMPLES */
	uint64_t throttled;       /* number of throttle records */
	uint64_t unjoined;        /* samples given up without their callers */
};

/* All zero, except the machine, which is borrowed, and `joins`. */
struct tally_feed {
	struct tally_machine *machine;
	struct tally_feed_counts counts;
	bool joins; /* samples wait for their callers; otherwise they are returned as they are */
	struct tally_deferred deferred;
	TALLY_VEC(uint64_t) chain; /* callchain of the sample that tally_feed_next() returned */
};

/* Format of an event's records. Both pointers are borrowed while samples wait. If all are NULL, the
 * event is unknown, and its samples count as damaged. */
struct tally_feed_event {
	const struct tally_sample_layout *layout;
	const struct perf_event_attr *attr;
	const void *tag; /* copied for a sample that waits */
	size_t tag_size;
};

/* Thread, mode and weight of a sample. */
struct tally_feed_sample {
	struct tally_thread *thread;
	uint64_t weight; /* the sample's period, else the attr's, else 1 */
	uint8_t cpumode; /* PERF_RECORD_MISC_* */
};

/* A sample that has waited and is ready. */
struct tally_feed_waited {
	const void *record, *tag;
	size_t size;
};

/* Process one record of `size` bytes in host byte order. Returns 1 for a decoded sample, which
 * points into the record; 0 for other records, for waiting samples, and for damaged records, which
 * are counted; or -ENOMEM. The outputs are valid only if 1 is returned, but may be written in any
 * case: the sample is large and is decoded in place. */
int tally_feed_record(struct tally_feed *feed, const struct tally_feed_event *event,
		      const void *record, size_t size, struct tally_sample *ret_sample,
		      struct tally_feed_sample *ret_facts);

/* End the wait of samples if a record has their callers, or shows that these will not arrive. Call
 * this before the record is fed, while the state of the thread is still that of the samples.
 * Returns 0 or -ENOMEM. */
int tally_feed_release(struct tally_feed *feed, const struct tally_feed_event *event,
		       const void *record, size_t size);

/* End the wait of all samples, after the last record. */
void tally_feed_end(struct tally_feed *feed);

/* Return the next sample that is ready, in the order in which they became ready. It is valid until
 * the next call, and has no user-space callers if these did not arrive. Returns 1, 0 if no sample
 * is ready, or -ENOMEM. */
int tally_feed_next(struct tally_feed *feed, struct tally_feed_waited *ret_waited,
		    struct tally_sample *ret_sample, struct tally_feed_sample *ret_facts);

/* Free the waiting samples. */
void tally_feed_free(struct tally_feed *feed);

/* Count a record of `type` that the caller found damaged and does not feed. */
void tally_feed_damaged(struct tally_feed *feed, uint32_t type);

#endif
