/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Feeds records to a machine, one at a time and in time order. This is the only path from kernel
 * records to threads, maps and weighted samples. It is used when a file is read, when ring buffers
 * are drained, and when a recorder checks which files were hit. Not thread-safe.
 *
 * If `joins` is set, samples wait for user-space callers that arrive later (see deferred.h). In
 * that case, make the following calls before each record and after the last record:
 *
 *	ret = tally_feed_release(&feed, &event, record, size); or tally_feed_end(&feed);
 *	while (ret >= 0 && (ret = tally_feed_next(&feed, &waited, &sample, &facts)) > 0)
 *		use(&sample, &facts, waited.tag);
 *
 * This module does not look up a record's event, and does not sort records.
 */
#ifndef TALLY_PROFILE_FEED_H
#define TALLY_PROFILE_FEED_H

#include <stddef.h>
#include <stdint.h>

#include "abi/abi_sample.h"
#include "base/vec.h"
#include "profile/deferred.h"
#include "profile/machine.h"

/* Counters of a feed. Damaged task and map records are counted in tally_machine_stats(). */
struct tally_feed_counts {
	uint64_t samples; /* decoded samples */
	uint64_t damaged; /* records counted by tally_feed_damaged(), incl. undecodable samples */
	uint64_t damaged_samples; /* samples among the damaged records */
	uint64_t lost_records;    /* lost records of any type, as reported by LOST */
	uint64_t lost_samples;    /* lost samples, as reported by LOST_SAMPLES */
	uint64_t throttled;       /* number of throttle records */
	uint64_t unjoined;        /* samples released without their callers */
};

/* Initialize to zero, except for the machine, which is borrowed, and `joins`. */
struct tally_feed {
	struct tally_machine *machine;
	struct tally_feed_counts counts;
	bool joins; /* samples wait for their callers; otherwise they are returned unchanged */
	struct tally_deferred deferred;
	TALLY_VEC(uint64_t) chain; /* callchain of the last sample from tally_feed_next() */
};

/* Format of an event's records. The pointers are borrowed while samples wait. If all are NULL, the
 * event is unknown, and its samples are counted as damaged. */
struct tally_feed_event {
	const struct tally_sample_layout *layout;
	const struct perf_event_attr *attr;
	const void *tag; /* copied if the sample waits */
	size_t tag_size;
};

/* A sample's thread, mode and weight. */
struct tally_feed_sample {
	struct tally_thread *thread;
	uint64_t weight; /* the sample's period, otherwise the attr's, otherwise 1 */
	uint8_t cpumode; /* PERF_RECORD_MISC_* */
};

/* A sample that has waited and is now ready. */
struct tally_feed_waited {
	const void *record, *tag;
	size_t size;
};

/* Process a record of `size` bytes in host byte order. Returns 1 for a decoded sample, which points
 * into the record; 0 for other records, for waiting samples, and for damaged records, which are
 * counted; or -ENOMEM. The outputs are valid only if 1 is returned, but may be overwritten in any
 * case, because the sample is large and is decoded in place. */
int tally_feed_record(struct tally_feed *feed, const struct tally_feed_event *event,
		      const void *record, size_t size, struct tally_sample *ret_sample,
		      struct tally_feed_sample *ret_facts);

/* Make waiting samples ready if a record contains their callers, or shows that the callers will not
 * arrive. Call this before the record is fed, while the thread's state still matches the samples.
 * Returns 0 or -ENOMEM. */
int tally_feed_release(struct tally_feed *feed, const struct tally_feed_event *event,
		       const void *record, size_t size);

/* Make all waiting samples ready. Call this after the last record. */
void tally_feed_end(struct tally_feed *feed);

/* Return the next ready sample; samples are returned in the order in which they became ready. The
 * sample is valid until the next call, and has no user-space callers if they did not arrive.
 * Returns 1, 0 if no sample is ready, or -ENOMEM. */
int tally_feed_next(struct tally_feed *feed, struct tally_feed_waited *ret_waited,
		    struct tally_sample *ret_sample, struct tally_feed_sample *ret_facts);

/* Free the waiting samples. */
void tally_feed_free(struct tally_feed *feed);

/* Count a record of type `type` that is not fed because the caller found it to be damaged. */
void tally_feed_damaged(struct tally_feed *feed, uint32_t type);

#endif
