/* SPDX-License-Identifier: BSD-2-Clause */
#include "events/cpu_term.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/ranges.h"
#include "base/str.h"
#include "events/events_error.h"

enum { CPU_LIMIT = 65536 };

/* ---- terms ------------------------------------------------------------------ */

/* Read the list of online CPUs. The caller frees the set. */
static int online_read(const struct tally_events *events, struct tally_ranges *ret_online)
{
	char path[512], *text;
	size_t len;
	int ret;

	snprintf(path, sizeof(path), "%s/devices/system/cpu/online", events->sysfs);
	ret = tally_file_read(path, 65536, &text, &len);
	if (ret)
		return ret;
	text[strcspn(text, "\n")] = '\0';
	ret = tally_ranges_parse(text, ret_online);
	free(text);
	return ret;
}

/* Fail if one of the CPUs is not online. Another machine may have any CPUs. */
static int check_online(struct tally_event_parser *p, const char *list, struct tally_word value)
{
	struct tally_ranges asked, online;
	int ret = tally_ranges_parse(list, &asked);

	if (ret == -EINVAL) {
		tally_parser_fail(p, ret, "expected a list of CPUs, or a PMU", value);
		tally_error_fix(p->err, "write cpu=2, cpu=0-3 or cpu=cpu_core; repeat the term to "
					"add CPUs");
	}
	if (ret)
		return ret;
	if (p->events->tables.whose != TALLY_CPU_OTHER && !online_read(p->events, &online)) {
		tally_vec_for_each (range, &asked.all)
			for (uint64_t cpu = range->first; !ret && cpu <= range->last; cpu++)
				if (!tally_ranges_have(&online, (uint32_t)cpu))
					ret = -EINVAL;
		tally_ranges_free(&online);
		if (ret)
			tally_parser_fail(p, ret, "a CPU in the list is not online", value);
	} else if (asked.all.data[asked.all.len - 1].last >= CPU_LIMIT) {
		ret = tally_parser_fail(p, -EINVAL, "CPU number too large", value);
	}
	tally_ranges_free(&asked);
	return ret;
}

/* Write the CPUs of a PMU as a list. A PMU without a list covers all CPUs that are online. */
static int pmu_list(struct tally_event_parser *p, struct tally_word value, struct tally_str *out)
{
	struct tally_ranges online;
	struct tally_pmu *pmu;
	int ret = tally_pmu_get(p->events, value.text, value.len, &pmu);

	if (ret == -ENOENT) {
		tally_parser_fail(p, -EINVAL, "expected a list of CPUs, or a PMU", value);
		tally_error_fix(p->err, "write cpu=2, cpu=0-3 or cpu=cpu_core; repeat the term to "
					"add CPUs");
		return -EINVAL;
	}
	if (ret)
		return tally_parser_fail(p, ret, "cannot read the PMU", value);
	tally_vec_for_each (cpu, &pmu->cpus)
		tally_str_addf(out, "%s%u", out->len ? "," : "", (unsigned)*cpu);
	if (pmu->cpus.len)
		return 0;
	ret = online_read(p->events, &online);
	if (ret)
		return tally_parser_fail(p, ret, "cannot read the list of online CPUs", value);
	tally_vec_for_each (range, &online.all)
		tally_str_addf(out, "%s%u-%u", out->len ? "," : "", (unsigned)range->first,
			       (unsigned)range->last);
	tally_ranges_free(&online);
	return 0;
}

int tally_cpu_term_apply(struct tally_event_parser *p, const struct tally_term *term,
			 struct tally_event_spec *spec)
{
	struct tally_str list = {0}, all = {0};
	int ret = 0;

	if (!term->value.text)
		return tally_parser_fail(p, -EINVAL, "term requires a value", term->name);
	if (isdigit((unsigned char)*term->value.text))
		tally_str_add_bytes(&list, term->value.text, term->value.len);
	else
		ret = pmu_list(p, term->value, &list);
	if (!ret)
		ret = check_online(p, tally_str_text(&list), term->value);
	if (!ret) {
		tally_str_addf(&all, "%s%s%s", spec->terms.cpus ? spec->terms.cpus : "",
			       spec->terms.cpus ? "," : "", tally_str_text(&list));
		ret = tally_str_error(&all);
	}
	if (!ret) {
		spec->terms.cpus = tally_arena_strndup(p->arena, all.data, all.len);
		spec->terms.given |= TALLY_TERM_CPU;
		ret = spec->terms.cpus ? 0 : -ENOMEM;
	}
	tally_str_free(&list);
	tally_str_free(&all);
	return ret;
}

/* ---- events ----------------------------------------------------------------- */

static bool pmu_has(const struct tally_event_spec *spec, uint32_t cpu)
{
	/* The kernel counts an uncore event on the CPU that is responsible for its PMU. */
	if (!spec->nr_cpus || spec->uncore)
		return true;
	for (size_t i = 0; i < spec->nr_cpus; i++)
		if (spec->cpus[i] == cpu)
			return true;
	return false;
}

/* Replace the spec's CPUs with those of its terms that its PMU has. */
static int restrict_cpus(struct tally_event_parser *p, struct tally_event_spec *spec)
{
	struct tally_ranges asked;
	uint32_t *cpus;
	size_t nr = 0;
	int ret = tally_ranges_parse(spec->terms.cpus, &asked);

	if (ret)
		return ret;
	tally_vec_for_each (range, &asked.all)
		nr += range->last - range->first + 1;
	cpus = tally_arena_alloc(p->arena, nr * sizeof(*cpus));
	nr = 0;
	tally_vec_for_each (range, &asked.all)
		for (uint32_t cpu = range->first; cpus && cpu <= range->last; cpu++)
			if (pmu_has(spec, cpu))
				cpus[nr++] = cpu;
	tally_ranges_free(&asked);
	if (!cpus)
		return -ENOMEM;
	spec->cpus = cpus;
	spec->nr_cpus = nr;
	return 0;
}

int tally_cpu_terms_finish(struct tally_event_parser *p, size_t first, struct tally_word event)
{
	size_t kept = first;

	for (size_t i = first; i < p->specs.len; i++) {
		struct tally_event_spec *spec = &p->specs.data[i];
		int ret = spec->terms.cpus ? restrict_cpus(p, spec) : 0;

		if (ret)
			return ret;
		if (spec->terms.cpus && !spec->nr_cpus)
			continue;
		spec->leader = (uint32_t)kept;
		spec->merge_first = (uint32_t)(spec->merge ? first : kept);
		p->modified.data[kept] = p->modified.data[i];
		p->specs.data[kept++] = *spec;
	}
	if (kept == first && p->specs.len > first)
		return tally_parser_fail(p, -EINVAL, "no PMU has this event on these CPUs", event);
	if (kept == first + 1)
		p->specs.data[first].merge = p->specs.data[first].hybrid = false;
	p->specs.len = p->modified.len = kept;
	return 0;
}
