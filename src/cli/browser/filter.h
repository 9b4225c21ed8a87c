/* SPDX-License-Identifier: BSD-2-Clause */
/* What the browser looks at: steps, one inside the other, that choose among samples or rows. */
#ifndef TALLY_CLI_BROWSER_FILTER_H
#define TALLY_CLI_BROWSER_FILTER_H

#include "base/str.h"
#include "profile/query.h"
#include "profile/selection.h"

/* In the order in which they are told. */
enum browser_step_kind {
	BROWSER_ONLY_COMMAND,
	BROWSER_ONLY_PROCESS,
	BROWSER_ONLY_THREAD,
	BROWSER_ONLY_CPU,
	BROWSER_ONLY_FILE,
	BROWSER_ONLY_FUNCTION,
	BROWSER_ONLY_PART,   /* rows of functions with a part in their name */
	BROWSER_ONLY_KERNEL, /* rows of the kernel */
	BROWSER_ONLY_SPAN,
	BROWSER_ONLY_QUERY, /* the only one of which there may be several */
	BROWSER_NR_STEPS,
};

struct browser_step {
	enum browser_step_kind kind;
	struct tally_query *query; /* that it is; NULL: none. Each by itself: words of one may not
				    * become part of another's */
	char *name;                /* what is looked at alone, as people call it */
	uint64_t number;           /* of all that were ever made, from 1 */
};

/* All zero: everything. */
struct browser_filter {
	TALLY_VEC(struct browser_step) steps;
	TALLY_VEC(const struct tally_query *) timed; /* those that ask for times */
	uint64_t earliest, latest;                   /* of all samples, ns */
	uint64_t first, last;                        /* of the span, inclusive */
	uint64_t nr_made;                            /* steps */
};

/* Find when samples began and ended. */
void browser_filter_start(struct browser_filter *filter, const struct tally_profile *profile);
void browser_filter_free(struct browser_filter *filter);

/* Look closer; a step of the same kind is replaced. 0, or what is wrong and nothing changed:
 * -ENOMEM, or the error of tally_query_parse() with `err`. */
int browser_filter_push(struct browser_filter *filter, enum browser_step_kind kind,
			const char *words, const char *name, struct tally_error *err);

/* Undo the step that was made last. False: there was none. */
bool browser_filter_pop(struct browser_filter *filter);

/* The same of the step of a kind. */
bool browser_filter_drop(struct browser_filter *filter, enum browser_step_kind kind);

/* What tells these very steps from all others that there were; 0 without any. */
uint64_t browser_filter_mark(const struct browser_filter *filter);

/* The step of a kind; NULL: there is none. */
const struct browser_step *browser_filter_step(const struct browser_filter *filter,
					       enum browser_step_kind kind);

/* What it asks for of an event, but for `passes`. */
struct tally_selection_options browser_filter_options(const struct browser_filter *filter,
						      uint32_t event);

/* 0 or -ENOMEM. */
int browser_filter_select(const struct browser_filter *filter, const struct tally_profile *profile,
			  uint32_t event, struct tally_selection *ret_selection);

/* A byte for each bucket: whether its samples are looked at but for their times. NULL: all are. 0
 * or -ENOMEM; free it. */
int browser_filter_passes(const struct browser_filter *filter, const struct tally_profile *profile,
			  uint8_t **ret_passes);

/* What is looked at in words, escaped: "only command cc1, file ..."; nothing if it is everything.
 */
void browser_filter_text(const struct browser_filter *filter, struct tally_str *out);

#endif
