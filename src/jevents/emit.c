/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "base/arith.h"
#include "jevents/emit.h"

/* Append a byte that has to be escaped in a string literal. */
static void byte_emit(struct tally_str *out, unsigned char c, bool after_mark)
{
	static const char named[] = "\a\b\t\n\v\f\r\"\\", letters[] = "abtnvfr\"\\";
	const char *known = c ? strchr(named, c) : NULL;

	if (known)
		tally_str_addf(out, "\\%c", letters[known - named]);
	else if (c == '?')
		tally_str_add(out, after_mark ? "\\?" : "?"); /* avoid trigraphs */
	else
		tally_str_addf(out, "\\%03o", c);
}

void tally_emit_text(struct tally_str *out, const char *text, size_t len)
{
	size_t at = 0;

	while (at < len) {
		size_t plain = at;

		while (plain < len && text[plain] >= 0x20 && text[plain] < 0x7f &&
		       text[plain] != '"' && text[plain] != '\\' && text[plain] != '?')
			plain++;
		tally_str_add_bytes(out, text + at, plain - at);
		at = plain;
		if (at < len)
			byte_emit(out, text[at], at && text[at - 1] == '?');
		at++;
	}
}

void tally_emit_head(struct tally_str *out, const char *header)
{
	tally_str_addf(out, "/* Made by tally-jevents. */\n#include \"%s\"\n", header);
}

/* Append a pool, with one string per line. */
static void pool_emit(struct tally_str *out, const char *pool, size_t len)
{
	for (size_t at = 0; at < len;) {
		size_t text = strlen(pool + at);

		tally_str_add(out, "\t\t\"");
		tally_emit_text(out, pool + at, text);
		at += text + 1;
		tally_str_add(out, at < len ? "\\0\"\n" : "\"\n");
	}
}

/* Append the initializers of a model's members, except those of empty tables and of a shared
 * pool. */
static void members_emit(struct tally_str *out, const struct tally_model *model, bool pool)
{
	const struct {
		const char *type, *name;
		uint32_t nr;
	} members[] = {
		{"struct tally_model_pmu", "pmus", model->pmus.nr},
		{"struct tally_model_event", "events", model->events.nr},
		{"struct tally_model_traits", "traits", model->traits.nr},
		{"struct tally_model_metric", "metrics", model->metrics.nr},
		{"struct tally_model_group", "groups", model->groups.nr},
		{model->events.nr > TALLY_SLOT_NARROW_ROWS_MAX ? "uint32_t" : "uint16_t", "slots",
		 model->slots.nr},
		{"char", "pool", pool ? model->pool.nr : 0},
	};

	tally_str_add(out, "\tstruct tally_model head;\n");
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(members); i++)
		if (members[i].nr)
			tally_str_addf(out, "\t%s %s[%u];\n", members[i].type, members[i].name,
				       members[i].nr);
}

static void span_emit(struct tally_str *out, const struct tally_model_span *span)
{
	tally_str_addf(out, "{%u, %u}, ", span->at, span->nr);
}

static void head_emit(struct tally_str *out, const struct tally_model *model)
{
	const struct tally_model_span *spans[] = {&model->pmus,    &model->events, &model->traits,
						  &model->metrics, &model->groups, &model->slots,
						  &model->pool};

	tally_str_addf(out, "\t{%u, %u, %u, %u, ", model->size, model->flags, model->arch,
		       model->name);
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(spans); i++)
		span_emit(out, spans[i]);
	tally_str_add(out, "},\n");
}

static void pmus_emit(struct tally_str *out, const struct tally_model *model)
{
	for (uint32_t i = 0; i < model->pmus.nr; i++) {
		const struct tally_model_pmu *pmu = tally_model_pmu(model, i);

		tally_str_addf(out, "\t\t{%u, %u, %u, %u, %u},\n", pmu->name, pmu->first_event,
			       pmu->nr_events, pmu->first_metric, pmu->nr_metrics);
	}
}

