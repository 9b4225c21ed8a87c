/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Feed records from an open sampler into a machine in chronological order, for commands that show
 * samples while recording. Not thread-safe.
 */
#ifndef TALLY_LIVE_MACHINE_H
#define TALLY_LIVE_MACHINE_H

#include "abi/abi_sample.h"
#include "base/map.h"
#include "profile/process/feed.h"
#include "profile/process/group_reads.h"
#include "profile/process/user_chain.h"
#include "sampler/sampler.h"

struct tally_live {
	struct tally_sampler *sampler;                 /* borrowed */
	TALLY_VEC(struct tally_sample_layout) layouts; /* indexed by event */
	struct tally_map ids;                          /* sample ID -> event */
	struct tally_symbols *symbols;
	struct tally_machine *machine;
	struct tally_feed feed; /* feeds `machine` */
	/* If `completes` is set, samples are passed on with the user part of their callchains, and
	 * the sample of a group's leader once per member. Otherwise they are passed as recorded. */
	bool completes;
	struct tally_user_chains chains;
	struct tally_group_reads reads;
	tally_feed_fn *on_sample;
	void *arg;
};

/* Create the machine and symbols for `sampler`, which must have open counters. Pass samples to
 * `on_sample` with `arg`. Returns 0 or -errno; call tally_live_free() in either case. */
int tally_live_init(struct tally_live *live, struct tally_sampler *sampler,
		    const struct tally_symbols_options *symbols, tally_feed_fn *on_sample,
		    void *arg);

void tally_live_free(struct tally_live *live);

/* Feed synthesized records. Returns 0 or -ENOMEM. */
int tally_live_feed(struct tally_live *live, const char *records, size_t len);

/* Return a record's timestamp, or 0 if the record has none. */
uint64_t tally_live_time(const struct tally_live *live, const struct perf_event_header *record);

/* Feed one record; see tally_feed_record(). sample->event is an index in the sampler's specs. If a
 * sample's thread is unknown because a record was lost, look it up once in procfs. */
int tally_live_record(struct tally_live *live, const struct perf_event_header *record);

#endif
