/* SPDX-License-Identifier: BSD-2-Clause */
/* Events from tables, and events on machines with several kinds of core. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "events/cursor.h"
#include "events/lookup.h"
#include "events/parse.h"

int tally_table_fail(struct tally_event_parser *p, int code, struct tally_word word)
{
	const char *path = p->events->tables.path;

	if (code == -ENOMEM)
		return code;
	tally_parser_fail(p, code, "cannot read the event tables", word);
	snprintf(p->err->fix, sizeof(p->err->fix), "%s: %s", path ? path : "built-in tables",
		 code == -EINVAL ? "invalid content" : strerror(-code));
	return code;
}

static const char *row_pmu(const struct tally_table_event *event)
{
	const struct tally_model *model = event->table->model;

	return tally_model_text(model, tally_model_pmu(model, event->row->pmu)->name);
}

static bool row_fits(struct tally_events *events, const struct tally_table_event *event,
		     const struct tally_pmu *pmu)
{
	const struct tally_model *model = event->table->model;

	return tally_table_pmu_fits(
		events, event->table, row_pmu(event),
		tally_model_text(model, tally_model_traits(model, event->row)->compat), pmu);
}

int tally_table_describe(struct tally_events *events, const struct tally_pmu *pmu,
			 struct tally_word name, struct tally_table_event *ret_event)
{
	struct tally_table_cursor cursor = {0};
	struct tally_table_event event;
	int ret = tally_tables_open(events);

	if (ret)
		return ret;
	while (tally_table_next(events, &cursor, name, &event)) {
		if (!row_fits(events, &event, pmu))
			continue;
		*ret_event = event;
		return 1;
	}
	return 0;
}

/* ---- names without a PMU ------------------------------------------------------- */

/* Add the event on a PMU only once, even if several rows describe it. */
static int pmu_add_once(struct tally_event_parser *p, size_t first, struct tally_pmu *pmu,
			struct tally_word name, const struct tally_terms *terms)
{
	for (size_t i = first; i < p->specs.len; i++)
		if (!strcmp(p->specs.data[i].pmu, pmu->name))
			return 0;
	return TALLY_MIN(tally_pmu_add(p, pmu, name, terms), 0);
}

/* Add the event on each PMU of this machine that the row applies to. */
static int row_add(struct tally_event_parser *p, size_t first,
		   const struct tally_table_event *event, struct tally_word name,
		   const struct tally_terms *terms)
{
	const tally_name_vec *names;
	struct tally_pmu *pmu;
	int ret = 0;

	tally_vec_for_each (core, &p->events->cores) {
		if (!ret && row_fits(p->events, event, *core))
			ret = pmu_add_once(p, first, *core, name, terms);
	}
	if (ret || !strcmp(row_pmu(event), "default_core") || tally_pmu_names(p->events, &names))
		return ret;
	for (size_t i = 0; i < names->len && !ret; i++) {
		if (!tally_pmu_get(p->events, names->data[i], strlen(names->data[i]), &pmu) &&
		    row_fits(p->events, event, pmu))
			ret = pmu_add_once(p, first, pmu, name, terms);
	}
	return ret;
}

/* Add the event on a PMU that is created from the tables, for cores without a PMU and for other
 * machines. */
static int row_make(struct tally_event_parser *p, size_t first,
		    const struct tally_table_event *event, struct tally_word name,
		    const struct tally_terms *terms)
{
	struct tally_pmu *pmu;
	int ret = tally_table_pmu_build(p->events, row_pmu(event), &pmu);

	return ret ? ret : pmu_add_once(p, first, pmu, name, terms);
}

static int pmu_missing(struct tally_event_parser *p, const struct tally_table_event *event,
		       struct tally_word name)
{
	tally_parser_fail(p, -ENODEV, "this machine has no PMU for this event", name);
	snprintf(p->err->fix, sizeof(p->err->fix),
		 "the event needs the PMU %.64s; see /sys/bus/event_source/devices for the "
		 "available PMUs",
		 row_pmu(event));
	return -ENODEV;
}

static int row_parse(struct tally_event_parser *p, size_t first,
		     const struct tally_table_event *event, struct tally_word name,
		     const struct tally_terms *terms)
{
	bool core = !strcmp(row_pmu(event), "default_core");
	int ret = tally_pmu_cores(p->events);

	if (ret)
		return ret;
	if (p->events->tables.whose == TALLY_CPU_OTHER || (core && !p->events->cores.len))
		return row_make(p, first, event, name, terms);
	return row_add(p, first, event, name, terms);
}

int tally_table_parse(struct tally_event_parser *p, struct tally_word name,
		      const struct tally_terms *terms)
{
	struct tally_table_cursor cursor = {0};
	struct tally_table_event event = {NULL, NULL};
	size_t first = p->specs.len;
	int ret;

	if (!name.len || tally_glob_has(name.text, name.len))
		return 0;
	ret = tally_tables_open(p->events);
	if (ret)
		return tally_table_fail(p, ret, name);
	while (!ret && tally_table_next(p->events, &cursor, name, &event))
		ret = row_parse(p, first, &event, name, terms);
	if (ret)
		return ret;
	if (event.row && p->specs.len == first)
		return pmu_missing(p, &event, name);
	tally_specs_merge(p, first);
	return p->specs.len > first;
}

/* ---- explanation of unknown names -------------------------------------------------- */

