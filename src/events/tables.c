/* SPDX-License-Identifier: BSD-2-Clause */
/* Find the tables for a CPU. */
#include "events/tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/arith.h"
#include "events/parse.h"
#include "events/pmu.h"
#include "jevents/jevents_load.h"

/* ---- sources -------------------------------------------------------------------- */

static void message_emit(void *context, const struct tally_diagnostic *message)
{
	const struct tally_tables *tables = context;

	tables->diagnostic(
		&(struct tally_events_diagnostic){message->kind == TALLY_DIAGNOSTIC_ERROR,
						  message->path, message->line, message->column,
						  message->what, message->why},
		tables->data);
}

/* Load the tables. From a directory tree, load only the tables that this CPU needs, unless the CPU
 * was specified by table name. */
static int models_open(struct tally_tables *tables)
{
	const struct tally_load_filter filter = {.cpuid = tables->asked ? tables->asked
									: tables->cpuid};
	struct tally_diagnostics messages = {.emit = tables->diagnostic ? message_emit : NULL,
					     .context = tables};
	int ret;

	tables->models = &tables->builtin;
	if (!tables->path) {
		tally_models_builtin(&tables->builtin);
		return 0;
	}
	ret = tally_models_load(tables->path, &filter, &messages, &tables->loaded);
	if (ret == -ENOENT && tables->whose == TALLY_CPU_OTHER)
		ret = tally_models_load(tables->path, NULL, &messages, &tables->loaded);
	tables->models = tables->loaded;
	return ret;
}

/* ---- selection -------------------------------------------------------------------- */

static int table_push(struct tally_tables *tables, const struct tally_model *model,
		      const char *core)
{
	tally_vec_for_each (table, &tables->list) {
		if (table->model == model && table->core == core)
			return 0;
	}
	return tally_vec_push(&tables->list, (struct tally_table){model, core});
}

/* Add the tables that the map lists for a CPU. */
static int rows_push(struct tally_tables *tables, const char *arch, const char *cpuid,
		     const char *core)
{
	const struct tally_models_row *row;
	uint32_t pos = 0;
	int ret = 0;

	while (!ret && (row = tally_models_find(tables->models, arch, cpuid, &pos)))
		ret = table_push(tables, tally_models_model(tables->models, row->model), core);
	return ret;
}

static const char *model_name(const struct tally_model *model)
{
	return tally_model_text(model, model->name);
}

static bool model_is_architectural(const struct tally_model *model)
{
	static const char word[] = "generic";
	const char *name = model_name(model);
	size_t len = strlen(name);

	return len >= strlen(word) && !strcmp(name + len - strlen(word), word);
}

/* Add the tables for a CPU ID of unknown architecture. A map that lists this CPU takes precedence
 * over a map that covers all CPUs of an architecture. */
static int any_arch_push(struct tally_tables *tables, const char *cpuid)
{
	const struct tally_models *models = tables->models;
	const char *found = NULL;

	for (uint32_t i = 0; i < models->nr_rows; i++) {
		const char *arch = tally_models_text(models, models->rows[i].arch);
		const struct tally_models_row *row;
		uint32_t pos = 0;

		row = tally_models_find(models, arch, cpuid, &pos);
		if (!row)
			continue;
		found = found ? found : arch;
		if (model_is_architectural(tally_models_model(models, row->model)))
			continue;
		found = arch;
		break;
	}
	return found ? rows_push(tables, found, cpuid, NULL) : 0;
}

/* Match "silvermont", "arm/neoverse-n1" or "neoverse-n1", with or without "ARCH/" in front. */
static bool model_is_called(const struct tally_model *model, const char *name)
{
	const char *whole = model_name(model), *last = strrchr(whole, '/');
	const char *arch = tally_model_text(model, model->arch);
	size_t len = strlen(arch);

	if (!strncmp(name, arch, len) && name[len] == '/' && !strcasecmp(name + len + 1, whole))
		return true;
	return !strcasecmp(whole, name) || (last && !strcasecmp(last + 1, name));
}

static int named_push(struct tally_tables *tables, const char *name)
{
	int ret = 0;

	for (uint32_t i = 0; i < tables->models->nr_models && !ret; i++) {
		const struct tally_model *model = tally_models_model(tables->models, i);

		if (model_is_called(model, name))
			ret = table_push(tables, model, NULL);
	}
	return ret;
}

static int request_push(struct tally_tables *tables)
{
	int ret = 0;

	if (tables->whose == TALLY_CPU_OTHER)
		ret = named_push(tables, tables->asked);
	if (!ret && !tables->list.len)
		ret = rows_push(tables, tables->arch, tables->asked, NULL);
	if (!ret && !tables->list.len)
		ret = any_arch_push(tables, tables->asked);
	return ret;
}

