/* SPDX-License-Identifier: BSD-2-Clause */
/* Which samples the browser looks at: steps of queries, one inside the other, and a span of time.
 */
#ifndef TALLY_CLI_BROWSER_FILTER_H
#define TALLY_CLI_BROWSER_FILTER_H

#include "base/str.h"
#include "profile/query.h"
#include "profile/selection.h"

/* All zero: everything. */
struct browser_filter {
	TALLY_VEC(char *) steps;   /* what each asks for, owned */
	struct tally_query *query; /* all of them; NULL: none */
	uint64_t earliest, latest; /* of all samples, ns */
	bool has_span;
	uint64_t first, last; /* of the span, inclusive */
};

/* Find when samples began and ended. */
void browser_filter_start(struct browser_filter *filter, const struct tally_profile *profile);
void browser_filter_free(struct browser_filter *filter);

/* Look closer, by the words of a query. 0, or what is wrong: -ENOMEM, or the error of
 * tally_query_parse() with `err`, and nothing changed. */
int browser_filter_push(struct browser_filter *filter, const char *words, struct tally_error *err);

/* Undo what was done last: a step, before that the span. False: there was nothing. */
bool browser_filter_pop(struct browser_filter *filter);

/* 0 or -ENOMEM. */
int browser_filter_select(const struct browser_filter *filter, const struct tally_profile *profile,
			  uint32_t event, struct tally_selection *ret_selection);

/* A byte for each bucket: whether its samples are looked at but for their times. NULL: all are. 0
 * or -ENOMEM; free it. */
int browser_filter_passes(const struct browser_filter *filter, const struct tally_profile *profile,
			  uint8_t **ret_passes);

/* What is looked at in words, escaped; nothing if it is everything. */
void browser_filter_text(const struct browser_filter *filter, struct tally_str *out);

#endif
