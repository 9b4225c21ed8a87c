/* SPDX-License-Identifier: BSD-2-Clause */
/* List the available events, in the order of enum tally_event_kind. */
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "abi/attr_name.h"
#include "base/arith.h"
#include "events/hwmon.h"
#include "events/names.h"
#include "events/tracefs.h"

struct list_walk {
	struct tally_events *events;
	const char *glob; /* NULL to list all */
	bool substring;
	tally_event_visit_fn *visit;
	void *data;
};

static bool name_fits(const struct list_walk *walk, const char *name)
{
	if (!walk->glob)
		return true;
	if (!name)
		return false;
	return walk->substring ? !!strcasestr(name, walk->glob)
			       : !fnmatch(walk->glob, name, FNM_CASEFOLD);
}

static int offer(const struct list_walk *walk, const struct tally_event_info *info)
{
	if (!name_fits(walk, info->name) && !name_fits(walk, info->alias))
		return 0;
	return walk->visit(info, walk->data);
}

static int generic_each(const struct list_walk *walk, uint32_t type, enum tally_event_kind kind)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < tally_nr_generic_events; i++) {
		const struct tally_generic_event *event = &tally_generic_events[i];

		if (event->type == type)
			ret = offer(walk, &(struct tally_event_info){.kind = kind,
								     .name = event->name,
								     .alias = event->alias,
								     .text = event->text,
								     .unit = "",
								     .type = type,
								     .config = event->config});
	}
	return ret;
}

static int hardware_each(const struct list_walk *walk)
{
	return generic_each(walk, PERF_TYPE_HARDWARE, TALLY_EVENT_HARDWARE);
}

static int software_each(const struct list_walk *walk)
{
	return generic_each(walk, PERF_TYPE_SOFTWARE, TALLY_EVENT_SOFTWARE);
}

static int cache_each(const struct list_walk *walk)
{
	enum { OPS = PERF_COUNT_HW_CACHE_OP_MAX, RESULTS = PERF_COUNT_HW_CACHE_RESULT_MAX };
	struct tally_event_info info = {
		.kind = TALLY_EVENT_CACHE, .unit = "", .type = PERF_TYPE_HW_CACHE};
	char name[TALLY_ATTR_NAME_MAX];
	int ret = 0;

	info.name = name;
	for (uint64_t i = 0; !ret && i < PERF_COUNT_HW_CACHE_MAX * OPS * RESULTS; i++) {
		info.config = i / (OPS * RESULTS) | (i / RESULTS % OPS) << 8 | (i % RESULTS) << 16;
		if (tally_cache_name(info.config, name))
			ret = offer(walk, &info);
	}
	return ret;
}

static int alias_offer(const struct list_walk *walk, const struct tally_pmu *pmu, const char *alias)
{
	struct tally_arena arena = {0};
	struct tally_event_info info = {
		.kind = TALLY_EVENT_PMU, .pmu = pmu->name, .unit = "", .type = pmu->type};
	char full[2 * NAME_MAX + 4];
	int ret;

	snprintf(full, sizeof(full), "%s/%s/", pmu->name, alias);
	info.name = full;
	info.alias = alias;
	tally_pmu_read(walk->events, pmu->name, "events/", alias, "", &arena, &info.encoding);
	tally_pmu_read(walk->events, pmu->name, "events/", alias, ".unit", &arena, &info.unit);
	ret = offer(walk, &info);
	tally_arena_free(&arena);
	return ret;
}

static int sensor_offer(const struct tally_sensor *sensor, void *data)
{
	char full[512], text[256];

	snprintf(full, sizeof(full), "%s/%s/", sensor->pmu, sensor->name);
	snprintf(text, sizeof(text), "sensor%s%s in %s", *sensor->label ? " " : "", sensor->label,
		 sensor->path);
	return offer(data, &(struct tally_event_info){
				   .kind = TALLY_EVENT_PMU,
				   .name = full,
				   .alias = *sensor->alias ? sensor->alias : sensor->name,
				   .pmu = sensor->pmu,
				   .encoding = sensor->name,
				   .text = text,
				   .unit = sensor->unit,
				   .type = PERF_TYPE_SOFTWARE,
				   .config = PERF_COUNT_SW_DUMMY,
			   });
}

