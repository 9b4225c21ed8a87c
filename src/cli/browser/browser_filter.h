/* SPDX-License-Identifier: BSD-2-Clause */
/* The browser's filter: nested steps that select samples or rows. */
#ifndef TALLY_CLI_BROWSER_FILTER_H
#define TALLY_CLI_BROWSER_FILTER_H

#include "base/str.h"
#include "profile/fold.h"
#include "profile/query.h"
#include "profile/selection.h"

/* Kinds of steps, in the order in which they are displayed. */
enum browser_step_kind {
	BROWSER_ONLY_COMMAND,
	BROWSER_ONLY_PROCESS,
	BROWSER_ONLY_THREAD,
	BROWSER_ONLY_CPU,
	BROWSER_ONLY_FILE,
	BROWSER_ONLY_FUNCTION,
	BROWSER_ONLY_PART,   /* rows with this substring in the function name */
	BROWSER_ONLY_KERNEL, /* kernel rows */
	BROWSER_ONLY_SPAN,
	BROWSER_ONLY_QUERY, /* may occur more than once */
	BROWSER_MERGED,     /* a function is folded into its callers; may occur more than once */
	BROWSER_NR_STEPS,
};

struct browser_step {
	enum browser_step_kind kind;
	/* The step's own query, or NULL. Queries are not shared, so that the terms of different
	 * steps are not combined. */
	struct tally_query *query;
	char *name;      /* displayed name of the selected item */
	uint64_t number; /* unique number of the step, from 1 */
	uint64_t merged; /* for BROWSER_MERGED: tally_frame_function() */
};

/* The steps of the filter. A zero-initialised structure has no steps. */
struct browser_filter {
	TALLY_VEC(struct browser_step) steps;
	TALLY_VEC(const struct tally_query *) timed; /* queries that filter by time */
	TALLY_VEC(uint64_t) merged;                  /* of the steps BROWSER_MERGED */
	uint64_t earliest, latest;                   /* range of all samples, ns */
	uint64_t first, last;                        /* range of the selected span, inclusive */
	uint64_t nr_made;                            /* number of steps created so far */
	unsigned folds; /* TALLY_FOLD_*: functions that are folded into their callers */
};

/* Find the timestamps of the first and last samples. */
void browser_filter_start(struct browser_filter *filter, const struct tally_profile *profile);
void browser_filter_free(struct browser_filter *filter);

/* Add a step. It replaces a step of the same kind, except for queries. Return 0; -ENOMEM; or the
 * error from tally_query_parse() with `err` filled in. On error nothing is changed. */
int browser_filter_push(struct browser_filter *filter, enum browser_step_kind kind,
			const char *words, const char *name, struct tally_error *err);

/* Add a step BROWSER_MERGED, unless there already is one for the function. Return 0 or -ENOMEM. */
int browser_filter_merge(struct browser_filter *filter, uint64_t function, const char *name);

/* Return which functions are folded. Valid until the filter is changed. */
struct tally_fold browser_filter_fold(const struct browser_filter *filter);

/* Remove the most recent step. Return false if there are no steps. */
bool browser_filter_pop(struct browser_filter *filter);

/* Remove the step of the given kind. Return false if the filter has none. */
bool browser_filter_drop(struct browser_filter *filter, enum browser_step_kind kind);

/* Return a hash that identifies the current steps and folds, or 0 if there are none. */
uint64_t browser_filter_mark(const struct browser_filter *filter);

/* Return the step of this kind, or NULL. */
const struct browser_step *browser_filter_step(const struct browser_filter *filter,
					       enum browser_step_kind kind);

/* Return the options for selecting an event's samples, without `passes`. */
struct tally_selection_options browser_filter_options(const struct browser_filter *filter,
						      uint32_t event);

/* Select samples. Return 0 or -ENOMEM. Free the selection with tally_selection_free(). */
int browser_filter_select(const struct browser_filter *filter, struct tally_profile *profile,
			  uint32_t event, struct tally_selection *ret_selection);

/* Set `*ret_passes` to an array with one byte per bucket, nonzero if the bucket's samples pass the
 * filter's queries, ignoring terms that filter by time. `*ret_passes` is NULL if no step has a
 * query. Return 0 or -ENOMEM; the caller frees the array. */
int browser_filter_passes(const struct browser_filter *filter, const struct tally_profile *profile,
			  uint8_t **ret_passes);

/* Append a description of the filter, escaped: "only command cc1, file ...". Append nothing if
 * there is no filter. */
void browser_filter_text(const struct browser_filter *filter, struct tally_str *out);

#endif
