/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A recording under way: records of an open sampler into a machine, in the order of time. For the
 * commands that look at samples while they come. Not thread-safe.
 */
#ifndef TALLY_CLI_RECORDING_LIVE_H
#define TALLY_CLI_RECORDING_LIVE_H

#include "abi/sample.h"
#include "base/map.h"
#include "profile/feed.h"
#include "profile/unwind.h"
#include "sampler/sampler.h"

struct tally_live {
	struct tally_sampler *sampler;                 /* borrowed */
	TALLY_VEC(struct tally_sample_layout) layouts; /* by event */
	struct tally_map ids;                          /* of samples, to events */
	struct tally_symbols *symbols;
	struct tally_machine *machine;
	struct tally_feed feed; /* into the machine */
	struct tally_unwinder unwinder;
};

/* Make machine and symbols for the counters of `sampler`, which are open. 0 or -errno;
 * tally_live_free() in any case. */
int tally_live_init(struct tally_live *live, struct tally_sampler *sampler,
		    const struct tally_symbols_options *symbols);

void tally_live_free(struct tally_live *live);

/* Take in synthesized records. 0 or -ENOMEM. */
int tally_live_feed(struct tally_live *live, const char *records, size_t len);

/* The event that a record is of; 0 where it does not tell. */
size_t tally_live_event(const struct tally_live *live, const struct perf_event_header *record);

/* When a record was made; 0 for one that does not tell. */
uint64_t tally_live_time(const struct tally_live *live, const struct perf_event_header *record);

/* Before a record of event `event` is taken in, as tally_feed_release(). */
int tally_live_release(struct tally_live *live, size_t event,
		       const struct perf_event_header *record);

/* The next sample that waits no more and its event, as tally_feed_next(). */
int tally_live_next(struct tally_live *live, const struct perf_event_header **ret_record,
		    size_t *ret_event, struct tally_sample *ret_sample,
		    struct tally_feed_sample *ret_facts);

/* Take in one record of event `event`, as tally_feed_record(). Of a thread that no record told of,
 * as one was lost, procfs is asked, once. */
int tally_live_record(struct tally_live *live, size_t event, const struct perf_event_header *record,
		      struct tally_sample *ret_sample, struct tally_feed_sample *ret_facts);

#endif
