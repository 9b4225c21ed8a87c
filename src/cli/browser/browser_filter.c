/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/browser/browser_filter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/escape.h"
#include "base/hash.h"

/* Prefixes for the names of steps, indexed by kind. */
static const char *const kinds[BROWSER_NR_STEPS] = {
	[BROWSER_ONLY_COMMAND] = "command ",
	[BROWSER_ONLY_PROCESS] = "process ",
	[BROWSER_ONLY_THREAD] = "thread ",
	[BROWSER_ONLY_CPU] = "CPU ",
	[BROWSER_ONLY_FILE] = "file ",
	[BROWSER_ONLY_FUNCTION] = "function ",
	[BROWSER_ONLY_PART] = "functions containing ",
	[BROWSER_ONLY_KERNEL] = "the kernel",
	[BROWSER_ONLY_SPAN] = "",
	[BROWSER_ONLY_QUERY] = "",
	[BROWSER_MERGED] = "",
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
	tally_query_free(step->query);
	free(step->name);
}

void browser_filter_free(struct browser_filter *filter)
{
	tally_vec_for_each (step, &filter->steps)
		step_free(step);
	tally_vec_free(&filter->steps);
	tally_vec_free(&filter->timed);
	tally_vec_free(&filter->merged);
	*filter = (struct browser_filter){0};
}

static int step_make(const struct browser_filter *filter, enum browser_step_kind kind,
		     const char *words, const char *name, struct browser_step *ret_step,
		     struct tally_error *err)
{
	struct browser_step step = {.kind = kind, .name = strdup(name ? name : "")};
	int ret = step.name ? 0 : -ENOMEM;

	if (!ret && words)
		ret = tally_query_parse(words, &step.query, err);
	if (ret) {
		free(step.name);
		return ret;
	}
	if (step.query)
		tally_query_set_times(step.query, filter->earliest, filter->latest);
	*ret_step = step;
	return 0;
}

/* Collect the steps that filter by time or merge functions. Space in the vectors has already been
 * reserved. */
