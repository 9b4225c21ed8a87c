/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When the samples of each thread or CPU came: a strip each, cut into bins of the same time. Of a
 * profile that keeps samples and tells threads and CPUs apart, after tally_profile_finish().
 */
#ifndef TALLY_PROFILE_TIMELINE_H
#define TALLY_PROFILE_TIMELINE_H

#include "profile/profile.h"

struct tally_timeline_options {
	uint32_t event;
	const uint8_t *passes; /* by bucket: whether it counts; NULL: all do */
	bool by_cpu;           /* else by thread */
	uint32_t nr_bins;
	uint32_t first, most; /* only these strips, in the order of their weight, have bins */
};

struct tally_strip {
	uint32_t id; /* thread's index, or CPU */
	uint64_t period, nr;
};

struct tally_timeline {
	uint64_t first, last;                 /* ns: of all samples of the event; 0 without any */
	TALLY_VEC(struct tally_strip) strips; /* all, heaviest first */
	uint64_t *bins; /* of strips [first, first + most) of the options, nr_bins each: periods */
	uint64_t highest;  /* of these bins */
	uint64_t timeless; /* samples without a time, which are in no bin */
};

/* 0 or -ENOMEM; free it with tally_timeline_free(). */
int tally_timeline_make(const struct tally_profile *profile,
			const struct tally_timeline_options *options,
			struct tally_timeline *ret_timeline);
void tally_timeline_free(struct tally_timeline *timeline);

/* When a bin begins; that of `nr_bins` is the end of the last one. */
uint64_t tally_timeline_bin_start(const struct tally_timeline *timeline, uint32_t nr_bins,
				  uint32_t bin);

#endif
