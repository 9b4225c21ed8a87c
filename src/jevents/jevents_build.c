/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/arith.h"
#include "jevents/jevents_build.h"
#include "jevents/jevents_check.h"
#include "jevents/jevents_event.h"
#include "jevents/pool.h"

enum {
	PMUS_MAX = 1000, /* per model; real trees have about twenty */
	ROWS_MAX = TALLY_SLOT_ROWS_MAX,
	TRAITS_MAX = UINT16_MAX, /* real trees have about two hundred */
};

/* Traits with the pool IDs of their strings. Two keys are bytewise equal if the traits are
 * equal. */
struct traits_key {
	uint32_t topic, unit, compat, counters, fixed, flags;
};

/* A row of the event table: one string with the name and descriptions, and the traits. */
struct event_row {
	const struct tally_raw_event *raw;
	uint32_t texts; /* ID in the pool */
	uint32_t traits;
};

struct build {
	struct tally_reading *reading;
	TALLY_VEC(struct tally_raw_event) raws;
	TALLY_VEC(const struct tally_raw_event *) events, metrics; /* sorted */
	TALLY_VEC(const char *) pmus;                              /* sorted */
	TALLY_VEC(struct event_row) rows;                          /* one per event */
	struct tally_intern traits;                                /* interned struct traits_key */
	struct tally_pool pool;
	const char *arch, *name;
	struct tally_model *model;
};

/* Maps a string in a raw event to a row member. */
struct text_field {
	uint16_t raw, row;
	bool near; /* the member is 16 bits wide */
};

#define FAR(type, from, to)                                                              \
	{                                                                                \
		offsetof(struct tally_raw_event, from), offsetof(struct type, to), false \
	}
#define CLOSE(type, from, to)                                                           \
	{                                                                               \
		offsetof(struct tally_raw_event, from), offsetof(struct type, to), true \
	}

static const struct text_field metric_texts[] = {
	FAR(tally_model_metric, metric, name),
	FAR(tally_model_metric, expr, expr),
	FAR(tally_model_metric, threshold, threshold),
	FAR(tally_model_metric, desc, desc),
	FAR(tally_model_metric, long_desc, long_desc),
	FAR(tally_model_metric, groups, groups),
	CLOSE(tally_model_metric, no_groups, no_groups),
	CLOSE(tally_model_metric, default_group, default_group),
	CLOSE(tally_model_metric, unit, unit),
	CLOSE(tally_model_metric, compat, compat),
};

static const char *raw_text(const struct tally_raw_event *raw, const struct text_field *field)
{
	return *(const char *const *)((const char *)raw + field->raw);
}

static int text_add(struct build *build, const char *text, bool near, uint32_t *ret_id)
{
	return tally_pool_add(&build->pool, text, strlen(text), near, ret_id);
}

static int texts_add(struct build *build, const struct tally_raw_event *raw,
		     const struct text_field *fields, size_t nr)
{
	uint32_t id;
	int ret = 0;

	for (size_t i = 0; i < nr && !ret; i++)
		ret = text_add(build, raw_text(raw, &fields[i]), fields[i].near, &id);
	return ret;
}

/* Return a string's offset in the pool. The string must have been added before the pool was laid
 * out. */
static uint32_t offset_of(struct build *build, const char *text)
{
	uint32_t id = 0;

	text_add(build, text, false, &id);
	return build->pool.offsets.data[id];
}

static int traits_add(struct build *build, const struct tally_raw_event *raw, uint32_t *ret_traits)
{
	struct traits_key key = {
		.counters = raw->counters, .fixed = raw->fixed, .flags = raw->flags};
	int ret = text_add(build, raw->topic, true, &key.topic);

	if (!ret)
		ret = text_add(build, raw->unit, true, &key.unit);
	if (!ret)
		ret = text_add(build, raw->compat, true, &key.compat);
	if (!ret)
		ret = tally_intern(&build->traits, (const char *)&key, sizeof(key), ret_traits);
	return ret;
}

/* Add an event's strings: its name followed by its descriptions. */
static int event_add(struct build *build, const struct tally_raw_event *raw)
{
	struct event_row row = {.raw = raw};
	struct tally_str texts = {0};
	uint32_t terms;
	int ret;

	tally_str_add_bytes(&texts, raw->name, strlen(raw->name) + 1);
	tally_str_add_bytes(&texts, raw->desc, strlen(raw->desc) + 1);
	tally_str_add(&texts, raw->long_desc);
	ret = tally_str_error(&texts);
	if (!ret)
		ret = tally_pool_add(&build->pool, texts.data, texts.len, false, &row.texts);
	if (!ret)
		ret = text_add(build, raw->terms, false, &terms);
	if (!ret)
		ret = traits_add(build, raw, &row.traits);
	if (!ret)
		ret = tally_vec_push(&build->rows, row);
	tally_str_free(&texts);
	return ret;
}

