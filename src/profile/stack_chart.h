/* SPDX-License-Identifier: BSD-2-Clause */
/* The callchains of one thread in the order of time. */
#ifndef TALLY_PROFILE_STACK_CHART_H
#define TALLY_PROFILE_STACK_CHART_H

#include "profile/fold.h"
#include "profile/selection.h"

struct tally_stack_chart_options {
	struct tally_selection_options selection; /* `passes` may be NULL */
	struct tally_fold fold;
	int32_t tid;
	bool is_time;         /* weights are CPU time in ns */
	uint64_t first, last; /* time range of the chart in ns, inclusive */
	uint32_t nr_bins;     /* number of equal parts of the range */
};

/* A part of the time range: the callchain with the largest weight in it. A bin without samples has
 * the callchain of the next sample if that lasted since then, or the functions that its neighbours
 * share if the thread was probably waiting for a CPU. docs/page.md describes the rule. */
struct tally_chart_bin {
	uint32_t first,
		nr;      /* range in `functions`, outermost function first; 0 if the thread has no
			     * samples */
	uint32_t shared; /* number of functions that are the same as in the bin before, from the
			     * outermost one on */
	uint64_t nr_samples;
};

struct tally_stack_chart {
	TALLY_VEC(struct tally_chart_bin) bins;
	TALLY_VEC(uint32_t) functions; /* first frames of functions, see functions.h */
	uint32_t depth;                /* length of the longest callchain */
};

/* Build the chart of a profile that keeps its samples. The caller frees `*ret_chart` with
 * tally_stack_chart_free(). Returns 0 or -ENOMEM. */
int tally_stack_chart_build(struct tally_profile *profile,
			    const struct tally_stack_chart_options *options,
			    struct tally_stack_chart *ret_chart);
void tally_stack_chart_free(struct tally_stack_chart *chart);

#endif
