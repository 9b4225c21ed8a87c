/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/browser/filter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/escape.h"

void browser_filter_start(struct browser_filter *filter, const struct tally_profile *profile)
{
	tally_vec_for_each (kept, &profile->kept) {
		if (!kept->time)
			continue;
		if (!filter->earliest || kept->time < filter->earliest)
			filter->earliest = kept->time;
		filter->latest = TALLY_MAX(filter->latest, kept->time);
	}
}

void browser_filter_free(struct browser_filter *filter)
{
	tally_vec_for_each (step, &filter->steps)
		free(*step);
	tally_vec_free(&filter->steps);
	tally_query_free(filter->query);
	*filter = (struct browser_filter){0};
}

/* The query of all steps and one more (NULL: none). */
static int query_make(const struct browser_filter *filter, const char *more,
		      struct tally_query **ret_query, struct tally_error *err)
{
	struct tally_str all = {0};
	int ret;

	*ret_query = NULL;
	tally_vec_for_each (step, &filter->steps)
		tally_str_addf(&all, "%s ", *step);
	tally_str_add(&all, more ? more : "");
	ret = tally_str_error(&all);
	if (!ret && all.len)
		ret = tally_query_parse(tally_str_text(&all), ret_query, err);
	tally_str_free(&all);
	if (!ret && *ret_query)
		tally_query_set_times(*ret_query, filter->earliest, filter->latest);
	return ret;
}

int browser_filter_push(struct browser_filter *filter, const char *words, struct tally_error *err)
{
	struct tally_query *query;
	char *copy = strdup(words);
	int ret = copy ? query_make(filter, NULL, &query, err) : -ENOMEM;

	/* By itself first: then the place of an error is one in what was typed. */
	if (!ret) {
		tally_query_free(query);
		ret = tally_query_parse(words, &query, err);
	}
	if (!ret) {
		tally_query_free(query);
		ret = query_make(filter, words, &query, err);
	}
	if (!ret && tally_vec_push(&filter->steps, copy)) {
		tally_query_free(query);
		ret = -ENOMEM;
	}
	if (ret) {
		free(copy);
		return ret;
	}
	tally_query_free(filter->query);
	filter->query = query;
	return 0;
}

bool browser_filter_pop(struct browser_filter *filter)
{
	struct tally_query *query = NULL;

	if (!filter->steps.len) {
		bool had_span = filter->has_span;

		filter->has_span = false;
		return had_span;
	}
	free(filter->steps.data[--filter->steps.len]);
	/* What was parsed once with more behind it is parsed again; without memory all goes. */
	if (query_make(filter, NULL, &query, NULL)) {
		while (filter->steps.len)
			free(filter->steps.data[--filter->steps.len]);
	}
	tally_query_free(filter->query);
	filter->query = query;
	return true;
}

int browser_filter_passes(const struct browser_filter *filter, const struct tally_profile *profile,
			  uint8_t **ret_passes)
{
	uint8_t *passes = NULL;
	int ret = 0;

	if (filter->query) {
		passes = calloc(profile->buckets.len + 1, 1);
		ret = passes ? tally_query_select(filter->query, profile, passes) : -ENOMEM;
	}
	if (ret)
		free(passes);
	else
		*ret_passes = passes;
	return ret;
}

int browser_filter_select(const struct browser_filter *filter, const struct tally_profile *profile,
			  uint32_t event, struct tally_selection *ret_selection)
{
	bool asks_time = filter->query && tally_query_needs(filter->query) & PERF_SAMPLE_TIME;
	struct tally_selection_options options = {
		.event = event,
		.is_timed = filter->has_span,
		.first = filter->first,
		.last = filter->last,
		.query = asks_time ? filter->query : NULL,
	};
	uint8_t *passes;
	int ret = browser_filter_passes(filter, profile, &passes);

	if (ret)
		return ret;
	options.passes = passes;
	ret = tally_selection_make(profile, &options, ret_selection);
	free(passes);
	return ret;
}

void browser_filter_text(const struct browser_filter *filter, struct tally_str *out)
{
	size_t start = out->len;

	if (filter->has_span)
		tally_str_addf(out, "%.3f s to %.3f s ",
			       (double)(filter->first - filter->earliest) / 1e9,
			       (double)(filter->last - filter->earliest) / 1e9);
	tally_vec_for_each (step, &filter->steps)
		tally_str_addf(out, "%s ", *step);
	if (out->len > start)
		out->data[--out->len] = '\0';
	tally_str_escape(out, start);
}
