/* SPDX-License-Identifier: BSD-2-Clause */
/* PMUs on other machines, with the formats that their drivers define. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "events/cursor.h"
#include "events/pmu.h"

struct format_row {
	const char *name, *bits;
};

static const struct format_row intel[] = {
	{"event", "config:0-7"},
	{"umask", "config:8-15,40-47"},
	{"edge", "config:18"},
	{"pc", "config:19"},
	{"any", "config:21"},
	{"inv", "config:23"},
	{"cmask", "config:24-31"},
	{"in_tx", "config:32"},
	{"in_tx_cp", "config:33"},
	{"eq", "config:36"},
	{"offcore_rsp", "config1:0-63"},
	{"ldlat", "config1:0-15"},
	{"frontend", "config1:0-23"},
};
static const struct format_row amd[] = {
	{"event", "config:0-7,32-35"}, {"umask", "config:8-15"},  {"edge", "config:18"},
	{"inv", "config:23"},          {"cmask", "config:24-31"},
};
static const struct format_row arm64[] = {{"event", "config:0-15"}, {"long", "config1:0"}};
static const struct format_row plain[] = {{"event", "config:0-63"}};
/* Formats of Intel uncore PMUs. Bit 8 of the event code is stored in bit 21 of config. */
static const struct format_row uncore[] = {
	{"event", "config:0-7,21"},    {"umask", "config:8-15,32-55"},  {"edge", "config:18"},
	{"inv", "config:23"},          {"cmask", "config:24-31"},       {"thresh", "config:24-31"},
	{"filter_tid", "config1:0-8"}, {"filter_opc", "config1:20-28"},
};
static const struct format_row ports[] = {
	{"event", "config:0-7"},     {"umask", "config:8-15"},   {"edge", "config:18"},
	{"inv", "config:23"},        {"thresh", "config:24-35"}, {"ch_mask", "config:36-47"},
	{"fc_mask", "config:48-50"},
};
static const struct format_row ports_skylake[] = {
	{"event", "config:0-7"},     {"umask", "config:8-15"},   {"edge", "config:18"},
	{"inv", "config:23"},        {"thresh", "config:24-35"}, {"ch_mask", "config:36-43"},
	{"fc_mask", "config:44-46"},
};

#define FIELDS(name) name, TALLY_ARRAY_SIZE(name)

/* Formats by PMU. The first matching row is used. A row matches by prefixes of the PMU name, the
 * architecture, and the CPU ID or table name. */
static const struct layout {
	const char *pmu, *arch, *maker; /* prefixes */
	const struct format_row *fields;
	size_t nr;
} layouts[] = {
	{"uncore_iio", "x86", "skylakex", FIELDS(ports_skylake)},
	{"uncore_iio", "x86", "cascadelakex", FIELDS(ports_skylake)},
	{"uncore_iio", "x86", "", FIELDS(ports)},
	{"uncore_", "x86", "", FIELDS(uncore)},
	{"msr", "x86", "", FIELDS(plain)},
	{"", "x86", "AuthenticAMD", FIELDS(amd)},
	{"", "x86", "HygonGenuine", FIELDS(amd)},
	{"", "x86", "amd", FIELDS(amd)},
	{"", "x86", "", FIELDS(intel)},
	{"", "arm64", "", FIELDS(arm64)},
	{"", "", "", FIELDS(plain)},
};