static void timed_find(struct browser_filter *filter)
{
	filter->timed.len = filter->merged.len = 0;
	tally_vec_for_each (step, &filter->steps) {
		if (step->kind == BROWSER_MERGED)
			filter->merged.data[filter->merged.len++] = step->merged;
		if (step->query && tally_query_needs(step->query) & PERF_SAMPLE_TIME)
			filter->timed.data[filter->timed.len++] = step->query;
	}
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

/* Add a step, which belongs to the filter afterwards. If it cannot be added, it is freed. */
static int step_add(struct browser_filter *filter, struct browser_step *step)
{
	size_t nr = filter->steps.len + 1;

	if (tally_vec_reserve(&filter->steps, nr) || tally_vec_reserve(&filter->timed, nr) ||
	    tally_vec_reserve(&filter->merged, nr)) {
		step_free(step);
		return -ENOMEM;
	}
	if (step->kind != BROWSER_ONLY_QUERY && step->kind != BROWSER_MERGED)
		steps_remove(filter, step->kind);
	step->number = ++filter->nr_made;
	filter->steps.data[filter->steps.len++] = *step;
	timed_find(filter);
	return 0;
}

int browser_filter_push(struct browser_filter *filter, enum browser_step_kind kind,
			const char *words, const char *name, struct tally_error *err)
{
	struct browser_step step;
	int ret = step_make(filter, kind, words, name, &step, err);

	return ret ? ret : step_add(filter, &step);
}

int browser_filter_merge(struct browser_filter *filter, uint64_t function, const char *name)
{
	struct browser_step step = {
		.kind = BROWSER_MERGED, .name = strdup(name), .merged = function};

	if (!step.name)
		return -ENOMEM;
	tally_vec_for_each (merged, &filter->merged) {
		if (*merged == function) {
			step_free(&step);
			return 0;
		}
	}
	return step_add(filter, &step);
}

struct tally_fold browser_filter_fold(const struct browser_filter *filter)
{
	return (struct tally_fold){filter->folds, filter->merged.data, filter->merged.len};
}

bool browser_filter_pop(struct browser_filter *filter)
{
	if (!filter->steps.len)
		return false;
	step_free(&filter->steps.data[--filter->steps.len]);
	timed_find(filter);
	return true;
}

bool browser_filter_drop(struct browser_filter *filter, enum browser_step_kind kind)
{
	size_t nr = filter->steps.len;

	steps_remove(filter, kind);
	if (filter->steps.len == nr)
		return false;
	timed_find(filter);
	return true;
}

uint64_t browser_filter_mark(const struct browser_filter *filter)
{
	uint64_t mark = filter->folds;

	tally_vec_for_each (step, &filter->steps)
		mark = tally_hash_u64(step->number, mark);
	return mark;
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

/* Clear the bytes in `passes` for buckets that the query rejects; `judged` is scratch space. */
static int query_apply(const struct tally_query *query, const struct tally_profile *profile,
		       uint8_t *judged, uint8_t *passes)
{
	int ret = tally_query_select(query, profile, judged);

	for (size_t i = 0; i < profile->buckets.len && !ret; i++)
		passes[i] &= judged[i];
	return ret;
}

static bool has_queries(const struct browser_filter *filter)
{
	tally_vec_for_each (step, &filter->steps) {
		if (step->query)
			return true;
	}
	return false;
}

int browser_filter_passes(const struct browser_filter *filter, const struct tally_profile *profile,
			  uint8_t **ret_passes)
{
	size_t nr = profile->buckets.len;
	uint8_t *passes, *judged;
	int ret = 0;

	*ret_passes = NULL;
	if (!has_queries(filter))
		return 0;
	passes = malloc(nr + 1);
	judged = malloc(nr + 1);
	if (!passes || !judged)
		ret = -ENOMEM;
	else
		memset(passes, 1, nr);
	tally_vec_for_each (step, &filter->steps) {
		if (!ret && step->query)
			ret = query_apply(step->query, profile, judged, passes);
	}
	free(judged);
	if (ret)
		free(passes);
	else
		*ret_passes = passes;
	return ret;
}

struct tally_selection_options browser_filter_options(const struct browser_filter *filter,
						      uint32_t event)
{
	return (struct tally_selection_options){
		.event = event,
		.is_timed = browser_filter_step(filter, BROWSER_ONLY_SPAN) != NULL,
		.first = filter->first,
		.last = filter->last,
		.queries = filter->timed.data,
		.nr_queries = filter->timed.len,
	};
}

int browser_filter_select(const struct browser_filter *filter, struct tally_profile *profile,
			  uint32_t event, struct tally_selection *ret_selection)
{
	struct tally_selection_options options = browser_filter_options(filter, event);
	const struct tally_fold fold = browser_filter_fold(filter);
	uint8_t *passes;
	int ret = browser_filter_passes(filter, profile, &passes);

	if (ret)
		return ret;
	options.passes = passes;
	options.copies = profile->options.is_live;
	ret = tally_selection_build(profile, &options, ret_selection);
	free(passes);
	if (ret || !tally_fold_is_any(&fold))
		return ret;
	ret = tally_selection_fold(profile, &fold, ret_selection);
	if (ret)
		tally_selection_free(ret_selection);
	return ret;
}

/* Append the beginning of a part of the description. */
static void text_begin(size_t start, const char *first, const char *next, struct tally_str *out)
{
	tally_str_add(out, out->len > start ? next : first);
}

void browser_filter_text(const struct browser_filter *filter, struct tally_str *out)
{
	size_t start = out->len;

	for (int kind = 0; kind < BROWSER_NR_STEPS; kind++) {
		bool is_merged = kind == BROWSER_MERGED, is_first = true;

		tally_vec_for_each (step, &filter->steps) {
			if (step->kind != (enum browser_step_kind)kind)
				continue;
			if (!is_merged)
				text_begin(start, "only ", ", ", out);
			else if (is_first)
				text_begin(start, "folded: ", "; folded: ", out);
			else
				tally_str_add(out, ", ");
			tally_str_addf(out, "%s%s", kinds[kind], step->name);
			is_first = false;
		}
	}
	if (filter->folds & TALLY_FOLD_FOREIGN)
		text_begin(start, "just my code (m)", ", just my code (m)", out);
	if (filter->folds & TALLY_FOLD_INLINED)
		text_begin(start, "inlined functions folded (I)", ", inlined functions folded (I)",
			   out);
	tally_str_escape(out, start);
}
