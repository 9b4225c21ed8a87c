/* SPDX-License-Identifier: BSD-2-Clause */
/* Completions of the last word of a query. */
#ifndef TALLY_CLI_BROWSER_COMPLETE_H
#define TALLY_CLI_BROWSER_COMPLETE_H

#include <stddef.h>

#include "base/vec.h"

struct browser;

struct browser_completions {
	TALLY_VEC(char *) texts; /* whole queries, best first */
	size_t next;             /* the one that is shown next */
};

/* Find completions of the last word of a query: fields, and the names of threads, functions and
 * files of the selection. Names that begin with the word are first, then those with a scope that
 * does, then all that contain it, in each case the heaviest first. Upper and lower case are equal.
 * Returns 0 or -ENOMEM, in which case there may be fewer completions. */
int browser_complete(struct browser *browser, const char *query, struct browser_completions *out);

void browser_completions_free(struct browser_completions *completions);

#endif