/* If each kind of core has its own CPU ID (as on Arm), add the tables for each kind. */
static int cores_push(struct tally_events *events)
{
	struct tally_tables *tables = &events->tables;
	int ret = tally_pmu_cores_here(events);

	for (size_t i = 0; i < events->cores.len && !ret; i++) {
		const struct tally_pmu *pmu = events->cores.data[i];
		const char *arch, *cpuid;

		ret = tally_identity_get(events, pmu->cpus.data[0], &arch, &cpuid);
		if (!ret)
			ret = rows_push(tables, arch, cpuid, pmu->name);
	}
	return ret;
}

static bool cores_differ(const struct tally_events *events)
{
	bool differ = events->cores.len > 1 && !strcmp(events->tables.arch, "arm64");

	for (size_t i = 0; i < events->cores.len; i++)
		differ &= events->cores.data[i]->cpus.len > 0;
	return differ;
}

/* Add the tables of system PMUs, which do not belong to a CPU. Each event in these tables contains
 * the identifier of its PMU. */
static int systems_push(struct tally_tables *tables)
{
	int ret = 0;

	for (uint32_t i = 0; i < tables->models->nr_models && !ret; i++) {
		const struct tally_model *model = tally_models_model(tables->models, i);

		if (model->flags & TALLY_MODEL_SYSTEM &&
		    !strcmp(tally_model_text(model, model->arch), tables->arch))
			ret = table_push(tables, model, NULL);
	}
	return ret;
}

static int tables_choose(struct tally_events *events)
{
	struct tally_tables *tables = &events->tables;
	int ret;

	if (tables->asked)
		return *tables->asked ? request_push(tables) : 0;
	ret = tally_pmu_cores_here(events);
	if (!ret)
		ret = cores_differ(events) ? cores_push(events)
					   : rows_push(tables, tables->arch, tables->cpuid, NULL);
	/* Tables without a map apply to every CPU. */
	if (!ret && !tables->list.len)
		ret = rows_push(tables, "", tables->cpuid, NULL);
	return ret ? ret : systems_push(tables);
}

int tally_tables_open(struct tally_events *events)
{
	struct tally_tables *tables = &events->tables;
	int ret;

	if (tables->open)
		return tables->error;
	ret = tally_identity_get(events, 0, &tables->arch, &tables->cpuid);
	if (!ret)
		ret = models_open(tables);
	if (!ret)
		ret = tables_choose(events);
	if (tables->asked)
		tables->cpuid = tables->asked;
	tables->open = true;
	tables->error = ret;
	return ret;
}

void tally_tables_free(struct tally_tables *tables)
{
	tally_vec_free(&tables->list);
	tally_models_free(tables->loaded);
	tally_vec_for_each (pmu, &tables->made_up)
		tally_pmu_free(*pmu);
	tally_vec_free(&tables->made_up);
}

const char *tally_tables_name(const struct tally_tables *tables)
{
	return tables->list.len ? model_name(tables->list.data[0].model) : "";
}

bool tally_tables_architectural(const struct tally_tables *tables)
{
	return tables->list.len && model_is_architectural(tables->list.data[0].model);
}

int tally_events_table_get(struct tally_events *events, struct tally_events_table *ret_table)
{
	const struct tally_tables *tables = &events->tables;
	struct tally_events_table table = {0};
	int ret = tally_tables_open(events);

	if (ret)
		return ret;
	table.cpuid = tables->cpuid;
	table.arch = tables->arch;
	table.name = tally_tables_name(tables);
	table.architectural = tally_tables_architectural(tables);
	table.other = tables->whose == TALLY_CPU_OTHER;
	tally_vec_for_each (one, &tables->list) {
		const char *arch = tally_model_text(one->model, one->model->arch);

		table.arch = *arch ? arch : table.arch;
		table.nr_events += one->model->events.nr;
		table.nr_metrics += one->model->metrics.nr;
	}
	*ret_table = table;
	return 0;
}

/* ---- rows ------------------------------------------------------------------------- */

bool tally_table_next(struct tally_events *events, struct tally_table_cursor *cursor,
		      struct tally_word name, struct tally_table_event *ret_event)
{
	struct tally_tables *tables = &events->tables;

	for (; cursor->table < tables->list.len; cursor->table++, cursor->pos = 0) {
		const struct tally_table *table = &tables->list.data[cursor->table];
		const struct tally_model_event *row =
			tally_model_event_find(table->model, -1, name.text, name.len, &cursor->pos);

		if (!row)
			continue;
		*ret_event = (struct tally_table_event){table, row};
		return true;
	}
	return false;
}
