/* SPDX-License-Identifier: BSD-2-Clause */
/* Events from the tables of a CPU. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "events/lookup.h"
#include "events/parse.h"
#include "events/events_error.h"
#include "events/events_specs.h"

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
		if (!ret && tally_table_row_fits(p->events, event, *core))
			ret = pmu_add_once(p, first, *core, name, terms);
	}
	if (ret || !strcmp(tally_table_row_pmu(event), "default_core") ||
	    tally_pmu_names(p->events, &names))
		return ret;
	for (size_t i = 0; i < names->len && !ret; i++) {
		if (!tally_pmu_get(p->events, names->data[i], strlen(names->data[i]), &pmu) &&
		    tally_table_row_fits(p->events, event, pmu))
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
	int ret = tally_table_pmu_build(p->events, tally_table_row_pmu(event), &pmu);

	return ret ? ret : pmu_add_once(p, first, pmu, name, terms);
}

static int pmu_missing(struct tally_event_parser *p, const struct tally_table_event *event,
		       struct tally_word name)
{
	tally_parser_fail(p, -ENODEV, "this machine has no PMU for this event", name);
	snprintf(p->err->fix, sizeof(p->err->fix),
		 "the event needs the PMU %.64s; see /sys/bus/event_source/devices for the "
		 "available PMUs",
		 tally_table_row_pmu(event));
	return -ENODEV;
}

static int row_parse(struct tally_event_parser *p, size_t first,
		     const struct tally_table_event *event, struct tally_word name,
		     const struct tally_terms *terms)
{
	bool core = !strcmp(tally_table_row_pmu(event), "default_core");
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
