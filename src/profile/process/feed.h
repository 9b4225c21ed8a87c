/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Feeds records to a machine, one at a time and in time order, and passes samples to a callback.
 * This is the only path from kernel records to threads, maps and weighted samples. It is used when
 * a file is read, when ring buffers are drained, and when a recorder checks which files were hit.
 * Not thread-safe.
 *
 * If `joins` is set, samples wait for user-space callers that arrive later (see deferred.h). They
 * are passed to the callback before the record that ends their wait is processed, while the state
 * of their thread still matches them.
 *
 * This module does not look up a record's event, and does not sort records.
 */
#ifndef TALLY_PROFILE_PROCESS_FEED_H
#define TALLY_PROFILE_PROCESS_FEED_H

#include <stddef.h>
#include <stdint.h>

#include "abi/abi_sample.h"
#include "base/vec.h"
#include "profile/process/deferred.h"
#include "profile/process/machine.h"

/* Counters of a feed. Damaged task and map records are counted in tally_machine_stats(). */
struct tally_feed_counts {
	uint64_t samples; /* decoded samples */
	uint64_t damaged; /* records counted by tally_feed_damaged(), incl. undecodable samples */
	uint64_t damaged_samples; /* samples among the damaged records */
	const char *damage;       /* why the first undecodable sample is one; constant, or NULL */
	uint64_t lost_records;    /* lost records of any type, as reported by LOST */
	uint64_t lost_samples;    /* lost samples, as reported by LOST_SAMPLES */
	uint64_t throttled;       /* number of throttle records */
	uint64_t unjoined;        /* samples released without their callers */
};

/* Format of an event's records. The pointers are borrowed while samples wait. If all are NULL, the
 * event is unknown, and its samples are counted as damaged. */
struct tally_feed_event {
	const struct tally_sample_layout *layout;
	const struct perf_event_attr *attr;
	uint32_t index;  /* number of the event */
	const void *tag; /* copied if the sample waits */
	size_t tag_size;
};

/* A decoded sample on its way from a record to a row. */
struct tally_feed_sample {
	struct tally_sample sample;
	const struct perf_event_attr *attr;
	struct tally_thread *thread;
	const struct perf_event_header *record; /* may not be aligned */
	const struct perf_branch_entry *branch; /* with one sample for each branch, else NULL */
	const void *tag;                        /* from struct tally_feed_event, or a copy */
	uint64_t period; /* the sample's period, otherwise the attr's, otherwise 1 */
	uint64_t number; /* for the owner: identifies the sample if it is read twice, or 0 */
	uint32_t event;  /* number of the event */
	uint32_t label;  /* for the owner: see TALLY_BY_LABEL */
	uint8_t cpumode; /* PERF_RECORD_MISC_* */
};

/* Callback for a sample. The sample points into its record and is valid during the call; the
 * callback may change it. A nonzero return value is returned by the function that was called. */
typedef int tally_feed_fn(void *arg, struct tally_feed_sample *sample);

struct tally_feed {
	struct tally_machine *machine; /* borrowed */
	tally_feed_fn *on_sample;
	void *arg;
	struct tally_feed_counts counts;
	bool joins; /* samples wait for their callers; otherwise they are passed on unchanged */
	struct tally_deferred deferred;
	TALLY_VEC(uint64_t) chain; /* callchain of a sample that has waited */
};

/* Initialize a feed. */
void tally_feed_init(struct tally_feed *feed, struct tally_machine *machine,
		     tally_feed_fn *on_sample, void *arg);

/* Process a record of `size` bytes in host byte order. Passes on the samples that have waited for
 * it, and the record's own sample, unless it waits or is damaged; damaged records are counted.
 * Returns 0, -ENOMEM, or the callback's value. */
int tally_feed_record(struct tally_feed *feed, const struct tally_feed_event *event,
		      const void *record, size_t size);

/* Pass on all waiting samples, without the callers that did not arrive. Call this after the last
 * record. Returns 0, -ENOMEM, or the callback's value. */
int tally_feed_end(struct tally_feed *feed);

/* Free the waiting samples. */
void tally_feed_free(struct tally_feed *feed);

/* Count a record of type `type` that is not fed because the caller found it to be damaged. */
void tally_feed_damaged(struct tally_feed *feed, uint32_t type);

#endif