/* Append comma-separated numbers. printf would be too slow. */
static void numbers_emit(struct tally_str *out, const uint32_t *numbers, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		tally_str_add_bytes(out, i ? "," : "\t\t{", i ? 1 : 3);
		tally_str_add_u64(out, numbers[i]);
	}
	tally_str_add(out, "},\n");
}

static void events_emit(struct tally_str *out, const struct tally_model *model)
{
	for (uint32_t i = 0; i < model->events.nr; i++) {
		const struct tally_model_event *row = tally_model_event(model, i);
		const uint32_t numbers[] = {row->name, row->terms, row->pmu, row->traits};

		numbers_emit(out, numbers, TALLY_ARRAY_SIZE(numbers));
	}
}

static void traits_emit(struct tally_str *out, const struct tally_model *model)
{
	for (uint32_t i = 0; i < model->traits.nr; i++) {
		const struct tally_model_traits *row =
			tally_model_at(model, &model->traits, sizeof(*row), i);
		const uint32_t numbers[] = {row->counters, row->topic, row->unit,
					    row->compat,   row->fixed, row->flags};

		numbers_emit(out, numbers, TALLY_ARRAY_SIZE(numbers));
	}
}

static void metrics_emit(struct tally_str *out, const struct tally_model *model)
{
	for (uint32_t i = 0; i < model->metrics.nr; i++) {
		const struct tally_model_metric *row = tally_model_metric(model, i);
		const uint32_t numbers[] = {
			row->name,   row->expr,       row->threshold,     row->desc, row->long_desc,
			row->groups, row->no_groups,  row->default_group, row->unit, row->compat,
			row->pmu,    row->constraint, row->aggregation};

		numbers_emit(out, numbers, TALLY_ARRAY_SIZE(numbers));
	}
}

static void groups_emit(struct tally_str *out, const struct tally_model *model)
{
	for (uint32_t i = 0; i < model->groups.nr; i++)
		tally_str_addf(out, "\t\t{%u, %u},\n", tally_model_group(model, i)->name,
			       tally_model_group(model, i)->desc);
}

static void slots_emit(struct tally_str *out, const struct tally_model *model)
{
	for (uint32_t i = 0; i < model->slots.nr; i++) {
		tally_str_add(out, i % 8 ? "," : "\t\t");
		tally_str_add_u64(out, tally_model_slot(model, i));
		tally_str_add(out, i % 8 == 7 || i + 1 == model->slots.nr ? ",\n" : "");
	}
}

static void body_emit(struct tally_str *out, const struct tally_model *model)
{
	static const struct {
		const char *name;
		size_t span;
		void (*emit)(struct tally_str *out, const struct tally_model *model);
	} tables[] = {
		{"pmus", offsetof(struct tally_model, pmus), pmus_emit},
		{"events", offsetof(struct tally_model, events), events_emit},
		{"traits", offsetof(struct tally_model, traits), traits_emit},
		{"metrics", offsetof(struct tally_model, metrics), metrics_emit},
		{"groups", offsetof(struct tally_model, groups), groups_emit},
		{"slots", offsetof(struct tally_model, slots), slots_emit},
	};

	head_emit(out, model);
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(tables); i++) {
		const struct tally_model_span *span =
			(const void *)((const char *)model + tables[i].span);

		if (!span->nr)
			continue;
		tally_str_addf(out, "\t.%s = {\n", tables[i].name);
		tables[i].emit(out, model);
		tally_str_add(out, "\t},\n");
	}
}