static bool name_starts(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static const struct layout *layout_find(const struct tally_events_table *table, const char *pmu)
{
	const struct layout *layout = layouts;

	while (!name_starts(pmu, layout->pmu) || !name_starts(table->arch, layout->arch) ||
	       !(name_starts(table->cpuid, layout->maker) ||
		 name_starts(table->name, layout->maker)))
		layout++;
	return layout;
}

static int fields_add(struct tally_pmu *pmu, const struct layout *layout)
{
	int ret = 0;

	for (size_t i = 0; i < layout->nr && !ret; i++) {
		struct tally_pmu_format format = {.name = layout->fields[i].name};

		ret = tally_pmu_format_parse(layout->fields[i].bits, &format.field, &format.mask);
		if (!ret)
			ret = tally_vec_push(&pmu->formats, format);
	}
	return ret;
}

/* ---- names ----------------------------------------------------------------------- */

static bool is_core(const char *name)
{
	return !strcmp(name, "cpu") || !strcmp(name, "default_core");
}

static bool is_kind_of_core(const char *name)
{
	return name_starts(name, "cpu_") && !name_starts(name, "cpu_m");
}

/* Return true if `name` refers to a table's PMU: "cha", "uncore_cha", "cha_0" and "uncore_cha_0"
 * refer to "uncore_cha". */
static bool pmu_is_called(const char *pmu, const char *name)
{
	return !strcmp(pmu, name) || tally_pmu_fits(pmu, name, false) ||
	       tally_pmu_fits(name, pmu, false) ||
	       (name_starts(pmu, "uncore_") &&
		tally_pmu_fits(name, pmu + strlen("uncore_"), false));
}

/* Return the name in the tables, or NULL. The tables live at least as long as the PMU. */
static const char *name_find(struct tally_events *events, const char *name)
{
	if (is_core(name))
		return "cpu";
	tally_vec_for_each (table, &events->tables.list) {
		const struct tally_model *model = table->model;

		for (uint32_t i = 0; i < model->pmus.nr; i++) {
			const char *pmu = tally_model_text(model, tally_model_pmu(model, i)->name);

			if (!is_core(pmu) && pmu_is_called(pmu, name))
				return pmu;
		}
	}
	return !strcmp(name, "msr") && events->tables.list.len ? "msr" : NULL;
}

/* ---- PMUs -------------------------------------------------------------------------- */

/* Return the type of a created PMU. The first kind of core has type PERF_TYPE_RAW. Other PMUs get
 * unused type numbers. */
static uint32_t type_of(const struct tally_events *events, const char *name)
{
	enum { FIRST = 0x10000 };

	return is_core(name) || !strcmp(name, "cpu_core")
		       ? PERF_TYPE_RAW
		       : FIRST + (uint32_t)events->tables.made_up.len;
}

static int pmu_new(struct tally_events *events, const struct tally_events_table *table,
		   const char *name, struct tally_pmu **ret_pmu)
{
	struct tally_pmu *pmu = calloc(1, sizeof(*pmu));
	bool core = is_core(name) || is_kind_of_core(name);
	int ret;

	if (!pmu)
		return -ENOMEM;
	*pmu = (struct tally_pmu){.name = name,
				  .type = type_of(events, name),
				  .core = core,
				  .hybrid = is_kind_of_core(name),
				  .uncore = !core,
				  .made_up = true,
				  .max_precise = -1};
	ret = fields_add(pmu, layout_find(table, name));
	if (!ret)
		ret = tally_vec_push(&events->tables.made_up, pmu);
	if (ret) {
		tally_pmu_free(pmu);
		return ret;
	}
	*ret_pmu = pmu;
	return 0;
}

int tally_table_pmu_build(struct tally_events *events, const char *name, struct tally_pmu **ret_pmu)
{
	struct tally_events_table table;
	int ret = tally_events_table_get(events, &table);

	if (ret)
		return ret;
	name = name_find(events, name);
	if (!name)
		return -ENOENT;
	tally_vec_for_each (made, &events->tables.made_up) {
		if (strcmp((*made)->name, name))
			continue;
		*ret_pmu = *made;
		return 0;
	}
	return pmu_new(events, &table, name, ret_pmu);
}

int tally_table_cores_build(struct tally_events *events)
{
	int ret = tally_tables_open(events);

	if (ret || !events->tables.list.len)
		return ret;
	const struct tally_model *model = events->tables.list.data[0].model;

	for (uint32_t i = 0; i < model->pmus.nr && !ret; i++) {
		const char *name = tally_model_text(model, tally_model_pmu(model, i)->name);
		struct tally_pmu *pmu;

		if (!is_kind_of_core(name))
			continue;
		ret = tally_table_pmu_build(events, name, &pmu);
		if (!ret)
			ret = tally_vec_push(&events->cores, pmu);
	}
	return ret;
}

const char *tally_table_alias(const struct tally_pmu *pmu, struct tally_word name)
{
	static const struct {
		const char *pmu, *name, *terms;
	} rows[] = {
		{"msr", "tsc", "event=0"},
		{"msr", "aperf", "event=1"},
		{"msr", "mperf", "event=2"},
		{"msr", "smi", "event=4"},
	};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(rows); i++)
		if (!strcmp(pmu->name, rows[i].pmu) && tally_word_is(name, rows[i].name))
			return rows[i].terms;
	return NULL;
}
