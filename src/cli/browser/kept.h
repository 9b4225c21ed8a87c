/* SPDX-License-Identifier: BSD-2-Clause */
/* What was looked at before, with what was made of it: whoever steps back into it need not wait
 * until a million samples have been counted once more. Of what is not live. */
#ifndef TALLY_CLI_BROWSER_KEPT_H
#define TALLY_CLI_BROWSER_KEPT_H

#include "cli/browser/lists.h"
#include "cli/browser/table.h"
#include "profile/selection.h"

struct browser;

/* A selection, and what was made of it so far. */
struct browser_looked_at {
	uint64_t mark;       /* browser_filter_mark() of the steps that lead to it */
	uint64_t generation; /* its own; 0: there is none */
	uint32_t event;
	bool has_chains;
	struct tally_selection selection;
	struct tally_chains chains; /* once has_chains */
	struct browser_lists lists;
	struct browser_rows rows;
};

enum { BROWSER_KEPT_MAX = 3 };

struct browser_kept {
	struct browser_looked_at all[BROWSER_KEPT_MAX];
};

/* Keep what the browser shows, in place of what was the least work to make. It shows nothing then.
 */
void browser_kept_put(struct browser_kept *kept, struct browser *browser);

/* Show what its filter and event lead to, if that is kept or shown already. False: it is not. */
bool browser_kept_take(struct browser_kept *kept, struct browser *browser);

void browser_kept_free(struct browser_kept *kept);

#endif
