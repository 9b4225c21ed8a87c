/* SPDX-License-Identifier: BSD-2-Clause */
/* The internal state of a page. */
#ifndef TALLY_PAGE_PRIVATE_H
#define TALLY_PAGE_PRIVATE_H

#include "base/intern.h"
#include "page/column.h"
#include "page/page.h"
#include "profile/diff/file_names.h"
#include "profile/profile_path.h"

struct page_recording {
	char *name;
	uint64_t origin, samples;
	char *header, *health;
};

/* The files of the first recording, to which those of the second one are compared. */
struct page_files {
	struct tally_file_names names;
	/* Indexed by name: the path's string, PAGE_PATH_NONE, or PAGE_PATH_SEVERAL if several files
	 * have the name. */
	TALLY_VEC(uint32_t) paths;
	struct tally_map known; /* paths, by string */
};

/* The variants of the functions with the same words. A variant is a name with parameters, which
 * distinguishes overloads. */
struct page_variant {
	uint32_t first; /* the first variant, in `variant_names` */
	uint32_t nr;    /* number of variants; 2 means two or more */
};

/* The functions of one or more recordings, by the words of their frames (page_variants.c). */
struct page_variants {
	struct tally_intern words;
	TALLY_VEC(struct page_variant) all; /* indexed like `words` */
};

enum { PAGE_PATH_NONE = 0, PAGE_PATH_SEVERAL = UINT32_MAX };

struct tally_html {
	struct tally_html_options options;
	struct page_column columns[PAGE_NR_COLUMNS];
	/* Frames, threads and events are stored as the bytes of their identifying words
	 * (page_table.h). */
	struct tally_intern strings, frames, threads, events;
	struct tally_paths nodes; /* nodes of the call tree */
	struct page_files files;
	struct tally_intern variant_names;
	struct page_variants variants; /* of all recordings */
	TALLY_VEC(struct page_recording) recordings;
	uint32_t *last_events; /* indexed by event of the last recording: number in the page + 1 */
	uint32_t *last_frames; /* indexed by frame of the last recording: number in the page + 1 */
	uint64_t unit;         /* time unit in ns; 0 if there are no timestamps yet */
	uint64_t nr_cut_strings, nr_cut_weights;
	struct tally_str notes;    /* one note per line */
	struct tally_str verdicts; /* JSON objects, separated by commas */
};

#endif