static void texts_write(struct build *build, const struct tally_raw_event *raw,
			const struct text_field *fields, size_t nr, void *row)
{
	for (size_t i = 0; i < nr; i++) {
		uint32_t offset = offset_of(build, raw_text(raw, &fields[i]));
		uint16_t near = offset;
		char *at = (char *)row + fields[i].row;

		if (fields[i].near)
			memcpy(at, &near, sizeof(near));
		else
			memcpy(at, &offset, sizeof(offset));
	}
}

static int event_compare(const void *a, const void *b)
{
	const struct tally_raw_event *left = *(const struct tally_raw_event *const *)a;
	const struct tally_raw_event *right = *(const struct tally_raw_event *const *)b;
	int order = strcmp(left->pmu, right->pmu);

	if (!order)
		order = strcmp(left->name, right->name);
	return order ? order : (left > right) - (left < right);
}

static int metric_compare(const void *a, const void *b)
{
	const struct tally_raw_event *left = *(const struct tally_raw_event *const *)a;
	const struct tally_raw_event *right = *(const struct tally_raw_event *const *)b;
	int order = strcmp(left->pmu, right->pmu);

	if (!order)
		order = strcasecmp(left->metric, right->metric);
	if (!order)
		order = strcmp(left->metric, right->metric);
	return order ? order : (left > right) - (left < right);
}

static int text_compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int group_compare(const void *a, const void *b)
{
	return strcmp(((const struct tally_raw_group *)a)->name,
		      ((const struct tally_raw_group *)b)->name);
}

static int raws_make(struct build *build)
{
	struct tally_reading *reading = build->reading;
	struct tally_raw_event raw;
	int ret = 0, wrong = 0;

	for (size_t i = 0; i < reading->entries.len && !ret; i++) {
		ret = tally_raw_event_build(&reading->entries.data[i], &reading->arena, &raw);
		if (!ret && reading->core_pmu && !reading->entries.data[i].values[TALLY_KEY_Unit])
			raw.pmu = reading->core_pmu;
		if (!ret)
			ret = tally_vec_push(&build->raws, raw);
		if (ret == -EINVAL) {
			wrong = ret;
			ret = 0;
		}
	}
	return ret ? ret : wrong;
}

/* Remove raw events that come from files with errors, if the reading omits such files. */
static int invalid_remove(struct build *build, int ret)
{
	size_t kept = 0;

	if ((ret && ret != -EINVAL) || !build->reading->leave_out)
		return ret;
	tally_vec_for_each (raw, &build->raws) {
		if (!tally_source_is_wrong(raw->source))
			build->raws.data[kept++] = *raw;
	}
	build->raws.len = kept;
	return 0;
}

/* Collect and sort the event and metric rows. */
static int rows_collect(struct build *build)
{
	int ret = 0;

	tally_vec_for_each (raw, &build->raws) {
		if (*raw->name)
			ret = tally_vec_push(&build->events, raw);
		if (!ret && *raw->metric && *raw->expr)
			ret = tally_vec_push(&build->metrics, raw);
		if (!ret && (*raw->name || *raw->metric))
			ret = tally_vec_push(&build->pmus, raw->pmu);
		if (ret)
			return ret;
	}
	if (build->events.len)
		qsort(build->events.data, build->events.len, sizeof(*build->events.data),
		      event_compare);
	if (build->metrics.len)
		qsort(build->metrics.data, build->metrics.len, sizeof(*build->metrics.data),
		      metric_compare);
	if (build->reading->groups.len)
		qsort(build->reading->groups.data, build->reading->groups.len,
		      sizeof(*build->reading->groups.data), group_compare);
	return 0;
}

static void pmus_unique(struct build *build)
{
	size_t kept = 0;

	if (!build->pmus.len)
		return;
	qsort(build->pmus.data, build->pmus.len, sizeof(*build->pmus.data), text_compare);
	for (size_t i = 0; i < build->pmus.len; i++)
		if (!kept || strcmp(build->pmus.data[kept - 1], build->pmus.data[i]))
			build->pmus.data[kept++] = build->pmus.data[i];
	build->pmus.len = kept;
}

