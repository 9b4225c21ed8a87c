/* SPDX-License-Identifier: BSD-2-Clause */
/* The internal state of a page. */
#ifndef TALLY_PAGE_PRIVATE_H
#define TALLY_PAGE_PRIVATE_H

#include "base/intern.h"
#include "page/column.h"
#include "page/page.h"
#include "profile/profile_path.h"

struct page_recording {
	char *name;
	uint64_t origin, samples;
	char *header, *health;
};

struct tally_html {
	struct tally_html_options options;
	struct page_column columns[PAGE_NR_COLUMNS];
	/* Frames, threads and events are stored as the bytes of their identifying words
	 * (page_table.h). */
	struct tally_intern strings, frames, threads, events;
	struct tally_paths nodes; /* nodes of the call tree */
	TALLY_VEC(struct page_recording) recordings;
	uint32_t *last_events; /* indexed by event of the last recording: number in the page + 1 */
	uint32_t *last_frames; /* indexed by frame of the last recording: number in the page + 1 */
	uint64_t unit;         /* time unit in ns; 0 if there are no timestamps yet */
	uint64_t nr_cut_strings, nr_cut_weights;
	struct tally_str notes; /* one note per line */
};

#endif
