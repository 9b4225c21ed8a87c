/* SPDX-License-Identifier: BSD-2-Clause */
/* The browser's filter: nested steps that select samples or rows. */
#ifndef TALLY_CLI_BROWSER_FILTER_H
#define TALLY_CLI_BROWSER_FILTER_H

#include "base/str.h"
#include "profile/query.h"
#include "profile/selection.h"

/* In the order in which they are displayed. */
enum browser_step_kind {
	BROWSER_ONLY_COMMAND,
	BROWSER_ONLY_PROCESS,
	BROWSER_ONLY_THREAD,
	BROWSER_ONLY_CPU,
	BROWSER_ONLY_FILE,
	BROWSER_ONLY_FUNCTION,
	BROWSER_ONLY_PART,   /* rows of functions with a substring in the name */
	BROWSER_ONLY_KERNEL, /* rows of the kernel */
	BROWSER_ONLY_SPAN,
	BROWSER_ONLY_QUERY, /* the only kind that may occur more than once */
	BROWSER_NR_STEPS,
};

struct browser_step {
	enum browser_step_kind kind;
	struct tally_query *query; /* NULL: none. Separate for each step, so that their terms do not
	                            * combine. */
	char *name;                /* displayed name of the selected thing */
	uint64_t number;           /* unique number of the step, from 1 */
};

/* Zero-initialised: no filter. */
struct browser_filter {
	TALLY_VEC(struct browser_step) steps;
	TALLY_VEC(const struct tally_query *) timed; /* queries that filter by time */
	uint64_t earliest, latest;                   /* range of all samples, ns */
	uint64_t first, last;                        /* range of the selected span, inclusive */
	uint64_t nr_made;                            /* number of steps ever made */
};

/* Find the times of the first and last sample. */
void browser_filter_start(struct browser_filter *filter, const struct tally_profile *profile);
void browser_filter_free(struct browser_filter *filter);

/* Add a step; it replaces a step of the same kind, except for queries. Returns 0; on error nothing
 * changed: -ENOMEM, or the error of tally_query_parse() with `err`. */
int browser_filter_push(struct browser_filter *filter, enum browser_step_kind kind,
			const char *words, const char *name, struct tally_error *err);

/* Remove the most recent step. Returns false without any. */
bool browser_filter_pop(struct browser_filter *filter);

/* Remove the step of a kind. Returns false if it does not exist. */
bool browser_filter_drop(struct browser_filter *filter, enum browser_step_kind kind);

/* Return a hash that identifies the current steps; 0 without any. */
uint64_t browser_filter_mark(const struct browser_filter *filter);

/* Return the step of a kind, or NULL. */
const struct browser_step *browser_filter_step(const struct browser_filter *filter,
					       enum browser_step_kind kind);

/* Return the options to select samples of an event, without `passes`. */
struct tally_selection_options browser_filter_options(const struct browser_filter *filter,
						      uint32_t event);

/* Select samples. Returns 0 or -ENOMEM; free with tally_selection_free(). */
int browser_filter_select(const struct browser_filter *filter, const struct tally_profile *profile,
			  uint32_t event, struct tally_selection *ret_selection);

/* Set `*ret_passes` to a byte for each bucket: nonzero if its samples pass the filter, disregarding
 * times. NULL: all pass. Returns 0 or -ENOMEM; the caller frees it. */
int browser_filter_passes(const struct browser_filter *filter, const struct tally_profile *profile,
			  uint8_t **ret_passes);

/* Append the filter as text, escaped: "only command cc1, file ..."; nothing without a filter. */
void browser_filter_text(const struct browser_filter *filter, struct tally_str *out);

#endif