static int pmu_each(const struct list_walk *walk)
{
	const tally_name_vec *names;
	struct tally_pmu *pmu;
	char path[PATH_MAX];
	int ret = 0;

	if (tally_pmu_names(walk->events, &names))
		return 0;
	for (size_t i = 0; !ret && i < names->len; i++) {
		tally_name_vec aliases = {0};
		struct tally_arena arena = {0};
		const char *name = names->data[i];

		snprintf(path, sizeof(path), "%s/%s/events", walk->events->devices, name);
		if (tally_pmu_get(walk->events, name, strlen(name), &pmu) ||
		    tally_dir_names(path, &arena, &aliases))
			continue;
		for (size_t a = 0; !ret && a < aliases.len; a++)
			if (!tally_pmu_is_attribute(aliases.data[a]))
				ret = alias_offer(walk, pmu, aliases.data[a]);
		tally_vec_free(&aliases);
		tally_arena_free(&arena);
	}
	return ret ? ret : tally_sensors_each(walk->events, sensor_offer, (void *)walk);
}

static int raw_each(const struct list_walk *walk)
{
	static const struct tally_event_info rows[] = {
		{.name = "rNNN", .text = "raw CPU event, in hex"},
		{.name = "pmu/term=value,.../modifiers", .text = "PMU event, specified by terms"},
	};
	int ret = 0;

	for (size_t i = 0; !ret && i < TALLY_ARRAY_SIZE(rows); i++) {
		struct tally_event_info info = rows[i];

		info.kind = TALLY_EVENT_RAW;
		info.unit = "";
		info.type = UINT32_MAX;
		ret = offer(walk, &info);
	}
	return ret;
}

static int breakpoint_each(const struct list_walk *walk)
{
	return offer(walk, &(struct tally_event_info){.kind = TALLY_EVENT_BREAKPOINT,
						      .name = "mem:ADDR[/LEN][:rwx][:modifiers]",
						      .text = "accesses to an address",
						      .unit = "",
						      .type = UINT32_MAX});
}

static int system_each(const struct list_walk *walk, const char *sys)
{
	struct tally_event_info info = {
		.kind = TALLY_EVENT_TRACEPOINT, .unit = "", .type = PERF_TYPE_TRACEPOINT};
	tally_name_vec names = {0};
	struct tally_arena arena = {0};
	char full[2 * NAME_MAX + 2];
	int ret = 0;

	if (tally_tracepoint_names(walk->events, sys, &arena, &names))
		return 0;
	info.name = full;
	for (size_t i = 0; !ret && i < names.len; i++) {
		snprintf(full, sizeof(full), "%s:%s", sys, names.data[i]);
		/* Read the ID only for matching events, because reading it requires an open(2). */
		if (name_fits(walk, full) &&
		    !tally_tracepoint_id(walk->events, sys, names.data[i], &info.config))
			ret = walk->visit(&info, walk->data);
	}
	tally_vec_free(&names);
	tally_arena_free(&arena);
	return ret;
}

static int tracepoint_each(const struct list_walk *walk)
{
	tally_name_vec systems = {0};
	struct tally_arena arena = {0};
	const char *root;
	int ret = 0;

	if (tally_events_tracefs(walk->events, &root, NULL) ||
	    tally_tracepoint_names(walk->events, "", &arena, &systems))
		return 0;
	for (size_t i = 0; !ret && i < systems.len; i++)
		ret = system_each(walk, systems.data[i]);
	tally_vec_free(&systems);
	tally_arena_free(&arena);
	return ret;
}

/* ---- tables of the CPU ------------------------------------------------------- */

static const char *text_or_null(const struct tally_model *model, uint32_t offset)
{
	const char *text = tally_model_text(model, offset);

	return *text ? text : NULL;
}

/* Pass on the event if its name, its topic (or groups), or part of its description matches. */
static int table_offer(const struct list_walk *walk, const struct tally_event_info *info)
{
	if (!name_fits(walk, info->name) && !name_fits(walk, info->topic) &&
	    !(walk->substring && name_fits(walk, info->text)))
		return 0;
	return walk->visit(info, walk->data);
}

/* Return the type of the table's PMU on this machine, or UINT32_MAX if there is no such PMU. */
static uint32_t pmu_type(const struct list_walk *walk, const struct tally_table *table,
			 const char *name)
{
	const tally_name_vec *names;
	struct tally_pmu *pmu;

	if (walk->events->tables.whose == TALLY_CPU_OTHER || tally_pmu_names(walk->events, &names))
		return UINT32_MAX;
	for (size_t i = 0; i < names->len; i++)
		if (!tally_pmu_get(walk->events, names->data[i], strlen(names->data[i]), &pmu) &&
		    tally_table_pmu_fits(walk->events, table, name, "", pmu))
			return pmu->type;
	return UINT32_MAX;
}

