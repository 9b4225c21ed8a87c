/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Feed records from an open sampler into a machine in chronological order, for commands that show
 * samples while recording. Not thread-safe.
 */
#ifndef TALLY_SESSION_LIVE_H
#define TALLY_SESSION_LIVE_H

#include "abi/abi_sample.h"
#include "base/map.h"
#include "profile/feed.h"
#include "profile/unwind.h"
#include "sampler/sampler.h"

struct tally_live {
	struct tally_sampler *sampler;                 /* borrowed */
	TALLY_VEC(struct tally_sample_layout) layouts; /* indexed by event */
	struct tally_map ids;                          /* sample ID -> event */
	struct tally_symbols *symbols;
	struct tally_machine *machine;
	struct tally_feed feed; /* feeds `machine` */
	struct tally_unwinder unwinder;
};

/* Create the machine and symbols for `sampler`, which must have open counters. Returns 0 or -errno;
 * call tally_live_free() in either case. */
int tally_live_init(struct tally_live *live, struct tally_sampler *sampler,
		    const struct tally_symbols_options *symbols);

void tally_live_free(struct tally_live *live);

/* Feed synthesized records. Returns 0 or -ENOMEM. */
int tally_live_feed(struct tally_live *live, const char *records, size_t len);

/* Return a record's event, or 0 if the record does not identify its event. */
size_t tally_live_event(const struct tally_live *live, const struct perf_event_header *record);

/* Return a record's timestamp, or 0 if the record has none. */
uint64_t tally_live_time(const struct tally_live *live, const struct perf_event_header *record);

/* Release waiting samples before feeding a record of `event`; see tally_feed_release(). */
int tally_live_release(struct tally_live *live, size_t event,
		       const struct perf_event_header *record);

/* Return the next sample that is no longer waiting, and its event; see tally_feed_next(). */
int tally_live_next(struct tally_live *live, const struct perf_event_header **ret_record,
		    size_t *ret_event, struct tally_sample *ret_sample,
		    struct tally_feed_sample *ret_facts);

/* Feed one record of `event`; see tally_feed_record(). If a thread is unknown because a record was
 * lost, look it up once in procfs. */
int tally_live_record(struct tally_live *live, size_t event, const struct perf_event_header *record,
		      struct tally_sample *ret_sample, struct tally_feed_sample *ret_facts);

#endif
