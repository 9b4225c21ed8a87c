/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Timelines show the samples of each thread or CPU over time. Each thread or CPU has a track, which
 * is divided into bins of equal length. The profile must keep samples, distinguish threads and
 * CPUs, and be finished.
 */
#ifndef TALLY_PROFILE_TIMELINE_H
#define TALLY_PROFILE_TIMELINE_H

#include "profile/profile_model.h"

struct tally_timeline_options {
	uint32_t event;
	const uint8_t *passes; /* per-bucket flag: nonzero to include; NULL to include all */
	bool by_cpu;           /* one track per CPU, not per thread */
	uint32_t nr_bins;
	uint32_t first, most; /* range of tracks that have bins, in order of weight */
};

struct tally_track {
	uint32_t id; /* index of the thread, or CPU number */
	uint64_t period, nr;
};

struct tally_timeline {
	/* Timestamps of the event's first and last sample in ns, or 0 if there are no samples. */
	uint64_t first, last;
	TALLY_VEC(struct tally_track) strips; /* all tracks, heaviest first */
	uint64_t *bins;    /* nr_bins sums per track, for tracks [first, first + most) */
	uint64_t highest;  /* highest sum of periods in a bin */
	uint64_t timeless; /* number of samples without a timestamp, which are not in any bin */
};

/* Build a timeline. The caller frees it with tally_timeline_free(). Returns 0 or -ENOMEM. */
int tally_timeline_build(const struct tally_profile *profile,
			 const struct tally_timeline_options *options,
			 struct tally_timeline *ret_timeline);
void tally_timeline_free(struct tally_timeline *timeline);

/* Return the start time of a bin. The start of bin `nr_bins` is the end of the last bin. */
uint64_t tally_timeline_bin_start(const struct tally_timeline *timeline, uint32_t nr_bins,
				  uint32_t bin);

#endif
