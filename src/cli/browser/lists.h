/* SPDX-License-Identifier: BSD-2-Clause */
/* The heaviest threads and functions, for the overview and for the summary printed on exit. */
#ifndef TALLY_CLI_BROWSER_LISTS_H
#define TALLY_CLI_BROWSER_LISTS_H

#include "base/str.h"
#include "profile/hist.h"

struct browser;

enum browser_list { BROWSER_SELF, BROWSER_TOTAL, BROWSER_THREADS, BROWSER_NR_LISTS };

enum { BROWSER_LIST_MAX = 40 };

struct browser_lists {
	bool is_made;
	uint64_t generation; /* generation of the browser's selection */
	struct tally_hist functions, threads;
	uint32_t rows[BROWSER_NR_LISTS][BROWSER_LIST_MAX]; /* indices into the rows above, heaviest
	                                                    * first */
	uint32_t nr[BROWSER_NR_LISTS];
	enum browser_list focus;
	uint32_t cursor[BROWSER_NR_LISTS];
};

/* Compute the lists if the selection changed. Return 0 or -ENOMEM. */
int browser_lists_build(struct browser_lists *lists, struct browser *browser);
void browser_lists_free(struct browser_lists *lists);

/* Return row `i` of a list. */
const struct tally_row *browser_lists_row(const struct browser_lists *lists, enum browser_list list,
					  uint32_t i);

/* Append the escaped text of a line without its percentage: "name file" or "1234 comm". */
void browser_lists_text(const struct browser_lists *lists, const struct browser *browser,
			enum browser_list list, uint32_t i, size_t columns, const char *mark,
			struct tally_str *out);

/* Return the period of row `i`. */
uint64_t browser_lists_period(const struct browser_lists *lists, enum browser_list list,
			      uint32_t i);

#endif
