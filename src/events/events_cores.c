/* SPDX-License-Identifier: BSD-2-Clause */
/* Machines with several kinds of core: an event on each kind, and groups on one kind. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "events/events_cores.h"
#include "events/events_specs.h"
#include "events/pmu.h"

int tally_pmu_cores(struct tally_events *events)
{
	int ret = 0;

	if (events->tables.whose == TALLY_CPU_THIS)
		return tally_pmu_cores_here(events);
	if (events->cores_known)
		return 0;
	events->cores_known = true;
	if (events->tables.whose == TALLY_CPU_OTHER)
		ret = tally_table_cores_build(events);
	return ret == -ENOMEM ? ret : 0;
}

/* Return true if there are several core PMUs. Most machines have only one kind of core, with a PMU
 * named "cpu". */
static bool several_check(struct tally_events *events)
{
	const tally_name_vec *names;
	char path[PATH_MAX];
	size_t nr = 0;

	snprintf(path, sizeof(path), "%s/cpu", events->devices);
	if (events->tables.whose == TALLY_CPU_OTHER)
		return !tally_pmu_cores(events) && events->cores.len > 1;
	if (!access(path, F_OK) || tally_pmu_names(events, &names))
		return false;
	for (size_t i = 0; i < names->len; i++)
		nr += tally_pmu_is_core(names->data[i]);
	return nr > 1;
}

bool tally_pmu_several_cores(struct tally_events *events)
{
	if (!events->several_known)
		events->several = several_check(events);
	events->several_known = true;
	return events->several;
}

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
