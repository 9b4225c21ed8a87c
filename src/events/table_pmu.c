/* SPDX-License-Identifier: BSD-2-Clause */
/* The PMUs that tables speak of: those of sysfs, and where there are none, made-up ones. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "events/pmu.h"

static const char core_name[] = "default_core";

/* "hisi_sccl,ddrc": the parts of a name, in this order, and nothing but digits behind. */
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

/* A system's PMU tells in `identifier` which one it is. */
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

/* ---- made-up ones ------------------------------------------------------------------ */

struct format_row {
	const char *name, *bits;
};

static const struct format_row intel[] = {
	{"event", "config:0-7"},   {"umask", "config:8-15"},
	{"edge", "config:18"},     {"pc", "config:19"},
	{"any", "config:21"},      {"inv", "config:23"},
	{"cmask", "config:24-31"}, {"in_tx", "config:32"},
	{"in_tx_cp", "config:33"}, {"offcore_rsp", "config1:0-63"},
	{"ldlat", "config1:0-15"}, {"frontend", "config1:0-23"},
};
static const struct format_row amd[] = {
	{"event", "config:0-7,32-35"}, {"umask", "config:8-15"},  {"edge", "config:18"},
	{"inv", "config:23"},          {"cmask", "config:24-31"},
};
static const struct format_row arm64[] = {{"event", "config:0-15"}, {"long", "config1:0"}};
static const struct format_row plain[] = {{"event", "config:0-63"}};

#define FIELDS(name) name, TALLY_ARRAY_SIZE(name)

/* How core PMUs are programmed, as their drivers describe it. */
static const struct layout {
	const char *arch, *maker; /* how the identity or the table's name starts */
	const struct format_row *fields;
	size_t nr;
} layouts[] = {
	{"x86", "AuthenticAMD", FIELDS(amd)}, {"x86", "HygonGenuine", FIELDS(amd)},
	{"x86", "amd", FIELDS(amd)},          {"x86", "", FIELDS(intel)},
	{"arm64", "", FIELDS(arm64)},         {"", "", FIELDS(plain)},
};

static bool name_starts(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static const struct layout *layout_find(const struct tally_events_table *table)
{
	const struct layout *layout = layouts;

	while (!name_starts(table->arch, layout->arch) ||
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

int tally_table_pmu_make(struct tally_events *events, struct tally_pmu **ret_pmu)
{
	struct tally_events_table table;
	struct tally_pmu *pmu = events->tables.made_up;
	int ret;

	if (pmu) {
		*ret_pmu = pmu;
		return 0;
	}
	ret = tally_events_table_get(events, &table);
	if (ret)
		return ret;
	pmu = calloc(1, sizeof(*pmu));
	if (!pmu)
		return -ENOMEM;
	*pmu = (struct tally_pmu){.name = "cpu",
				  .type = PERF_TYPE_RAW,
				  .core = true,
				  .made_up = true,
				  .max_precise = -1};
	ret = fields_add(pmu, layout_find(&table));
	if (ret) {
		tally_pmu_free(pmu);
		return ret;
	}
	events->tables.made_up = pmu;
	*ret_pmu = pmu;
	return 0;
}
