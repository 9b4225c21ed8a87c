/* SPDX-License-Identifier: BSD-2-Clause */
#include "events/events_specs.h"

#include <errno.h>
#include <string.h>

#include "events/events_error.h"

enum { MAX_EVENTS = 65536 };

int tally_parser_add(struct tally_event_parser *p, const struct tally_event_spec *spec)
{
	struct tally_event_spec copy = *spec;
	int ret;

	if (p->specs.len == MAX_EVENTS)
		return tally_parser_fail(p, -E2BIG, "too many events",
					 (struct tally_word){p->text + p->at, 0});
	copy.attr.size = sizeof(copy.attr);
	copy.attr.exclude_guest = 1; /* guests are counted only on request */
	copy.leader = (uint32_t)p->specs.len;
	copy.merge_first = copy.leader;
	copy.nr_members = 1;
	ret = tally_vec_push(&p->specs, copy);
	if (!ret)
		ret = tally_vec_push(&p->modified, 0);
	return ret;
}

int tally_spec_cpus(struct tally_event_parser *p, const struct tally_pmu *pmu,
		    struct tally_event_spec *spec)
{
	size_t size = pmu->cpus.len * sizeof(uint32_t);
	uint32_t *cpus;

	spec->uncore = pmu->uncore;
	if (!pmu->cpus.len)
		return 0;
	cpus = tally_arena_alloc(p->arena, size);
	if (!cpus)
		return -ENOMEM;
	memcpy(cpus, pmu->cpus.data, size);
	spec->cpus = cpus;
	spec->nr_cpus = pmu->cpus.len;
	return 0;
}

/* Keep only the spec from index `first` on that is for this PMU, if there is one. */
static void keep_pmu(struct tally_event_parser *p, size_t first, const char *pmu)
{
	for (size_t i = first; i < p->specs.len; i++) {
		struct tally_event_spec *spec = &p->specs.data[i];

		if (!spec->pmu || strcmp(spec->pmu, pmu))
			continue;
		spec->leader = spec->merge_first = (uint32_t)first;
		p->specs.data[first] = *spec;
		p->modified.data[first] = p->modified.data[i];
		p->specs.len = p->modified.len = first + 1;
	}
}

void tally_specs_merge(struct tally_event_parser *p, size_t first)
{
	if (p->events->only_pmu)
		keep_pmu(p, first, p->events->only_pmu);
	for (size_t i = first; p->specs.len - first > 1 && i < p->specs.len; i++) {
		struct tally_event_spec *spec = &p->specs.data[i];

		spec->merge = true;
		spec->merge_first = (uint32_t)first;
		spec->hybrid = !spec->uncore &&
			       (spec->nr_cpus || p->events->tables.whose == TALLY_CPU_OTHER);
	}
}

void tally_event_specs_group(struct tally_event_spec *first, size_t nr, size_t stride)
{
	for (size_t i = 0; i < nr; i++) {
		struct tally_event_spec *spec =
			(struct tally_event_spec *)((char *)first + i * stride);

		spec->group = 0;
		spec->leader = 0;
		spec->nr_members = (uint32_t)nr;
		spec->in_braces = true;
	}
}
