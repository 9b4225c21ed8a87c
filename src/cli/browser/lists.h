/* SPDX-License-Identifier: BSD-2-Clause */
/* The lists of the overview, and their cursors. */
#ifndef TALLY_CLI_BROWSER_LISTS_H
#define TALLY_CLI_BROWSER_LISTS_H

#include "view/top_lists.h"

struct browser;

struct browser_lists {
	bool is_made;
	uint64_t generation; /* generation of the browser's selection */
	struct tally_top_lists top;
	enum tally_top_list focus;
	uint32_t cursor[TALLY_NR_TOP_LISTS];
};

/* Compute the lists if the selection changed. Return 0 or -ENOMEM. */
int browser_lists_build(struct browser_lists *lists, struct browser *browser);
void browser_lists_free(struct browser_lists *lists);

#endif
