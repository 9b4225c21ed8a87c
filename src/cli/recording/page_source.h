/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of source that instructions of a function are of, and what fell on them. */
#ifndef TALLY_CLI_RECORDING_PAGE_SOURCE_H
#define TALLY_CLI_RECORDING_PAGE_SOURCE_H

#include "base/map.h"
#include "profile/annotation.h"
#include "profile/source_texts.h"

/* Files of a function, those it was inlined from too, and lines of each. */
enum { PAGE_SOURCES_MAX = 6, PAGE_SOURCE_LINES_MAX = 500 };

struct page_source {
	const char *file;
	int place;            /* among the files whose text is here; -1: it is not */
	uint32_t first, last; /* lines of instructions */
	uint32_t heaviest;
	struct tally_map weights; /* by line */
};

struct page_sources {
	struct page_source all[PAGE_SOURCES_MAX];
	uint32_t nr;
};

/* What `event` has on lines. 0 or -ENOMEM; free it in any case. */
int page_sources_find(const struct tally_annotation *annotation, uint32_t event,
		      struct page_sources *sources);
void page_sources_free(struct page_sources *sources);

/* Add the files whose text is here as "sources". */
void page_sources_json(struct page_sources *sources, struct tally_source_texts *texts,
		       struct tally_str *out);

/* Then add an instruction's line to the object that is open, if it is known, and the place of its
 * file among these. */
void page_sources_row_json(const struct page_sources *sources,
			   const struct tally_annotation_insn *insn, struct tally_str *out);

#endif