static int pool_fill(struct build *build)
{
	struct tally_pool *pool = &build->pool;
	uint32_t id;
	int ret = text_add(build, build->arch, false, &id);

	if (!ret)
		ret = text_add(build, build->name, false, &id);
	for (size_t i = 0; i < build->pmus.len && !ret; i++)
		ret = text_add(build, build->pmus.data[i], false, &id);
	for (size_t i = 0; i < build->events.len && !ret; i++)
		ret = event_add(build, build->events.data[i]);
	for (size_t i = 0; i < build->metrics.len && !ret; i++)
		ret = texts_add(build, build->metrics.data[i], metric_texts,
				TALLY_ARRAY_SIZE(metric_texts));
	tally_vec_for_each (group, &build->reading->groups) {
		if (!ret)
			ret = text_add(build, group->name, false, &id);
		if (!ret)
			ret = text_add(build, group->desc, false, &id);
	}
	if (!ret && build->traits.strings.len > TRAITS_MAX)
		ret = -E2BIG;
	return ret ? ret : tally_pool_layout(pool);
}

/* Return the number of slots for `nr` names. About two thirds of the slots will be used. The number
 * is even: the strings follow at a multiple of four bytes. */
static uint32_t slots_for(size_t nr)
{
	return nr ? tally_round_up(nr + nr / 2 + 1, 2) : 0;
}

static size_t slot_size(size_t nr)
{
	return nr > TALLY_SLOT_NARROW_ROWS_MAX ? sizeof(uint32_t) : sizeof(uint16_t);
}

static struct tally_model_span span_allot(uint64_t *at, size_t nr, size_t size)
{
	struct tally_model_span span = {*at, nr};

	*at += (uint64_t)nr * size;
	return span;
}

/* Allocate the model with empty tables. The pool must have been laid out, because it determines the
 * model's size and offsets. */
static int model_alloc(struct build *build)
{
	struct tally_model head = {0};
	uint64_t at = sizeof(head);

	head.pmus = span_allot(&at, build->pmus.len, sizeof(struct tally_model_pmu));
	head.events = span_allot(&at, build->events.len, sizeof(struct tally_model_event));
	head.traits = span_allot(&at, build->traits.strings.len, sizeof(struct tally_model_traits));
	head.metrics = span_allot(&at, build->metrics.len, sizeof(struct tally_model_metric));
	head.groups = span_allot(&at, build->reading->groups.len, sizeof(struct tally_model_group));
	head.slots = span_allot(&at, slots_for(build->events.len), slot_size(build->events.len));
	head.pool = span_allot(&at, build->pool.bytes.len, 1);
	if (at > UINT32_MAX)
		return -E2BIG;
	head.size = at;
	head.arch = offset_of(build, build->arch);
	head.name = offset_of(build, build->name);
	build->model = calloc(1, at);
	if (!build->model)
		return -ENOMEM;
	*build->model = head;
	return 0;
}

static void *row_at(struct build *build, struct tally_model_span span, size_t size, size_t index)
{
	return (char *)build->model + span.at + size * index;
}

static void slot_put(struct build *build, const struct tally_raw_event *raw, uint32_t row)
{
	uint32_t hash = tally_model_hash(raw->name, strlen(raw->name)), nr = build->model->slots.nr;
	uint32_t slot = tally_slot_tag(hash, build->model->events.nr) | (row + 1);
	uint32_t at = tally_slot_of(hash, nr);
	void *slots = row_at(build, build->model->slots, 1, 0);

	while (tally_model_slot(build->model, at))
		at = at + 1 < nr ? at + 1 : 0;
	if (build->model->events.nr > TALLY_SLOT_NARROW_ROWS_MAX)
		((uint32_t *)slots)[at] = slot;
	else
		((uint16_t *)slots)[at] = slot;
}

/* Return true if the previous row has the same name and PMU. Lookups find the first such row. */
static bool is_repeated(const struct build *build, size_t row)
{
	const struct tally_raw_event *const *event = &build->events.data[row];

	return row && !strcmp(event[0]->name, event[-1]->name) &&
	       !strcmp(event[0]->pmu, event[-1]->pmu);
}

static struct tally_model_pmu *pmu_row(struct build *build, uint32_t index)
{
	return row_at(build, build->model->pmus, sizeof(struct tally_model_pmu), index);
}

static void events_write(struct build *build)
{
	uint16_t pmu = 0;

	for (size_t i = 0; i < build->events.len; i++) {
		const struct tally_raw_event *raw = build->events.data[i];
		struct tally_model_event *row =
			row_at(build, build->model->events, sizeof(*row), i);

		while (strcmp(build->pmus.data[pmu], raw->pmu))
			pmu++;
		if (!pmu_row(build, pmu)->nr_events++)
			pmu_row(build, pmu)->first_event = i;
		row->pmu = pmu;
		row->name = build->pool.offsets.data[build->rows.data[i].texts];
		row->terms = offset_of(build, raw->terms);
		row->traits = build->rows.data[i].traits;
		if (!is_repeated(build, i))
			slot_put(build, raw, i);
	}
}