/* List other CPUs that have an event with this name, as space permits. */
static void others_explain(struct tally_event_parser *p, struct tally_word name)
{
	const struct tally_models *models = p->events->tables.models;
	enum { ROOM = sizeof(p->err->fix) - 96 };
	char *fix = p->err->fix;
	size_t len = 0;

	for (uint32_t i = 0; i < models->nr_models && len < ROOM; i++) {
		const struct tally_model *model = tally_models_model(models, i);
		uint32_t pos = 0;

		if (tally_model_event_find(model, -1, name.text, name.len, &pos))
			len += (size_t)snprintf(fix + len, ROOM - len, "%s%.16s/%.40s",
						len ? ", " : "available on other CPUs: ",
						tally_model_text(model, model->arch),
						tally_model_text(model, model->name));
	}
	if (len)
		strcpy(fix + TALLY_MIN(len, ROOM - 1u), "; ");
}

void tally_table_explain(struct tally_event_parser *p, struct tally_word name)
{
	const struct tally_tables *tables = &p->events->tables;
	char *fix = p->err->fix;
	size_t len;

	if (!tables->open || tables->error)
		return;
	*fix = '\0';
	others_explain(p, name);
	len = strlen(fix);
	if (!tables->list.len)
		snprintf(fix + len, sizeof(p->err->fix) - len, "no event table for CPU '%.40s'",
			 tables->cpuid);
	else if (tally_tables_architectural(tables))
		snprintf(fix + len, sizeof(p->err->fix) - len,
			 "no event table for CPU '%.40s': only the events of its "
			 "architecture are known",
			 tables->cpuid);
	else
		snprintf(fix + len, sizeof(p->err->fix) - len,
			 "'tally list' lists the events of %s",
			 tables->whose == TALLY_CPU_OTHER ? tally_tables_name(tables)
							  : "this machine");
}

/* ---- several kinds of core ------------------------------------------------------------ */

int tally_cores_parse(struct tally_event_parser *p, const struct tally_event_spec *spec)
{
	size_t first = p->specs.len;
	int ret;

	if (spec->tool || spec->attr.type == PERF_TYPE_SOFTWARE ||
	    !tally_pmu_several_cores(p->events))
		return 0;
	ret = tally_pmu_cores(p->events);
	if (ret || p->events->cores.len < 2)
		return ret;
	tally_vec_for_each (core, &p->events->cores) {
		struct tally_event_spec one = *spec;

		if (spec->attr.type == PERF_TYPE_RAW)
			one.attr.type = (*core)->type;
		else
			one.attr.config |= (uint64_t)(*core)->type << PERF_PMU_TYPE_SHIFT;
		one.pmu = (*core)->name;
		ret = tally_spec_cpus(p, *core, &one);
		if (!ret)
			ret = tally_parser_add(p, &one);
		if (ret)
			return ret;
	}
	tally_specs_merge(p, first);
	return 1;
}

/* A member of a group to be split, with its original index. */
struct group_member {
	struct tally_event_spec spec;
	size_t from, core;
};

static size_t core_of(const struct tally_event_parser *p, const struct tally_event_spec *spec)
{
	for (size_t i = 0; i < p->events->cores.len; i++)
		if (spec->hybrid && !strcmp(spec->pmu, p->events->cores.data[i]->name))
			return i;
	return 0;
}

static int placed_compare(const void *a, const void *b)
{
	const struct group_member *x = a, *y = b;

	if (x->core != y->core)
		return x->core < y->core ? -1 : 1;
	return x->from < y->from ? -1 : 1;
}

/* Create a group from the members [from, to), which belong to the same kind of core. */
static void part_make(struct tally_event_parser *p, size_t from, size_t to, uint32_t group)
{
	for (size_t i = from; i < to; i++) {
		struct tally_event_spec *spec = &p->specs.data[i];

		spec->leader = (uint32_t)from;
		spec->nr_members = (uint32_t)(to - from);
		spec->group = group;
	}
}

static void members_store(struct tally_event_parser *p, size_t first,
			  const struct group_member *placed, size_t nr)
{
	uint32_t group = placed[0].spec.group;
	size_t part = 0;

	for (size_t i = 0; i < nr; i++) {
		struct tally_event_spec *spec = &p->specs.data[first + i];
		size_t to = i;

		*spec = placed[i].spec;
		for (size_t j = 0; spec->merge && j < nr; j++)
			if (placed[j].from == spec->merge_first)
				to = j;
		spec->merge_first = (uint32_t)(first + to);
		if (i + 1 < nr && placed[i + 1].core == placed[part].core)
			continue;
		part_make(p, first + part, first + i + 1, group);
		group = p->nr_groups++;
		part = i + 1;
	}
	p->nr_groups--;
}

int tally_cores_split(struct tally_event_parser *p, size_t first)
{
	size_t nr = p->specs.len - first;
	bool several = false;
	struct group_member *placed;

	for (size_t i = first; i < p->specs.len; i++)
		several |= p->specs.data[i].hybrid;
	if (!several)
		return 0;
	placed = calloc(nr, sizeof(*placed));
	if (!placed)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		const struct tally_event_spec *spec = &p->specs.data[first + i];

		placed[i] = (struct group_member){*spec, first + i, core_of(p, spec)};
	}
	qsort(placed, nr, sizeof(*placed), placed_compare);
	members_store(p, first, placed, nr);
	free(placed);
	return 0;
}
