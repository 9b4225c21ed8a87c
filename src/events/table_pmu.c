/* SPDX-License-Identifier: BSD-2-Clause */
/* Match PMU names in tables with PMUs in sysfs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "events/parse.h"
#include "events/pmu.h"
#include "events/tables.h"

static const char core_name[] = "default_core";

/* Match a name such as "hisi_sccl,ddrc": the parts must occur in this order, followed only by
 * digits. */
static bool parts_fit(const char *name, const char *parts)
{
	while (*parts) {
		size_t len = strcspn(parts, ",");
		const char *found = memmem(name, strlen(name), parts, len);

		if (!found)
			return false;
		name = found + len;
		parts += len + (parts[len] == ',');
	}
	return name[strspn(name, "0123456789_")] == '\0';
}

/* Match a system PMU, which is identified by its `identifier` file. */
static bool identifier_fits(struct tally_events *events, const char *compat, const char *pmu)
{
	struct tally_arena arena = {0};
	const char *text;
	bool fits = !tally_pmu_read(events, pmu, "", "identifier", "", &arena, &text) &&
		    tally_compat_match(compat, text);

	tally_arena_free(&arena);
	return fits;
}

bool tally_table_pmu_fits(struct tally_events *events, const struct tally_table *table,
			  const char *name, const char *compat, const struct tally_pmu *pmu)
{
	if (!strcmp(name, core_name))
		return pmu->core && (!table->core || !strcmp(table->core, pmu->name));
	if (strcmp(name, pmu->name) && !tally_pmu_fits(pmu->name, name, false) &&
	    !(strchr(name, ',') && parts_fit(pmu->name, name)))
		return false;
	return !*compat || identifier_fits(events, compat, pmu->name);
}

const char *tally_table_row_pmu(const struct tally_table_event *event)
{
	const struct tally_model *model = event->table->model;

	return tally_model_text(model, tally_model_pmu(model, event->row->pmu)->name);
}

bool tally_table_row_fits(struct tally_events *events, const struct tally_table_event *event,
			  const struct tally_pmu *pmu)
{
	const struct tally_model *model = event->table->model;

	return tally_table_pmu_fits(
		events, event->table, tally_table_row_pmu(event),
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
		if (!tally_table_row_fits(events, &event, pmu))
			continue;
		*ret_event = event;
		return 1;
	}
	return 0;
}
