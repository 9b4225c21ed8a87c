/* SPDX-License-Identifier: BSD-2-Clause */
/* The heaviest functions, source lines and threads of a selection, for the browser's overview and
 * for the summary (summary_text.h). */
#ifndef TALLY_VIEW_TOP_LISTS_H
#define TALLY_VIEW_TOP_LISTS_H

#include "base/str.h"
#include "profile/hist.h"

enum tally_top_list {
	TALLY_TOP_SELF,  /* functions by their own cost */
	TALLY_TOP_TOTAL, /* functions by their cost with callees */
	TALLY_TOP_LINES, /* source lines by their own cost */
	TALLY_TOP_THREADS,
	TALLY_NR_TOP_LISTS
};

enum { TALLY_TOP_MAX = 40 };

struct tally_top_lists {
	const struct tally_profile *profile;
	struct tally_hist functions, lines, threads;
	/* Indexes into the rows above, heaviest first, and the length of each list. */
	uint32_t rows[TALLY_NR_TOP_LISTS][TALLY_TOP_MAX];
	uint32_t nr[TALLY_NR_TOP_LISTS];
};

/* Compute the lists. `selection` is NULL for all samples of the event. Without callchains, both
 * lists of functions are equal. The list of lines is empty if the profile has no lines. The caller
 * frees `*ret_lists` with tally_top_lists_free(). Returns 0 or -ENOMEM. */
int tally_top_lists_build(struct tally_profile *profile, uint32_t event,
			  const struct tally_selection *selection, bool has_chains,
			  struct tally_top_lists *ret_lists);
void tally_top_lists_free(struct tally_top_lists *lists);

/* Return row `i` of a list, and the period by which the list is sorted. */
const struct tally_row *tally_top_lists_row(const struct tally_top_lists *lists,
					    enum tally_top_list list, uint32_t i);
uint64_t tally_top_lists_period(const struct tally_top_lists *lists, enum tally_top_list list,
				uint32_t i);

/* Return the two columns before the function of a row: "i " if it is inlined. */
const char *tally_top_lists_mark(const struct tally_top_lists *lists, const struct tally_row *row);

/* Append the text of row `i` of a list, escaped and shortened to `columns` columns: a function, a
 * line such as "file.c:12  function", or a thread such as "1234 comm". `mark` replaces parts that
 * do not fit. */
void tally_top_lists_text(const struct tally_top_lists *lists, enum tally_top_list list, uint32_t i,
			  size_t columns, const char *mark, struct tally_str *out);

#endif
