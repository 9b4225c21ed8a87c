/* SPDX-License-Identifier: BSD-2-Clause */
/* State of the time view: the timelines, the cursor, and the span that is being marked. */
#ifndef TALLY_CLI_BROWSER_SPANS_H
#define TALLY_CLI_BROWSER_SPANS_H

#include "profile/timeline.h"

struct browser_spans {
	bool by_cpu;
	uint32_t strip, bin; /* cursor position */
	uint32_t first;      /* topmost visible track */
	bool has_mark;       /* a span is being marked; `mark` is its other end */
	uint32_t mark;
	/* Parameters of the current timeline. */
	bool is_made, made_by_cpu;
	uint64_t generation; /* generation of the browser's selection */
	uint32_t made_first;
	uint32_t nr_bins, rows;
	uint64_t whole; /* period of all tracks */
	int top, left;  /* screen position of the first bin */
	struct tally_timeline timeline;
};

#endif