void tally_emit_model(struct tally_str *out, const struct tally_model *model,
		      const char *identifier)
{
	tally_str_addf(out, "\nstatic const struct model_%s {\n", identifier);
	members_emit(out, model, true);
	tally_str_addf(out, "} %s = {\n", identifier);
	body_emit(out, model);
	tally_str_add(out, "\t.pool =\n");
	pool_emit(out, tally_model_text(model, 0), model->pool.nr);
	tally_str_addf(
		out,
		"};\n_Static_assert(offsetof(struct model_%s, pool) == %u, \"layout\");\n\n"
		"const struct tally_model *tally_model_of_%s(void);\n"
		"const struct tally_model *tally_model_of_%s(void)\n{\n\treturn &%s.head;\n}\n",
		identifier, model->pool.at, identifier, identifier, identifier);
}

void tally_emit_models(struct tally_str *out, const struct tally_catalog *catalog,
		       const struct tally_str *pool)
{
	tally_str_add(out, "\nstatic const struct models {\n");
	tally_vec_for_each (model, &catalog->models) {
		tally_str_addf(out, "\tstruct model_%s {\n", model->identifier);
		members_emit(out, model->model, false);
		tally_str_addf(out, "\t} %s;\n", model->identifier);
	}
	tally_str_addf(out, "\tchar pool[%zu];\n} all = {\n", TALLY_MAX(pool->len, 1u));
	tally_vec_for_each (model, &catalog->models) {
		tally_str_addf(out, "\t.%s = {\n", model->identifier);
		body_emit(out, model->model);
		tally_str_add(out, "\t},\n");
	}
	tally_str_add(out, "\t.pool =\n");
	pool_emit(out, pool->data, pool->len);
	tally_str_add(out, "};\n");
	tally_vec_for_each (model, &catalog->models)
		tally_str_addf(
			out,
			"_Static_assert(offsetof(struct models, pool) - offsetof(struct models, "
			"%s) == %u, \"layout\");\n",
			model->identifier, model->model->pool.at);
	tally_vec_for_each (model, &catalog->models)
		tally_str_addf(
			out,
			"static const struct tally_model *tally_model_of_%s(void)\n{\n\treturn "
			"&all.%s.head;\n}\n",
			model->identifier, model->identifier);
}

/* Append the function that returns a model by index. The function is a switch statement because a
 * table of addresses would need relocations. */
static void switch_emit(struct tally_str *out, const struct tally_catalog *catalog, bool shared)
{
	tally_vec_for_each (model, &catalog->models) {
		if (shared)
			tally_str_addf(out, "const struct tally_model *tally_model_of_%s(void);\n",
				       model->identifier);
	}
	tally_str_add(
		out,
		"\nstatic const struct tally_model *model_at(const struct tally_models *models, "
		"uint32_t index)\n{\n\t(void)models;\n\tswitch (index) {\n");
	for (size_t i = 0; i < catalog->models.len; i++)
		tally_str_addf(out, "\tcase %zu: return tally_model_of_%s();\n", i,
			       catalog->models.data[i].identifier);
	tally_str_add(out, "\tdefault: return NULL;\n\t}\n}\n");
}

void tally_emit_map(struct tally_str *out, const struct tally_catalog *catalog, bool shared)
{
	tally_str_addf(out, "\nstatic const struct tally_models_row rows[%zu] = {\n",
		       catalog->packed.len + 1);
	tally_vec_for_each (row, &catalog->packed)
		tally_str_addf(out, "\t{%u, %u, %u, %u, %u},\n", row->arch, row->cpuid,
			       row->version, row->type, row->model);
	tally_str_addf(out, "};\n\nstatic const char pool[%zu] =\n", catalog->pool.bytes.len);
	pool_emit(out, catalog->pool.bytes.data, catalog->pool.bytes.len);
	tally_str_add(out, ";\n\n");
	switch_emit(out, catalog, shared);
	tally_str_addf(
		out,
		"\nvoid tally_models_builtin(struct tally_models *ret_models)\n{\n"
		"\t*ret_models = (struct tally_models){rows, pool, %zu, %zu, model_at};\n}\n",
		catalog->packed.len, catalog->models.len);
}
