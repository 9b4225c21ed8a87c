/* SPDX-License-Identifier: BSD-2-Clause */
/* State of the view of stacks in the order of time. */
#ifndef TALLY_CLI_BROWSER_CHART_H
#define TALLY_CLI_BROWSER_CHART_H

#include "profile/stack_chart.h"

/* A zero-initialised structure shows nothing. */
struct browser_chart {
	bool is_made;
	uint64_t generation; /* generation of the browser's selection */
	uint32_t nr_bins;
	int32_t tid;
	uint32_t rank;        /* of the thread, in the list of the heaviest ones */
	uint64_t first, last; /* time range, ns */
	struct tally_stack_chart chart;
	uint32_t bin, level; /* cursor */
	uint32_t top;        /* first visible level */
};

void browser_chart_free(struct browser_chart *view);

#endif
