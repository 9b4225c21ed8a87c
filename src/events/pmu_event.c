/* SPDX-License-Identifier: BSD-2-Clause */
/* Convert pmu/terms/ to an attr: expand aliases, and encode terms according to the PMU's
 * formats. */
#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "events/cursor.h"
#include "events/lookup.h"
#include "events/names.h"
#include "events/parse.h"
#include "events/events_error.h"
#include "events/events_specs.h"

struct target {
	struct tally_pmu *pmu;
	struct tally_event_spec *spec;
	struct tally_word alias; /* alias that contains the terms; empty if from the user */
};

static bool word_is_file(struct tally_word word)
{
	return word.len && word.len < NAME_MAX - 16 && word.text[0] != '.' &&
	       !memchr(word.text, '/', word.len) && !memchr(word.text, '\0', word.len);
}

/* Parse a number such as "2.3e-10", regardless of the locale. */
static double scale_parse(const char *text, const char **ret_end)
{
	locale_t c = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
	double scale;
	char *end;

	*ret_end = text;
	if (!c)
		return 1;
	scale = strtod_l(text, &end, c);
	freelocale(c);
	*ret_end = end;
	return end == text || !(scale == scale) ? 1 : scale;
}

double tally_unit_split(const char *text, const char **ret_unit)
{
	/* Do not parse "nan" or "inf", which may be the start of a word. */
	*ret_unit = text;
	return strspn(text, "0123456789.+-") ? scale_parse(text, ret_unit) : 1;
}

/* Apply the properties from a table. The unit "64Bytes" means that each count represents 64
 * bytes. */
static void table_attributes(struct tally_event_parser *p, struct tally_event_spec *spec,
			     const struct tally_table_event *event)
{
	const struct tally_model *model = event->table->model;
	const struct tally_model_traits *traits = tally_model_traits(model, event->row);
	const char *unit;

	spec->scale = tally_unit_split(tally_model_text(model, traits->unit), &unit);
	spec->unit = tally_arena_strndup(p->arena, unit, strlen(unit));
	spec->unit = spec->unit ? spec->unit : "";
	spec->per_package |= !!(traits->flags & TALLY_EVENT_PER_PACKAGE);
	spec->place = tally_model_text(model, tally_model_pmu(model, event->row->pmu)->name);
	spec->counters = (uint16_t)traits->counters;
	spec->fixed = traits->fixed;
}

static void alias_attributes(struct tally_event_parser *p, struct target *target, const char *name)
{
	struct tally_event_spec *spec = target->spec;
	const char *pmu = target->pmu->name, *text;

	if (!tally_pmu_read(p->events, pmu, "events/", name, ".unit", p->arena, &text))
		spec->unit = text;
	if (!tally_pmu_read(p->events, pmu, "events/", name, ".scale", p->arena, &text))
		spec->scale = scale_parse(text, &text);
	spec->per_package |=
		!tally_pmu_read(p->events, pmu, "events/", name, ".per-pkg", p->arena, &text);
	spec->snapshot |=
		!tally_pmu_read(p->events, pmu, "events/", name, ".snapshot", p->arena, &text);
}

static int term_set(struct tally_event_parser *p, struct target *target,
		    const struct tally_term *term);

/* Parse and apply the terms of an alias. Errors are reported at the alias name. */
static int alias_apply(struct tally_event_parser *p, struct target *target, struct tally_word word,
		       const char *content, const char *wrong)
{
	struct tally_event_error ignored;
	struct tally_event_parser sub = {.events = p->events, .err = &ignored, .arena = p->arena};
	struct target inner = {target->pmu, target->spec, word};
	struct tally_terms *terms = malloc(sizeof(*terms));
	size_t len = strlen(content);
	char *text = tally_arena_bytes(p->arena, len + 2);
	int ret = -ENOMEM;

	if (terms && text) {
		memcpy(text, content, len);
		memcpy(text + len, "/", 2);
		sub.text = text;
		sub.len = len + 1;
		ret = tally_terms_parse(&sub, terms);
		for (size_t i = 0; !ret && i < terms->nr; i++)
			ret = term_set(&sub, &inner, &terms->term[i]);
	}
	free(terms);
	if (ret && ret != -ENOMEM) {
		tally_parser_fail(p, ret, wrong, word);
		snprintf(p->err->fix, sizeof(p->err->fix), "in its terms %.128s, at '%s': %s",
			 content, ignored.slice, ignored.text);
	}
	return ret;
}

/* Return 1 if `word` is an alias of the PMU and was applied, 0 if not, or an error. */
static int alias_try(struct tally_event_parser *p, struct target *target, struct tally_word word)
{
	char name[NAME_MAX + 1];
	const char *content;
	int ret;

	if (target->alias.len || !word_is_file(word))
		return 0;
	if (target->pmu->made_up) {
		content = tally_table_alias(target->pmu, word);
		return content ? alias_apply(p, target, word, content, "") ?: 1 : 0;
	}
	memcpy(name, word.text, word.len);
	name[word.len] = '\0';
	if (tally_pmu_is_attribute(name))
		return 0;
	ret = tally_pmu_read(p->events, target->pmu->name, "events/", name, "", p->arena, &content);
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	ret = alias_apply(p, target, word, content,
			  "the sysfs description of this event is invalid");
	if (ret)
		return ret;
	alias_attributes(p, target, name);
	return 1;
}

