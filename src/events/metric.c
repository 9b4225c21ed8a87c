/* SPDX-License-Identifier: BSD-2-Clause */
/* Select metrics by name, and build the list. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/arith.h"
#include "events/lookup.h"
#include "events/metric.h"
#include "events/events_error.h"

enum { MAX_METRICS = 1024 };

struct metric_memory {
	struct tally_metric_list list; /* must be first; returned to the caller */
	struct tally_arena arena;
	TALLY_VEC(struct tally_formula *) formulas;
};

static bool word_equals(struct tally_word word, const char *text, size_t len)
{
	return word.len == len && !strncasecmp(word.text, text, len);
}

/* Return true if the word is one of the groups in a list such as "Frontend;TopdownL1". */
static bool group_is(const char *groups, struct tally_word word)
{
	while (*groups) {
		size_t len = strcspn(groups, ";");

		if (word_equals(word, groups, len))
			return true;
		groups += len + (groups[len] == ';');
	}
	return false;
}

/* ---- selection ----------------------------------------------------------------- */

/* Return the kind of core that a metric's PMU belongs to, or NULL on machines with only one
 * kind. */
static const char *core_of(const struct tally_metric_maker *maker, const struct tally_table *table,
			   const struct tally_model_metric *row)
{
	const char *pmu =
		tally_model_text(table->model, tally_model_pmu(table->model, row->pmu)->name);

	if (maker->events_of->cores.len < 2)
		return NULL;
	return strcmp(pmu, "default_core") ? pmu : table->core;
}

static int draft_add(struct tally_metric_maker *maker, const struct tally_table *table,
		     const struct tally_model_metric *row, bool hidden)
{
	struct tally_metric_draft draft = {
		.table = table, .row = row, .core = core_of(maker, table, row), .hidden = hidden};

	tally_vec_for_each (other, &maker->drafts) {
		if (other->row == row && other->table == table)
			return 0;
	}
	if (maker->drafts.len == MAX_METRICS)
		return tally_metric_fail(maker, -E2BIG, "too many metrics", maker->word);
	return tally_vec_push(&maker->drafts, draft);
}

static int word_select(struct tally_metric_maker *maker, bool *ret_found)
{
	int ret = 0;

	tally_vec_for_each (table, &maker->events_of->tables.list) {
		const struct tally_model *model = table->model;

		for (uint32_t i = 0; i < model->metrics.nr && !ret; i++) {
			const struct tally_model_metric *row = tally_model_metric(model, i);
			const char *name = tally_model_text(model, row->name);

			if (!word_equals(maker->word, name, strlen(name)) &&
			    !group_is(tally_model_text(model, row->groups), maker->word))
				continue;
			*ret_found = true;
			ret = draft_add(maker, table, row, false);
		}
	}
	return ret;
}

/* Add the metrics that the drafts' thresholds refer to, recursively. */
static int thresholds_select(struct tally_metric_maker *maker)
{
	int ret = 0;

	for (size_t i = 0; i < maker->drafts.len && !ret; i++) {
		const struct tally_metric_draft draft = maker->drafts.data[i];
		const struct tally_model *model = draft.table->model;
		const char *at = tally_model_text(model, draft.row->threshold);
		struct tally_word word;

		while (!ret && tally_metric_name_next(&at, &word)) {
			char name[128];
			const struct tally_model_metric *row;

			snprintf(name, sizeof(name), "%.*s", (int)word.len, word.text);
			row = tally_model_metric_find(model, draft.row->pmu, name);
			ret = row ? draft_add(maker, draft.table, row, true) : 0;
		}
	}
	return ret;
}

static int word_unknown(struct tally_metric_maker *maker)
{
	const struct tally_tables *tables = &maker->events_of->tables;
	struct tally_suggest suggest;
	const char *name = tally_tables_name(tables);

	tally_metric_fail(maker, -ENOENT, "no such metric or metric group", maker->word);
	tally_suggest_start(&suggest, maker->word.text, maker->word.len);
	tally_vec_for_each (table, &tables->list) {
		const struct tally_model *model = table->model;

		for (uint32_t i = 0; i < model->metrics.nr; i++)
			tally_suggest_offer(
				&suggest,
				tally_model_text(model, tally_model_metric(model, i)->name));
		for (uint32_t i = 0; i < model->groups.nr; i++)
			tally_suggest_offer(
				&suggest,
				tally_model_text(model, tally_model_group(model, i)->name));
	}
	tally_error_near(maker->err, &suggest);
	if (*name)
		snprintf(maker->err->fix, sizeof(maker->err->fix),
			 "'tally list metrics' lists the metrics of %.64s", name);
	else
		snprintf(maker->err->fix, sizeof(maker->err->fix), "no event table for CPU '%.64s'",
			 tables->cpuid);
	return -ENOENT;
}

static int words_select(struct tally_metric_maker *maker, const char *text, size_t len)
{
	const char *at = text, *end = text + len;
	int ret = 0;

	do {
		const char *comma = memchr(at, ',', (size_t)(end - at));
		bool found = false;

		maker->word = (struct tally_word){at, (size_t)((comma ? comma : end) - at)};
		ret = maker->word.len ? word_select(maker, &found) : 0;
		if (!ret && !found)
			ret = word_unknown(maker);
		at = comma ? comma + 1 : NULL;
	} while (at && !ret);
	return ret;
}

/* ---- the list -------------------------------------------------------------------- */

static int index_compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Store the list indexes of the metric's events in two arrays: one is indexed like the maker's
 * event list, for evaluation, and the other is sorted. */
