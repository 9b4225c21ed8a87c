/* SPDX-License-Identifier: BSD-2-Clause */
/* Source lines for a function's instructions, with costs. */
#ifndef TALLY_PAGE_PAGE_SOURCE_H
#define TALLY_PAGE_PAGE_SOURCE_H

#include "base/map.h"
#include "profile/annotate/annotation.h"
#include "profile/annotate/source_texts.h"

/* Maximum number of files per function (including files of inlined code), of those with text, and
 * of lines per file. */
enum { PAGE_SOURCES_MAX = 32, PAGE_SOURCE_TEXTS_MAX = 6, PAGE_SOURCE_LINES_MAX = 500 };

struct page_source {
	const char *file;
	int place;            /* index in the JSON array "sources", or -1 if it is not there */
	uint32_t first, last; /* range of lines with instructions */
	uint32_t heaviest;
	uint64_t weight;          /* sum of all lines */
	struct tally_map weights; /* indexed by line number */
};

struct page_sources {
	struct page_source all[PAGE_SOURCES_MAX];
	uint32_t nr;
};

/* Collect the costs of `event` by source line. Returns 0 or -ENOMEM; call page_sources_free() in
 * either case. */
int page_sources_find(const struct tally_annotation *annotation, uint32_t event,
		      struct page_sources *sources);
void page_sources_free(struct page_sources *sources);

/* Add the array "sources" with the files for which the text or a cost is known. */
void page_sources_json(struct page_sources *sources, struct tally_source_texts *texts,
		       struct tally_str *out);

/* Add an instruction's source line, if known, and the index of its file in "sources" to the open
 * JSON object. Must be called after page_sources_json(). */
void page_sources_row_json(const struct page_sources *sources,
			   const struct tally_annotation_insn *insn, struct tally_str *out);

#endif