/* Return 1 if a table lists `word` as an event of this PMU and the event was applied, 0 if not, or
 * an error. */
static int table_try(struct tally_event_parser *p, struct target *target, struct tally_word word)
{
	struct tally_table_event event;
	int ret;

	if (target->alias.len || !word.len)
		return 0;
	ret = tally_table_describe(p->events, target->pmu, word, &event);
	if (ret <= 0)
		return ret;
	ret = alias_apply(p, target, word, tally_model_text(event.table->model, event.row->terms),
			  "this PMU lacks fields that this event requires");
	if (ret)
		return ret;
	table_attributes(p, target->spec, &event);
	return 1;
}

/* Apply a generic event such as cpu/instructions/, which the kernel supports for each kind of core.
 * Returns 1 or 0. */
static int generic_try(struct target *target, struct tally_word word)
{
	const struct tally_generic_event *event = tally_generic_find(word.text, word.len);
	struct perf_event_attr *attr = &target->spec->attr;
	uint64_t config;

	if (!target->pmu->core)
		return 0;
	if (event && event->type == PERF_TYPE_HARDWARE) {
		attr->type = PERF_TYPE_HARDWARE;
		attr->config = event->config;
	} else if (!tally_cache_parse(word.text, word.len, &config)) {
		attr->type = PERF_TYPE_HW_CACHE;
		attr->config = config;
	} else {
		return 0;
	}
	if (target->pmu->hybrid)
		attr->config |= (uint64_t)target->pmu->type << PERF_PMU_TYPE_SHIFT;
	return 1;
}

static int term_unknown(struct tally_event_parser *p, struct target *target, struct tally_word word)
{
	char path[PATH_MAX];
	tally_name_vec names = {0};
	struct tally_arena arena = {0};
	struct tally_suggest suggest;
	struct tally_event_error *err = p->err;

	tally_parser_fail(p, -ENOENT, "unknown term or event of this PMU", word);
	tally_suggest_start(&suggest, word.text, word.len);
	tally_vec_for_each (format, &target->pmu->formats)
		tally_suggest_offer(&suggest, format->name);
	snprintf(path, sizeof(path), "%s/%s/events", p->events->devices, target->pmu->name);
	if (!tally_dir_names(path, &arena, &names))
		tally_vec_for_each (name, &names)
			if (!tally_pmu_is_attribute(*name))
				tally_suggest_offer(&suggest, *name);
	tally_error_near(err, &suggest);
	tally_vec_free(&names);
	tally_arena_free(&arena);
	strcpy(err->fix, "terms: config config1 config2 config3 name period");
	tally_vec_for_each (format, &target->pmu->formats)
		if (strlen(err->fix) + strlen(format->name) + 2 < sizeof(err->fix))
			strcat(strcat(err->fix, " "), format->name);
	return -ENOENT;
}

static int format_apply(struct tally_event_parser *p, const struct tally_term *term,
			const struct tally_pmu_format *format, struct perf_event_attr *attr)
{
	uint64_t value = 1, max = tally_pmu_format_max(format);

	if (term->value.text && tally_word_u64(term->value, &value))
		return tally_parser_fail(p, -EINVAL, "expected a number", term->value);
	if (value > max) {
		tally_parser_fail(p, -EINVAL, "value too large for its format", term->value);
		snprintf(p->err->fix, sizeof(p->err->fix),
			 "the largest value of %s is %llu (0x%llx)", format->name,
			 (unsigned long long)max, (unsigned long long)max);
		return -EINVAL;
	}
	tally_pmu_format_set(format, value, attr);
	return 0;
}

static int term_set(struct tally_event_parser *p, struct target *target,
		    const struct tally_term *term)
{
	const struct tally_pmu_format *format =
		tally_pmu_format_find(target->pmu, term->name.text, term->name.len);
	int ret = 0;

	if (format)
		return format_apply(p, term, format, &target->spec->attr);
	ret = tally_term_config(p, term, &target->spec->attr);
	if (!ret)
		ret = tally_term_apply(p, term, target->spec);
	if (!ret && !term->value.text)
		ret = alias_try(p, target, term->name);
	if (!ret && !term->value.text)
		ret = table_try(p, target, term->name);
	if (!ret && !term->value.text)
		ret = generic_try(target, term->name);
	if (!ret)
		ret = term_unknown(p, target, term->name);
	return ret < 0 ? ret : 0;
}