static int rows_each(const struct list_walk *walk, const struct tally_table *table, uint32_t index)
{
	const struct tally_model *model = table->model;
	const struct tally_model_pmu *pmu = tally_model_pmu(model, index);
	const char *pmu_name = tally_model_text(model, pmu->name);
	uint32_t type = pmu_type(walk, table, pmu_name);
	int ret = 0;

	for (uint32_t i = pmu->first_event; i < pmu->first_event + pmu->nr_events && !ret; i++) {
		const struct tally_model_event *row = tally_model_event(model, i);
		const struct tally_model_traits *traits = tally_model_traits(model, row);
		const char *desc = tally_model_event_desc(model, row);
		const char *long_desc = tally_model_event_long_desc(model, row);

		ret = table_offer(walk,
				  &(struct tally_event_info){
					  .kind = TALLY_EVENT_TABLE,
					  .name = tally_model_text(model, row->name),
					  .pmu = pmu_name,
					  .text = *desc ? desc : NULL,
					  .long_text = *long_desc ? long_desc : NULL,
					  .encoding = tally_model_text(model, row->terms),
					  .topic = tally_model_text(model, traits->topic),
					  .unit = tally_model_text(model, traits->unit),
					  .type = type,
					  .counters = (uint16_t)traits->counters,
					  .fixed = traits->fixed,
					  .deprecated = traits->flags & TALLY_EVENT_DEPRECATED,
				  });
	}
	return ret;
}

static int table_each(const struct list_walk *walk)
{
	int ret = 0;

	if (tally_tables_open(walk->events))
		return 0;
	tally_vec_for_each (table, &walk->events->tables.list) {
		for (uint32_t i = 0; i < table->model->pmus.nr && !ret; i++)
			ret = rows_each(walk, table, i);
	}
	return ret;
}

static int metric_each(const struct list_walk *walk)
{
	int ret = 0;

	if (tally_tables_open(walk->events))
		return 0;
	tally_vec_for_each (table, &walk->events->tables.list) {
		const struct tally_model *model = table->model;

		for (uint32_t i = 0; i < model->metrics.nr && !ret; i++) {
			const struct tally_model_metric *row = tally_model_metric(model, i);

			ret = table_offer(
				walk,
				&(struct tally_event_info){
					.kind = TALLY_EVENT_METRIC,
					.name = tally_model_text(model, row->name),
					.pmu = tally_model_text(
						model, tally_model_pmu(model, row->pmu)->name),
					.text = text_or_null(model, row->desc),
					.long_text = text_or_null(model, row->long_desc),
					.topic = tally_model_text(model, row->groups),
					.unit = tally_model_text(model, row->unit),
					.expression = tally_model_text(model, row->expr),
					.type = UINT32_MAX,
				});
		}
	}
	return ret;
}

static int metric_group_each(const struct list_walk *walk)
{
	int ret = 0;

	if (tally_tables_open(walk->events))
		return 0;
	tally_vec_for_each (table, &walk->events->tables.list) {
		const struct tally_model *model = table->model;

		for (uint32_t i = 0; i < model->groups.nr && !ret; i++) {
			const struct tally_model_group *row = tally_model_group(model, i);

			ret = offer(walk, &(struct tally_event_info){
						  .kind = TALLY_EVENT_METRIC_GROUP,
						  .name = tally_model_text(model, row->name),
						  .text = text_or_null(model, row->desc),
						  .unit = "",
						  .type = UINT32_MAX,
					  });
		}
	}
	return ret;
}

int tally_events_each(struct tally_events *events, unsigned kinds, const char *glob,
		      tally_event_visit_fn *visit, void *data)
{
	static int (*const kind_each[])(const struct list_walk *) = {
		hardware_each,   software_each,   cache_each, pmu_each,    raw_each,
		breakpoint_each, tracepoint_each, table_each, metric_each, metric_group_each,
	};
	struct list_walk walk = {.events = events, .glob = glob, .visit = visit, .data = data};
	int ret = 0;

	/* "sched:sched_wakeup" is the whole name of a tracepoint. */
	walk.substring = glob && !strchr(glob, ':') && !tally_glob_has(glob, strlen(glob));
	for (size_t i = 0; !ret && i < TALLY_ARRAY_SIZE(kind_each); i++)
		if (kinds & 1u << i)
			ret = kind_each[i](&walk);
	return ret;
}
