/* SPDX-License-Identifier: BSD-2-Clause */
/* A cache of previous selections and the data derived from them, which avoids counting all samples
 * again when the user goes back. Not used for live profiles. */
#ifndef TALLY_CLI_BROWSER_SELECTION_CACHE_H
#define TALLY_CLI_BROWSER_SELECTION_CACHE_H

#include "cli/browser/lists.h"
#include "cli/browser/browser_table.h"
#include "profile/selection.h"

struct browser;

/* A selection and the data derived from it. */
struct browser_cached_selection {
	uint64_t mark;       /* browser_filter_mark() of the selection's filter steps */
	uint64_t generation; /* generation of the selection; 0 if the entry is unused */
	uint32_t event;
	bool has_chains;
	struct tally_selection selection;
	struct tally_chains chains; /* valid if has_chains */
	struct browser_lists lists;
	struct browser_rows rows;
};

enum { BROWSER_CACHE_MAX = 3 };

struct browser_cache {
	struct browser_cached_selection all[BROWSER_CACHE_MAX];
};

/* Move the browser's current selection to the cache, replacing the smallest entry. */
void browser_cache_store(struct browser_cache *kept, struct browser *browser);

/* If the selection for the current filter and event is in the cache, make it the current selection.
 * Return false if it is neither current nor in the cache. */
bool browser_cache_restore(struct browser_cache *kept, struct browser *browser);

void browser_cache_free(struct browser_cache *kept);

#endif