int tally_pmu_add(struct tally_event_parser *p, struct tally_pmu *pmu, struct tally_word alias,
		  const struct tally_terms *terms)
{
	struct tally_event_spec spec = {.unit = "", .scale = 1};
	struct target target = {pmu, &spec, {NULL, 0}};
	int ret;

	spec.attr.type = pmu->type;
	spec.pmu = tally_arena_strndup(p->arena, pmu->name, strlen(pmu->name));
	ret = spec.pmu ? tally_spec_cpus(p, pmu, &spec) : -ENOMEM;
	if (!ret && alias.len) {
		ret = alias_try(p, &target, alias);
		if (!ret)
			ret = table_try(p, &target, alias);
		if (ret <= 0)
			return ret;
		ret = 0;
	}
	for (size_t i = 0; !ret && i < terms->nr; i++)
		ret = term_set(p, &target, &terms->term[i]);
	if (!ret)
		ret = tally_parser_add(p, &spec);
	return ret ? ret : 1;
}

static int pmu_unknown(struct tally_event_parser *p, struct tally_word word)
{
	const tally_name_vec *names;
	struct tally_suggest suggest;
	char *fix = p->err->fix;

	tally_parser_fail(p, -ENOENT, "this machine has no such PMU", word);
	tally_suggest_start(&suggest, word.text, word.len);
	if (tally_pmu_names(p->events, &names)) {
		tally_error_fix(p->err, "no PMUs found in sysfs: is it mounted on /sys?");
		return -ENOENT;
	}
	strcpy(fix, tally_word_is(word, "cpu") ? "no hardware counters (a virtual machine "
						 "without a PMU?); PMUs:"
					       : "PMUs:");
	for (size_t i = 0; i < names->len; i++) {
		tally_suggest_offer(&suggest, names->data[i]);
		if (strlen(fix) + strlen(names->data[i]) + 2 < sizeof(p->err->fix))
			strcat(strcat(fix, " "), names->data[i]);
	}
	tally_error_near(p->err, &suggest);
	return -ENOENT;
}

/* Parse a PMU event for another machine. Only PMUs that have events in the tables are known. */
static int pmu_of_other(struct tally_event_parser *p, struct tally_word word, const char *name,
			const struct tally_terms *terms)
{
	struct tally_pmu *pmu;
	int ret = tally_table_pmu_build(p->events, name, &pmu);

	if (ret == -ENOENT)
		return tally_parser_fail(
			p, ret, "this PMU is not in the event tables of the selected CPU", word);
	return ret ? tally_table_fail(p, ret, word)
		   : TALLY_MIN(tally_pmu_add(p, pmu, (struct tally_word){NULL, 0}, terms), 0);
}

int tally_pmu_parse(struct tally_event_parser *p, struct tally_word word,
		    const struct tally_terms *terms)
{
	const tally_name_vec *names;
	const struct tally_word none = {NULL, 0};
	size_t first = p->specs.len;
	const char *pattern = tally_word_dup(p, word);
	struct tally_pmu *pmu;
	int ret;

	if (!pattern)
		return -ENOMEM;
	if (p->events->tables.whose == TALLY_CPU_OTHER)
		return pmu_of_other(p, word, pattern, terms);
	ret = tally_pmu_get(p->events, word.text, word.len, &pmu);
	if (!ret)
		return TALLY_MIN(tally_pmu_add(p, pmu, none, terms), 0);
	if (ret != -ENOENT || tally_pmu_names(p->events, &names))
		return ret == -ENOENT ? pmu_unknown(p, word)
				      : tally_parser_fail(p, ret, "cannot read the PMU", word);
	for (size_t i = 0; i < names->len; i++) {
		if (!tally_pmu_fits(names->data[i], pattern, tally_glob_has(word.text, word.len)))
			continue;
		ret = tally_pmu_get(p->events, names->data[i], strlen(names->data[i]), &pmu);
		ret = ret ? 0 : tally_pmu_add(p, pmu, none, terms);
		if (ret < 0)
			return ret;
	}
	tally_specs_merge(p, first);
	return p->specs.len > first ? 0 : pmu_unknown(p, word);
}

int tally_pmu_alias_parse(struct tally_event_parser *p, struct tally_word name,
			  const struct tally_terms *terms)
{
	const tally_name_vec *names;
	size_t first = p->specs.len;
	struct tally_pmu *pmu;
	const char *text;
	char file[NAME_MAX + 1];
	int ret = 0;

	if (!word_is_file(name) || p->events->tables.whose == TALLY_CPU_OTHER ||
	    tally_pmu_names(p->events, &names))
		return 0;
	memcpy(file, name.text, name.len);
	file[name.len] = '\0';
	for (size_t i = 0; ret >= 0 && i < names->len; i++) {
		if (tally_pmu_read(p->events, names->data[i], "events/", file, "", p->arena,
				   &text) ||
		    tally_pmu_get(p->events, names->data[i], strlen(names->data[i]), &pmu))
			continue;
		ret = tally_pmu_add(p, pmu, name, terms);
	}
	if (ret < 0)
		return ret;
	tally_specs_merge(p, first);
	return p->specs.len > first;
}