static void traits_write(struct build *build)
{
	const uint32_t *offsets = build->pool.offsets.data;

	for (uint32_t i = 0; i < build->traits.strings.len; i++) {
		struct tally_model_traits *row =
			row_at(build, build->model->traits, sizeof(*row), i);
		struct traits_key key;

		memcpy(&key, tally_intern_text(&build->traits, i), sizeof(key));
		*row = (struct tally_model_traits){.counters = key.counters,
						   .topic = offsets[key.topic],
						   .unit = offsets[key.unit],
						   .compat = offsets[key.compat],
						   .fixed = key.fixed,
						   .flags = key.flags};
	}
}

static void metrics_write(struct build *build)
{
	uint16_t pmu = 0;

	for (size_t i = 0; i < build->metrics.len; i++) {
		const struct tally_raw_event *raw = build->metrics.data[i];
		struct tally_model_metric *row =
			row_at(build, build->model->metrics, sizeof(*row), i);

		while (strcmp(build->pmus.data[pmu], raw->pmu))
			pmu++;
		if (!pmu_row(build, pmu)->nr_metrics++)
			pmu_row(build, pmu)->first_metric = i;
		row->pmu = pmu;
		row->constraint = raw->constraint;
		row->aggregation = raw->aggregation;
		texts_write(build, raw, metric_texts, TALLY_ARRAY_SIZE(metric_texts), row);
	}
}

static void model_write(struct build *build)
{
	const struct tally_raw_group *groups = build->reading->groups.data;

	for (size_t i = 0; i < build->pmus.len; i++)
		pmu_row(build, i)->name = offset_of(build, build->pmus.data[i]);
	events_write(build);
	traits_write(build);
	metrics_write(build);
	for (size_t i = 0; i < build->reading->groups.len; i++) {
		struct tally_model_group *row =
			row_at(build, build->model->groups, sizeof(*row), i);

		row->name = offset_of(build, groups[i].name);
		row->desc = offset_of(build, groups[i].desc);
	}
	memcpy((char *)build->model + build->model->pool.at, build->pool.bytes.data,
	       build->pool.bytes.len);
}

static void repeats_warn(const struct build *build)
{
	for (size_t i = 1; i < build->events.len; i++)
		if (is_repeated(build, i))
			tally_source_emit(build->events.data[i]->source, TALLY_DIAGNOSTIC_WARNING,
					  build->events.data[i]->offset,
					  "lookups find the first one", "duplicate event \"%s\"",
					  build->events.data[i]->name);
}

static int build_run(struct build *build, bool strict)
{
	int ret = invalid_remove(build, raws_make(build));

	if (!ret)
		ret = invalid_remove(build,
				     tally_metrics_canonical(build->raws.data, build->raws.len,
							     &build->reading->arena, strict));
	if (!ret)
		ret = rows_collect(build);
	if (ret)
		return ret;
	pmus_unique(build);
	if (build->pmus.len > PMUS_MAX || build->events.len > ROWS_MAX ||
	    build->metrics.len > ROWS_MAX)
		return -E2BIG;
	repeats_warn(build);
	ret = pool_fill(build);
	if (!ret)
		ret = model_alloc(build);
	if (ret)
		return ret;
	model_write(build);
	return tally_metrics_check(build->model, build->metrics.data, build->metrics.len, strict);
}

int tally_model_build(struct tally_reading *reading, const char *arch, const char *name,
		      bool system, bool strict, struct tally_model **ret_model)
{
	struct build build = {.reading = reading, .arch = arch, .name = name};
	int ret = build_run(&build, strict);

	if (ret == -E2BIG)
		tally_source_emit(
			&(struct tally_source){.path = name, .messages = reading->messages},
			TALLY_DIAGNOSTIC_ERROR, TALLY_SOURCE_WHOLE,
			"the limits are 1000 PMUs, a million rows, and 64 KiB of topics, units and "
			"other strings",
			"a limit of the tables is exceeded");
	if (ret) {
		free(build.model);
	} else {
		build.model->flags = system ? TALLY_MODEL_SYSTEM : 0;
		*ret_model = build.model;
	}
	tally_vec_free(&build.raws);
	tally_vec_free(&build.events);
	tally_vec_free(&build.metrics);
	tally_vec_free(&build.pmus);
	tally_vec_free(&build.rows);
	tally_intern_free(&build.traits);
	tally_pool_free(&build.pool);
	return ret;
}
