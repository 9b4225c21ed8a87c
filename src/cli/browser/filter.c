/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/browser/filter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/escape.h"

/* What stands before a step's name. */
static const char *const kinds[BROWSER_NR_STEPS] = {
	[BROWSER_ONLY_COMMAND] = "command ",
	[BROWSER_ONLY_PROCESS] = "process ",
	[BROWSER_ONLY_THREAD] = "thread ",
	[BROWSER_ONLY_CPU] = "CPU ",
	[BROWSER_ONLY_FILE] = "file ",
	[BROWSER_ONLY_FUNCTION] = "function ",
	[BROWSER_ONLY_PART] = "functions with ",
	[BROWSER_ONLY_KERNEL] = "the kernel",
	[BROWSER_ONLY_SPAN] = "",
	[BROWSER_ONLY_QUERY] = "",
};

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

static void step_free(struct browser_step *step)
{
	free(step->words);
	free(step->name);
}

void browser_filter_free(struct browser_filter *filter)
{
	tally_vec_for_each (step, &filter->steps)
		step_free(step);
	tally_vec_free(&filter->steps);
	tally_query_free(filter->query);
	*filter = (struct browser_filter){0};
}

/* The query of all steps but those of a kind (BROWSER_NR_STEPS: of all), and of `more` (NULL: of
 * nothing more). */
static int query_make(const struct browser_filter *filter, enum browser_step_kind without,
		      const char *more, struct tally_query **ret_query, struct tally_error *err)
{
	struct tally_str all = {0};
	int ret;

	*ret_query = NULL;
	tally_vec_for_each (step, &filter->steps) {
		if (step->words && step->kind != without)
			tally_str_addf(&all, "%s ", step->words);
	}
	tally_str_add(&all, more ? more : "");
	ret = tally_str_error(&all);
	if (!ret && all.len)
		ret = tally_query_parse(tally_str_text(&all), ret_query, err);
	tally_str_free(&all);
	if (!ret && *ret_query)
		tally_query_set_times(*ret_query, filter->earliest, filter->latest);
	return ret;
}

/* By itself first: then the place of an error is one in what was typed. */
static int words_check(const char *words, struct tally_error *err)
{
	struct tally_query *query;
	int ret = words ? tally_query_parse(words, &query, err) : 0;

	if (words && !ret)
		tally_query_free(query);
	return ret;
}

static int step_make(enum browser_step_kind kind, const char *words, const char *name,
		     struct browser_step *ret_step)
{
	struct browser_step step = {kind, words ? strdup(words) : NULL, strdup(name ? name : "")};

	if (!step.name || (words && !step.words)) {
		step_free(&step);
		return -ENOMEM;
	}
	*ret_step = step;
	return 0;
}

static void steps_remove(struct browser_filter *filter, enum browser_step_kind kind)
{
	size_t left = 0;

	for (size_t i = 0; i < filter->steps.len; i++) {
		if (filter->steps.data[i].kind == kind)
			step_free(&filter->steps.data[i]);
		else
			filter->steps.data[left++] = filter->steps.data[i];
	}
	filter->steps.len = left;
}

int browser_filter_push(struct browser_filter *filter, enum browser_step_kind kind,
			const char *words, const char *name, struct tally_error *err)
{
	enum browser_step_kind without = kind == BROWSER_ONLY_QUERY ? BROWSER_NR_STEPS : kind;
	struct tally_query *query = NULL;
	struct browser_step step;
	int ret = words_check(words, err);

	if (!ret)
		ret = step_make(kind, words, name, &step);
	if (ret)
		return ret;
	ret = query_make(filter, without, words, &query, err);
	if (!ret)
		ret = tally_vec_reserve(&filter->steps, filter->steps.len + 1);
	if (ret) {
		tally_query_free(query);
		step_free(&step);
		return ret;
	}
	steps_remove(filter, without);
	filter->steps.data[filter->steps.len++] = step;
	tally_query_free(filter->query);
	filter->query = query;
	return 0;
}

/* What was parsed once with more in it is parsed again; without memory for that all goes. */
static void query_again(struct browser_filter *filter)
{
	struct tally_query *query = NULL;

	if (query_make(filter, BROWSER_NR_STEPS, NULL, &query, NULL)) {
		while (filter->steps.len)
			step_free(&filter->steps.data[--filter->steps.len]);
	}
	tally_query_free(filter->query);
	filter->query = query;
}

bool browser_filter_pop(struct browser_filter *filter)
{
	if (!filter->steps.len)
		return false;
	step_free(&filter->steps.data[--filter->steps.len]);
	query_again(filter);
	return true;
}

bool browser_filter_drop(struct browser_filter *filter, enum browser_step_kind kind)
{
	size_t nr = filter->steps.len;

	steps_remove(filter, kind);
	if (filter->steps.len == nr)
		return false;
	query_again(filter);
	return true;
}

const struct browser_step *browser_filter_step(const struct browser_filter *filter,
					       enum browser_step_kind kind)
{
	tally_vec_for_each (step, &filter->steps) {
		if (step->kind == kind)
			return step;
	}
	return NULL;
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
		.is_timed = browser_filter_step(filter, BROWSER_ONLY_SPAN) != NULL,
		.first = filter->first,
		.last = filter->last,
		.query = asks_time ? filter->query : NULL,
		.copies = profile->options.is_live,
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

	for (int kind = 0; kind < BROWSER_NR_STEPS; kind++) {
		tally_vec_for_each (step, &filter->steps) {
			if (step->kind == (enum browser_step_kind)kind)
				tally_str_addf(out, "%s%s%s", out->len > start ? ", " : "only ",
					       kinds[kind], step->name);
		}
	}
	tally_str_escape(out, start);
}
