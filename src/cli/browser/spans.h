/* SPDX-License-Identifier: BSD-2-Clause */
/* Strips over time with a cursor and a span that is being marked. */
#ifndef TALLY_CLI_BROWSER_SPANS_H
#define TALLY_CLI_BROWSER_SPANS_H

#include "profile/timeline.h"

struct browser_spans {
	bool by_cpu;
	uint32_t strip, bin; /* where the cursor is */
	uint32_t first;      /* the strip at the top */
	bool has_mark;       /* a span is being marked, from here: */
	uint32_t mark;
	/* As it was made last: */
	bool is_made, made_by_cpu;
	uint64_t generation; /* of the browser's selection */
	uint32_t made_first;
	uint32_t nr_bins, rows;
	int top, left; /* where on the screen the first bin is */
	struct tally_timeline timeline;
};

#endif
