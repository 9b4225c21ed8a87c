/* SPDX-License-Identifier: BSD-2-Clause */
/* Decide which events can be counted at the same time. */
#include <string.h>

#include "base/arith.h"
#include "events/pmu.h"

enum { MAX_COUNTERS = 24 }; /* generic counters, followed by fixed counters */

/* Minimum set of counters, for event tables that do not list any. */
static const struct {
	const char *arch, *cpu; /* prefix of the table name */
	struct tally_event_counters counters;
} least[] = {
	{"x86", "amd", {0x3f, 0}},  {"x86", "", {0xf, 0x7}},    {"arm64", "", {0x3f, 0x1}},
	{"riscv", "", {0x18, 0x5}}, {"powerpc", "", {0x1e, 0}}, {"", "", {0xf, 0}},
};

/* Core events, by event code, that fixed counters can also count. */
static const struct {
	const char *arch;
	uint32_t type; /* PERF_TYPE_RAW for any core PMU with a dynamic type */
	uint64_t config;
	uint8_t fixed;
} fixed[] = {
	{"x86", PERF_TYPE_RAW, 0xc0, 0x1},
	{"x86", PERF_TYPE_RAW, 0x3c, 0x2},
	{"x86", PERF_TYPE_RAW, 0x300, 0x4},
	{"x86", PERF_TYPE_RAW, 0x400, 0x8},
	{"x86", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0x1},
	{"x86", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0x2},
	{"x86", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, 0x4},
	{"arm64", PERF_TYPE_RAW, 0x11, 0x1},
	{"arm64", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0x1},
	{"riscv", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0x1},
	{"riscv", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0x4},
};

int tally_events_counters(struct tally_events *events, struct tally_event_counters *ret_counters)
{
	struct tally_event_counters all = {0, 0};
	struct tally_events_table table;
	size_t row = 0;
	int ret = tally_events_table_get(events, &table);

	if (ret)
		return ret;
	if (events->tables.list.len) {
		const struct tally_model *model = events->tables.list.data[0].model;

		for (uint32_t i = 0; i < model->events.nr; i++) {
			const struct tally_model_traits *traits =
				tally_model_traits(model, tally_model_event(model, i));

			/* Skip uncore events, which do not use the cores' counters. */
			if (traits->flags & TALLY_EVENT_PER_PACKAGE)
				continue;
			all.generic |= traits->counters;
			all.fixed |= traits->fixed;
		}
	}
	while (strncmp(table.arch, least[row].arch, strlen(least[row].arch)) ||
	       strncmp(table.name, least[row].cpu, strlen(least[row].cpu)))
		row++;
	if (!all.generic)
		all = least[row].counters;
	*ret_counters = all;
	return 0;
}

static bool needs_counter(const struct tally_event_spec *spec)
{
	return !spec->tool && !spec->uncore &&
	       (spec->place || spec->pmu || spec->attr.type == PERF_TYPE_HARDWARE ||
		spec->attr.type == PERF_TYPE_HW_CACHE || spec->attr.type == PERF_TYPE_RAW);
}

/* Return true if the firmware counts the event. */
static bool is_firmware(const char *arch, const struct tally_event_spec *spec)
{
	return !strcmp(arch, "riscv") && spec->attr.config >> 63;
}

static const char *arch_of(const struct tally_events *events)
{
	const struct tally_tables *tables = &events->tables;
	const char *arch = "";

	if (tables->list.len)
		arch = tally_model_text(tables->list.data[0].model,
					tables->list.data[0].model->arch);
	return *arch || !tables->arch ? arch : tables->arch;
}

/* Return the fixed counters that can count the event, according to its event code. */
static uint8_t fixed_of(const char *arch, const struct tally_event_spec *spec)
{
	uint32_t type = spec->attr.type;
	uint64_t config = spec->attr.config;

	if (type == PERF_TYPE_HARDWARE)
		config &= PERF_HW_EVENT_MASK;
	else if (type != PERF_TYPE_HW_CACHE)
		type = PERF_TYPE_RAW;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(fixed); i++)
		if (!strcmp(arch, fixed[i].arch) && type == fixed[i].type &&
		    config == fixed[i].config)
			return fixed[i].fixed;
	return 0;
}

bool tally_event_is_topdown_part(const struct tally_events *events,
				 const struct tally_event_spec *spec)
{
	enum { PARTS = 0x8000, CODE = 0xffff };

	return !strcmp(arch_of(events), "x86") && needs_counter(spec) &&
	       spec->attr.type != PERF_TYPE_HARDWARE && spec->attr.type != PERF_TYPE_HW_CACHE &&
	       !(spec->attr.config & 0xff) && (spec->attr.config & CODE) >= PARTS;
}

struct tally_event_counters tally_event_counters_of(const struct tally_events *events,
						    const struct tally_event_spec *spec,
						    struct tally_event_counters all)
{
	struct tally_event_counters can = {spec->counters, spec->fixed};
	const char *arch = arch_of(events);

	if (!needs_counter(spec) || is_firmware(arch, spec) ||
	    tally_event_is_topdown_part(events, spec))
		return (struct tally_event_counters){0, 0};
	can.fixed |= fixed_of(arch, spec);
	/* Intel's pseudo event code 0 can only be counted by fixed counters. Other events with a
	 * fixed counter can also use any generic counter. */
	if (!can.generic && !(spec->fixed && !(spec->attr.config & 0xff)))
		can.generic = all.generic;
	return (struct tally_event_counters){can.generic & all.generic, can.fixed & all.fixed};
}

static uint32_t mask_of(struct tally_event_counters counters)
{
	return (uint32_t)counters.fixed << 16 | counters.generic;
}

/* Assign a counter to `needs[i]`, moving other events if necessary. `tried` is the set of counters
 * already tried. */
static bool counter_assign(const struct tally_event_counters *needs, size_t i, uint32_t all,
			   size_t on[MAX_COUNTERS], uint32_t *tried)
{
	/* Try fixed counters first, because few events can use them. */
	for (int counter = MAX_COUNTERS - 1; counter >= 0; counter--) {
		uint32_t bit = 1u << counter;

		if (!(mask_of(needs[i]) & all & bit) || *tried & bit)
			continue;
		*tried |= bit;
		if (on[counter] == SIZE_MAX || counter_assign(needs, on[counter], all, on, tried)) {
			on[counter] = i;
			return true;
		}
	}
	return false;
}

bool tally_event_counters_fit(const struct tally_event_counters *needs, size_t nr,
			      struct tally_event_counters all)
{
	size_t on[MAX_COUNTERS];

	for (size_t i = 0; i < MAX_COUNTERS; i++)
		on[i] = SIZE_MAX;
	for (size_t i = 0; i < nr; i++) {
		uint32_t tried = 0;

		if (mask_of(needs[i]) && !counter_assign(needs, i, mask_of(all), on, &tried))
			return false;
	}
	return true;
}