static int metric_places(struct tally_metric_maker *maker, const struct tally_metric_draft *draft,
			 struct tally_metric *metric)
{
	uint32_t *places =
		tally_arena_alloc(maker->arena, (maker->events.len + 1) * sizeof(*places));
	uint32_t *events =
		tally_arena_alloc(maker->arena, (draft->places.len + 1) * sizeof(*events));

	if (!places || !events)
		return -ENOMEM;
	memset(places, 0, (maker->events.len + 1) * sizeof(*places));
	for (size_t i = 0; i < draft->events.len; i++)
		places[draft->events.data[i]] = events[i] = draft->places.data[i];
	qsort(events, draft->places.len, sizeof(*events), index_compare);
	metric->places = places;
	metric->events = events;
	metric->nr_events = draft->places.len;
	return 0;
}

/* Copy a string from the tables, because the list may outlive `events`, which owns the tables. */
static const char *text_copy(struct tally_metric_maker *maker, const char *text)
{
	return tally_arena_strndup(maker->arena, text, strlen(text));
}

static int metric_make(struct tally_metric_maker *maker, const struct tally_metric_draft *draft,
		       struct tally_metric *metric)
{
	const struct tally_model *model = draft->table->model;
	const char *unit;

	metric->scale = tally_unit_split(tally_model_text(model, draft->row->unit), &unit);
	metric->name = text_copy(maker, tally_model_text(model, draft->row->name));
	metric->text = text_copy(maker, tally_model_text(model, draft->row->desc));
	metric->expression = text_copy(maker, tally_model_text(model, draft->row->expr));
	metric->threshold = text_copy(maker, tally_model_text(model, draft->row->threshold));
	metric->groups = text_copy(maker, tally_model_text(model, draft->row->groups));
	metric->hidden = draft->hidden;
	metric->unit = text_copy(maker, unit);
	metric->pmu = draft->core ? text_copy(maker, draft->core) : NULL;
	metric->together = draft->together;
	metric->formula = draft->formula;
	if (!metric->name || !metric->text || !metric->expression || !metric->unit ||
	    !metric->threshold || !metric->groups || (draft->core && !metric->pmu))
		return -ENOMEM;
	return metric_places(maker, draft, metric);
}

static int list_make(struct tally_metric_maker *maker, struct tally_metric_list *list)
{
	struct tally_str text = {0};
	int ret = tally_metrics_group(maker, &text);

	/* All metrics may be constant on this machine, but the list of events must not be empty. */
	if (!ret && !text.len)
		tally_str_add(&text, "dummy");
	if (!ret)
		ret = tally_str_error(&text);
	if (!ret)
		ret = tally_events_parse(maker->events_of, text.data, text.len, &list->events,
					 maker->err);
	tally_str_free(&text);
	if (ret)
		return ret;
	list->metrics =
		tally_arena_alloc(maker->arena, (maker->drafts.len + 1) * sizeof(*list->metrics));
	if (!list->metrics)
		return -ENOMEM;
	for (size_t i = 0; i < maker->drafts.len && !ret; i++) {
		list->metrics[i] = (struct tally_metric){0};
		ret = metric_make(maker, &maker->drafts.data[i], &list->metrics[i]);
	}
	list->nr = maker->drafts.len;
	return ret;
}

static int maker_run(struct tally_metric_maker *maker, const char *text, size_t len,
		     struct tally_metric_list *list)
{
	int ret = tally_tables_open(maker->events_of);

	if (ret)
		return tally_metric_fail(maker, ret, "cannot read the event tables",
					 (struct tally_word){text, 0});
	ret = tally_pmu_cores(maker->events_of);
	if (!ret)
		ret = words_select(maker, text, len);
	if (!ret && maker->flags & TALLY_METRICS_THRESHOLDS)
		ret = thresholds_select(maker);
	for (size_t i = 0; i < maker->drafts.len && !ret; i++) {
		struct tally_metric_draft *draft = &maker->drafts.data[i];
		const char *name = tally_model_text(draft->table->model, draft->row->name);

		maker->text = name;
		maker->word = (struct tally_word){name, strlen(name)};
		ret = tally_formula_build(maker, draft);
	}
	return ret ? ret : list_make(maker, list);
}

int tally_metrics_parse(struct tally_events *events, const char *text, size_t len, unsigned flags,
			struct tally_metric_list **ret_list, struct tally_event_error *err)
{
	struct tally_event_error ignored;
	struct metric_memory *memory = calloc(1, sizeof(*memory));
	struct tally_metric_maker maker = {.events_of = events, .text = text, .flags = flags};
	int ret;

	if (!memory)
		return -ENOMEM;
	maker.err = err ? err : &ignored;
	memset(maker.err, 0, sizeof(*maker.err));
	maker.arena = &memory->arena;
	events->only_pmu = events->metric_pmu;
	ret = maker_run(&maker, text, len, &memory->list);
	events->only_pmu = NULL;
	tally_vec_for_each (draft, &maker.drafts) {
		tally_vec_free(&draft->events);
		tally_vec_free(&draft->places);
	}
	tally_vec_free(&maker.drafts);
	tally_vec_free(&maker.events);
	memory->formulas.data = maker.formulas.data;
	memory->formulas.len = maker.formulas.len;
	memory->list.memory = memory;
	if (ret)
		tally_metric_list_free(&memory->list);
	else
		*ret_list = &memory->list;
	return ret;
}

void tally_metric_list_free(struct tally_metric_list *list)
{
	struct metric_memory *memory;

	if (!list)
		return;
	memory = list->memory;
	tally_vec_for_each (formula, &memory->formulas)
		tally_formula_free(*formula);
	tally_vec_free(&memory->formulas);
	tally_event_list_free(list->events);
	tally_arena_free(&memory->arena);
	free(memory);
}
