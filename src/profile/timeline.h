/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Timelines: the samples of each thread or CPU over time, as one track each, divided into bins of
 * equal length. The profile must keep samples, distinguish threads and CPUs, and be finished.
 */
#ifndef TALLY_PROFILE_TIMELINE_H
#define TALLY_PROFILE_TIMELINE_H

#include "profile/profile.h"

struct tally_timeline_options {
	uint32_t event;
	const uint8_t *passes; /* by bucket: nonzero if it counts; NULL: all do */
	bool by_cpu;           /* otherwise by thread */
	uint32_t nr_bins;
	uint32_t first, most; /* range of tracks with bins, in the order of weight */
};

struct tally_track {
	uint32_t id; /* index of the thread, or CPU */
	uint64_t period, nr;
};

struct tally_timeline {
	uint64_t first, last;                 /* ns: over all samples of the event; 0 without
	                                       * samples */
	TALLY_VEC(struct tally_track) strips; /* all tracks, heaviest first */
	uint64_t *bins;   /* periods of tracks [first, first + most) of the options, nr_bins each */
	uint64_t highest; /* highest period in these bins */
	uint64_t timeless; /* samples without a time, which are in no bin */
};

/* Make a timeline. Returns 0 or -ENOMEM; free it with tally_timeline_free(). */
int tally_timeline_build(const struct tally_profile *profile,
			 const struct tally_timeline_options *options,
			 struct tally_timeline *ret_timeline);
void tally_timeline_free(struct tally_timeline *timeline);

/* Return the start time of a bin; the start of bin `nr_bins` is the end of the last one. */
uint64_t tally_timeline_bin_start(const struct tally_timeline *timeline, uint32_t nr_bins,
				  uint32_t bin);

#endif
